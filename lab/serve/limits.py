"""Limits of one visitor in each of the three places where the lab runs."""

import os
from dataclasses import dataclass, replace
from functools import cache

from lab.analysis.count import count
from lab.analysis.forecast import memory
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.training.process_memory import of_the_machine


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of one profile. Sizes are in bytes, times in seconds."""

    workers: int  # trainings at a time
    waiting: int  # runs in the queue
    own_waiting: int  # runs of one visitor that wait or run
    own_runs: int  # runs of one visitor that are kept
    threads: int  # processor threads of a worker
    nice: int
    seconds: float  # the longest training
    parameters: int
    vocabulary: int
    depth: int
    width: int
    context: int
    batch_tokens: int  # tokens in one training step
    upload: int
    pasted: int  # characters
    prompt: int  # characters in a field that is answered at once
    generated: int  # tokens
    published: int  # the weights of a model that visitors may have fetched from the Hub
    all_published: int  # all such models together: what is on the disk
    cached: int  # ids and tokenizers that are kept because somebody may ask again
    all_runs: int | None  # of all visitors together; None where they stay until they are deleted


def cores() -> int:
    """The processor cores that this process may use, as the container has it where there is one."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    declared = os.environ.get("CPU_CORES", "")
    try:
        with open("/sys/fs/cgroup/cpu.max", encoding="ascii") as file:
            quota, period = file.read().split()
        allowed = min(allowed, max(1, int(quota) // int(period)))
    except (OSError, ValueError):
        pass
    return max(1, min(allowed, int(declared)) if declared.isdigit() and int(declared) else allowed)


@cache
def memory_here() -> int:
    """The bytes of memory that all runs together may take: four fifths of what this machine, or the container, has."""
    return of_the_machine() * 4 // 5


_SPACE = Limits(
    workers=cores(),
    waiting=64,
    own_waiting=4,
    own_runs=20,
    threads=1,
    nice=19,
    seconds=900,
    parameters=10_000_000,
    vocabulary=32_768,
    depth=12,
    width=512,
    context=512,
    batch_tokens=16_384,
    upload=20 * 2**20,
    pasted=1_000_000,
    prompt=20_000,
    generated=512,
    published=700 * 10**6,
    all_published=10 * 10**9,
    cached=4 * 10**9,
    all_runs=20 * 10**9,
)
_CLASSROOM = replace(
    _SPACE,
    waiting=120,
    parameters=5_000_000,
    batch_tokens=8_192,
    upload=50 * 2**20,
    generated=256,
    all_runs=100 * 10**9,
)
_LAPTOP = Limits(
    workers=max(1, cores() // 2),
    waiting=64,
    own_waiting=64,
    own_runs=10_000,
    threads=max(1, cores() // 2),
    nice=10,
    seconds=86_400,
    parameters=1_000_000_000,
    vocabulary=262_144,
    depth=96,
    width=8_192,
    context=8_192,
    batch_tokens=262_144,
    upload=200 * 2**20,
    pasted=20_000_000,
    prompt=20_000,
    generated=2_048,
    published=20 * 10**9,
    all_published=200 * 10**9,
    cached=40 * 10**9,
    all_runs=None,
)
PROFILES = {"laptop": _LAPTOP, "classroom": _CLASSROOM, "space": _SPACE}


def profile() -> str:
    """``laptop``, ``classroom`` or ``space``: $CLOZE_LAB_PROFILE, else what the surroundings suggest. A server that
    other machines can reach is a classroom's."""
    named = os.environ.get("CLOZE_LAB_PROFILE", "")
    if named in PROFILES:
        return named
    if os.environ.get("SPACE_ID") or os.environ.get("SYSTEM") == "spaces":
        return "space"
    alone = os.environ.get("GRADIO_SERVER_NAME", "127.0.0.1") in ("127.0.0.1", "localhost", "::1")
    return "laptop" if alone else "classroom"


def limits() -> Limits:
    """The limits that hold here."""
    return PROFILES[profile()]


def bearable(run: Run, vocabulary: int | None = None) -> None:
    """Raises SettingsError, naming the size and the limit, if the run is larger than this profile allows.

    ``vocabulary`` is the size of a tokenizer that there is; without one the size that the run asks for counts.
    """
    allowed, plan, shape = limits(), run.plan, run.settings_of("model")
    vocabulary = vocabulary or run.settings_of("tokenizer").vocabulary
    for en, zh, size, most in (
        ("depth", "层数", shape.depth, allowed.depth),
        ("depth of the decoder", "解码器层数", shape.decoder_depth or 0, allowed.depth),
        ("width", "隐藏维度", shape.width, allowed.width),
        ("context", "上下文长度", shape.context, allowed.context),
        ("feed-forward width", "前馈层宽度", shape.feed or 0, 4 * allowed.width),
        ("vocabulary", "词表大小", vocabulary, allowed.vocabulary),
        ("number of tokens per step", "每步词元数", plan.batch * run.longest, allowed.batch_tokens),
        ("number of seconds", "秒数", plan.seconds or 0, allowed.seconds),
    ):
        _at_most(size, most, en, zh)  # before the model is counted, which takes longer the larger it is
    parameters = count(run.model, run.shape, vocabulary)["params"]["with_pretraining_heads"]
    _at_most(parameters, allowed.parameters, "number of parameters", "参数量")
    needed, share = memory(run, vocabulary), memory_here() // allowed.workers
    if needed > share:
        gb, room = f"{needed / 10**9:.1f} GB", f"{share / 10**9:.1f} GB"
        raise SettingsError(
            f"this run would take about {gb} of memory, and {room} is the most for a run here: choose a smaller batch, "
            "vocabulary or model",
            f"这个训练大约需要 {gb} 内存，这里每个训练最多 {room}：请减小批次、词表或模型",
        )


def _at_most(size: float, most: float, en: str, zh: str) -> None:
    if size > most:
        raise SettingsError(
            f"the {en} is {size:,.0f}; at most {most:,.0f} is allowed here",
            f"{zh}为 {size:,.0f}，这里最多允许 {most:,.0f}",
        )


def within(text: str, most: int, *, or_file: bool = False) -> str:
    """The text, if it has at most ``most`` characters; an empty one for what is none. ``or_file`` says that a longer
    one may be given as a file."""
    text = text if isinstance(text, str) else ""
    if len(text) > most:
        en, zh = ("give it as a file", "请以文件形式提供") if or_file else ("shorten it", "请缩短")
        raise SettingsError(
            f"the text has {len(text):,} characters; at most {most:,} are read here: {en}",
            f"文本有 {len(text):,} 个字符，这里最多读取 {most:,} 个：{zh}",
        )
    return text
