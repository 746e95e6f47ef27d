"""The command line as scripts rely on it: one JSON document, exit codes, and one sentence for every mistake."""

import contextlib
import errno
import io
import json
import math
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from tiny import plan

from lab.catalog import REGISTRIES
from lab.cli.answer import Answer, figure, many
from lab.cli.foreground import _Interruption
from lab.cli.main import COMMANDS, main
from lab.runs.folder import RunFolder, home
from lab.runs.metrics_log import MetricsLog
from lab.runs.run import Run
from lab.training.run_request import command as page_command
from lab.training.train import train

TINY = "--width 16 --depth 1 --heads 2 --context 16 --batch 4 --threads 1 --stories 40".split()
FEELINGS = "".join(f"I love {n}!,good\nI hate {n}.,bad\n" for n in range(12))
RESULT = {"run", "ended", "steps", "seconds", "tokens_per_second", "memory", "validation"}


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as exactly one JSON document."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def lab(*words: object) -> Done:
    """Run one command line in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    return Done(code, out.getvalue(), err.getvalue())


def process(*words: object) -> subprocess.Popen[str]:
    """Start one command line in a process of its own."""
    command = [sys.executable, "-m", "lab", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a few files and three small runs, all made on the command line."""
    place = tmp_path_factory.mktemp("cli")
    (place / "story.txt").write_text("The cat sat on the mat. The dog ran after the cat.\n" * 60, encoding="utf-8")
    (place / "feelings.csv").write_text("text,label\n" + FEELINGS, encoding="utf-8")
    bert = [*TINY, "--vocab", 300, "--seed", 3]
    assert lab("pretrain", "--model", "bert", "--pair", "nsp", "--steps", 6, *bert, "--out", place / "bert").code == 0
    gpt = "--model gpt --tokenizer char_bpe --vocab 80 --width 16 --depth 1 --heads 2 --context 16 --batch 4".split()
    story = ["--corpus", place / "story.txt", "--steps", 6, "--threads", 1]
    assert lab("pretrain", *gpt, *story, "--out", place / "gpt").code == 0
    tune = ["--data", place / "feelings.csv", "--steps", 4, "--batch", 4, "--threads", 1]
    assert lab("finetune", "--run", place / "bert", *tune, "--out", place / "tuned").code == 0
    return place


@pytest.mark.parametrize("command", [*COMMANDS])
def test_a_terminal_that_knows_ascii_alone_is_given_every_help(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main([command, "--help"]) == 0
    sys.stdout.flush()
    assert command in written.getvalue().decode("utf-8")


def test_the_overview_names_every_command_and_no_other() -> None:
    done = lab()
    listed = [line.split()[0] for line in done.out.splitlines() if line.startswith("  ")]
    assert done.code == 0 and listed == [*COMMANDS]
    assert done.out == lab("--help").out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_its_flags(name: str) -> None:
    done = lab(name, "--help")
    assert done.code == 0 and f"python -m lab {name}" in done.out and "--json" in done.out and not done.err


def test_the_overview_and_a_misspelt_command_do_not_wait_for_torch() -> None:
    code = "import sys; from lab.cli.main import main; main([]); main(['lisst']); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_flags_of_the_chosen_entries_are_explained() -> None:
    words = "--model albert --objective mlm --pair nsp --tokenizer char_bpe --corpus town_zh".split()
    out = lab("pretrain", *words, "--help").out
    flags = "--embedding-width --steps --objective-share --mask --no-dynamic --pair-random --vocab --stories"
    for flag in flags.split():
        assert flag in out, flag


def test_a_help_says_what_to_name_to_see_all_flags() -> None:
    for command in ("evaluate", "corpus", "tokenizer train", "tokenizer sizes", "corrupt", "bench", "params"):
        assert "to see the flags of" in " ".join(lab(*command.split(), "--help").out.split()), command
    words = ("evaluate", "--run", "bert-town", "--corpus", "town_entities", "--help")
    assert "--part" in lab(*words).out and "such as --part" in lab("evaluate", "--help").out


def test_the_flags_of_fine_tuning_name_its_own_defaults() -> None:
    out = " ".join(lab("finetune", "--help").out.split())
    assert "--overlap" not in out and "--packing" not in out  # which labelled examples have no use for
    for told in ("Steps (300;", "(adamw; muon,", "share of the steps (0.1;", "(0.0005;"):
        assert told in out, told


def test_list_holds_every_entry_of_every_register() -> None:
    document = lab("list", "--json").document
    assert {kind: [row["name"] for row in rows] for kind, rows in document.items()} == {
        kind: registry.names() for kind, registry in REGISTRIES.items()
    }
    row = lab("list", "models", "--json").document["models"][0]
    words = {"title", "summary", "title_zh", "summary_zh"}
    assert {"name", "paper", "traits", "settings", "published"} | words == set(row)
    assert row["settings"][0].keys() == {"name", "default", "help", "low", "high", "choices"}
    assert "BERT" in lab("list").out


def test_figures_are_whole_and_nouns_agree_with_them(place: Path) -> None:
    assert figure(2_630_890) == "2,630,890" and figure(1.5) == "1.5" and many(1, "step") == "1 step"
    assert "e+" not in lab("params", "gpt2", "--cost", "--length", 1024).out
    assert "1 token for 1 character," in lab("tokenizer", "encode", "--tokenizer", place / "bert", "--text", "a").out
    for size, width in (("tiny", 64), ("small", 128)):
        helped = " ".join(lab("pretrain", "--model", "gpt", "--size", size, "--help").out.split())
        assert f"Hidden size ({width}" in helped


def test_a_tokenizer_is_trained_and_tried(place: Path) -> None:
    words = ("--kind", "char_bpe", "--vocab", 30, "--corpus", place / "story.txt", "--out", place / "tok")
    document = lab("tokenizer", "train", *words, "--json").document
    assert document.pop("seconds") >= 0
    assert document == {"tokenizer": str(place / "tok"), "kind": "char_bpe", "vocabulary": 30}
    more = lab("tokenizer", "train", *words[:2], "--vocab", 60_000, *words[4:6], "--out", place / "all")
    assert "(of 60,000: the text gives no more)" in more.out
    found = lab("tokenizer", "encode", "--tokenizer", place / "tok", "--text", "the cat 猫", "--json").document
    assert set(found) == {"tokens", "ids", "unknown", "decoded"}
    assert found["unknown"] == 1 and found["decoded"] == "the cat [UNK]" and len(found["ids"]) == len(found["tokens"])
    run = lab("tokenizer", "encode", "--tokenizer", place / "bert", "--text", "猫 <b>", "--json").document
    assert run["decoded"] == "猫 <b>" and run["unknown"] == 0


def test_a_kept_tokenizer_is_used_as_it_is(place: Path) -> None:
    words = ("--model", "gpt", "--tokenizer", place / "bert", "--steps", 1, *TINY, "--out", place / "kept")
    assert lab("pretrain", *words, "--json").document["steps"] == 1
    kept, known = (json.loads((place / name / "tokenizer.json").read_text("utf-8")) for name in ("kept", "bert"))
    assert kept == known and RunFolder(place / "kept").run.tokenizer == "byte_bpe"


def test_an_exercise_is_told_in_positions_and_ids(place: Path) -> None:
    words = ("--objective", "mlm", "--text", "the cat sat on the mat", "--tokenizer", place / "bert", "--json")
    found = lab("corrupt", *words, "--share", 0.5, "--seed", 1).document
    assert set(found) == {"tokens", "ids", "shown", "asked", "answers", "visible", "segments", "source"}
    assert found["tokens"][0] == "[CLS]" and found["visible"] == "all" and found["segments"] is None
    assert found["answers"] == [found["ids"][place] for place in found["asked"]]
    kept = set(range(len(found["ids"]))) - set(found["asked"])
    assert all(found["ids"][place] == found["shown"][place] for place in kept)
    again, other = (lab("corrupt", *words, "--share", 0.5, "--seed", 1, "--epoch", n).document for n in (0, 1))
    assert again == found != other


def test_an_exercise_about_a_pair_says_its_answer() -> None:
    found = lab("corrupt", "--objective", "sop", "--text", "One day. Two days.", "--json").document
    assert found["pair"] in ("in order", "swapped") and set(found["segments"]) == {0, 1} and found["asked"] == []
    assert lab("corrupt", "--objective", "clm", "--text", "我们走", "--json").document["visible"] == "causal"


def test_what_is_learnt_from_pairs_of_neighbours_asks_no_token() -> None:
    words = ("corrupt", "--objective", "cooccurrence", "--text", "一天", "--reach", 1)
    n = len(lab(*words, "--json").document["tokens"])
    assert lab(*words).out.split("\n")[1].startswith(f"{2 * (n - 1)} pairs of a token and a neighbour")


def test_parameters_are_counted_for_published_names_and_own_shapes() -> None:
    found = lab("params", "bert-base-uncased", "--json").document
    assert set(found) == {"name", "params", "breakdown"}
    assert found["params"]["with_pretraining_heads"] == 110_106_428 == sum(found["breakdown"].values())
    own = lab(
        "params", "--model", "albert", "--width", 32, "--heads", 2, "--embedding-width", 8, "--vocab", 100, "--json"
    )
    assert own.document["name"] == "albert" and own.document["breakdown"]["embeddings"] > 8 * 100
    assert "109,482,240" in lab("params", "bert-base-uncased").out


def test_pretraining_answers_where_the_run_is_and_how_good_it_is(place: Path) -> None:
    words = ("--model", "gpt", "--objective", "clm", "--steps", 5, "--vocab", 300, *TINY, "--out", place / "answer")
    done = lab("pretrain", *words, "--json")
    assert set(done.document) == RESULT and done.document["ended"] == "finished" and done.document["steps"] == 5
    assert done.document["run"] == str(place / "answer") and set(done.document["validation"]) == {
        "loss",
        "accuracy",
        "perplexity",
    }
    again = lab("pretrain", "--resume", place / "answer", "--json").document
    assert again["steps"] == 5 and again["validation"] == done.document["validation"]


def test_a_run_without_a_folder_gets_one_among_the_runs(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(place / "home"))
    run = Path(lab("pretrain", "--model", "bert", "--steps", 2, "--vocab", 300, *TINY, "--json").document["run"])
    assert run.parent == place / "home"
    listed = lab("runs", "--json").document["runs"]
    assert [row["name"] for row in listed] == [run.name] and listed[0]["status"] == "finished"
    shown = lab("runs", "show", run.name, "--json").document
    assert shown["settings"]["shape"]["width"] == 16 and shown["result"]["steps"] == shown["steps"] == 2
    assert run.name in lab("runs", "list").out and "finished" in lab("runs", "show", run).out
    assert lab("runs", "stop", run.name, "--json").document["status"] == "finished"
    assert lab("runs", "resume", run.name, "--json").document["ended"] == "finished"
    assert lab("runs", "delete", run.name, "--json").document == {"run": str(run), "status": "deleted"}
    assert not run.exists() and lab("runs", "--json").document == {"runs": []}


@pytest.mark.parametrize(
    "parts",
    [
        {"pair": "nsp", "pair_settings": {"random": 0.25}, "objective_settings": {"share": 0.3, "dynamic": False}},
        {"model": "gpt", "corpus": "town_zh", "corpus_settings": {"stories": 20, "seed": 5}, "seed": 4},
        {"model": "albert", "tokenizer": "char_bpe", "pinned": "it's a [MASK]", "training": {"seconds": 12.5}},
    ],
    ids=str,
)
def test_the_command_that_a_page_shows_makes_the_same_run(
    parts: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked, made = plan(**parts), []
    monkeypatch.setattr("lab.cli.foreground.learn", lambda folder, group: made.append(folder.run) or Answer({}, ""))
    line = shlex.split(page_command(asked)) + ["--out", str(tmp_path)]
    assert lab(*line[3:]).code == 0
    full = Run.load(asked.dump())
    for part in ("model", "objective", "corpus", "tokenizer", *(["pair"] if full.pair else [])):
        assert made[0].settings_of(part) == full.settings_of(part)  # type: ignore[arg-type]
    assert (made[0].plan, made[0].seed, made[0].pinned) == (full.plan, full.seed, full.pinned)


def test_a_command_says_what_is_masked_at_first_only_where_something_is_masked() -> None:
    for model, masks in (("bert", True), ("gpt", False)):
        said = page_command(plan(model=model, training={"steps": 1, "initial_masking": 0.3}))
        assert ("--initial-masking" in said) == masks


def test_a_command_says_of_the_optimizer_what_it_has() -> None:
    training = {"steps": 1, "beta1": 0.5, "weight_decay": 0.0}
    said = page_command(plan(model="gpt", training=training | {"optimizer": "adagrad"}))
    assert "--optimizer adagrad" in said and "--beta1" not in said and "--weight-decay" not in said
    assert "--beta1 0.5" in page_command(plan(model="gpt", training=training))


def test_minutes_are_seconds(place: Path) -> None:
    words = ("--model", "bert", "--minutes", 0.02, "--vocab", 300, *TINY, "--out", place / "minutes", "--json")
    assert lab("pretrain", *words).document["seconds"] < 5
    assert RunFolder(place / "minutes").run.plan.seconds == 1.2


def test_fine_tuning_names_the_classes_of_the_file(place: Path) -> None:
    result = lab("runs", "resume", place / "tuned", "--json").document
    assert set(result) == RESULT and set(result["validation"]) == {
        "loss",
        "texts",
        "accuracy",
        "macro_f1",
        "matthews",
        "calibration_error",
        "confusion",
    }
    assert RunFolder(place / "tuned").document("labels.json") == {"labels": ["bad", "good"]}
    assert RunFolder(place / "tuned").run.parent == str(place / "bert")
    fresh = ("--run", place / "bert", "--task", "classify", "--data", "town_en", "--stories", 40, "--fresh")
    words = ("--steps", 1, "--batch", 4, "--threads", 1, "--out", place / "fresh", "--json")
    assert lab("finetune", *fresh, *words).document["steps"] == 1 and RunFolder(place / "fresh").run.fresh


def test_an_evaluation_stands_beside_its_yardsticks(place: Path) -> None:
    keys = {"loss", "bits_per_byte", "perplexity", "accuracy", "tokens", "baselines", "read"}
    keys |= {"pairs", "sequence_loss", "sequence_accuracy", "sequence_majority"}
    for words in ((), ("--corpus", place / "story.txt"), ("--corpus", "town_en", "--stories", 20)):
        found = lab("evaluate", "--run", place / "bert", *words, "--json").document
        assert set(found) == keys and set(found["baselines"]) == {"uniform", "unigram", "bigram"}
        assert found["tokens"] > 0 and found["loss"] > 0
    assert "to beat" in lab("evaluate", "--run", place / "gpt").out


def test_a_classifier_is_evaluated_on_a_file_whose_classes_go_by_name(place: Path) -> None:
    only = place / "other.csv"
    only.write_text("text,label\nI love it!,good\nI hate it.,bad\nso so,good\n", encoding="utf-8")
    found = lab("evaluate", "--run", place / "tuned", "--corpus", only, "--json").document
    measured = {"loss", "accuracy", "macro_f1", "matthews", "calibration_error", "confusion"}
    assert set(found) == measured | {"texts", "interval", "baselines"} and found["texts"] == 3
    assert sum(map(sum, found["confusion"])) == 3
    only.write_text("text,label\nI love it!,good\n", encoding="utf-8")
    assert lab("evaluate", "--run", place / "tuned", "--corpus", only, "--json").document["texts"] == 1
    only.write_text("text,label\nI love it!,good\nI hate it.,awful\n", encoding="utf-8")
    refused(lab("evaluate", "--run", place / "tuned", "--corpus", only), "does not know the label 'awful'")


def test_a_file_of_what_a_run_learnt_from_need_not_be_told_its_columns_again(place: Path, tmp_path: Path) -> None:
    odd, usual = tmp_path / "odd.csv", tmp_path / "usual.csv"
    odd.write_text("评语,情绪\n" + FEELINGS, encoding="utf-8")
    usual.write_text(odd.read_text(encoding="utf-8").replace("评语,情绪", "文本,标签"), encoding="utf-8")
    told = ("--text-column", "评语", "--label-column", "情绪", "--steps", 1, "--batch", 4, "--threads", 1)
    assert lab("finetune", "--run", place / "bert", "--data", odd, *told, "--out", tmp_path / "run").code == 0
    for file in (odd, usual):
        assert lab("evaluate", "--run", tmp_path / "run", "--corpus", file, "--json").document["texts"] == 24
    refused(lab("evaluate", "--run", tmp_path / "run", "--corpus", odd, "--text-column", "x"), "no column 'x'")


def test_gaps_are_filled(place: Path) -> None:
    found = lab("fill", "--run", place / "bert", "--text", "the [MASK] sat [MASK]", "--best", 3, "--json").document
    assert found["unread"] == 0 and [len(gap) for gap in found["gaps"]] == [3, 3]
    assert set(found["gaps"][0][0]) == {"token", "probability"}  # and "begins" where it only begins an answer
    assert lab("fill", "--run", place / "bert", "--text", "[MASK]").out.startswith("gap 1: ")
    half_read = lab("fill", "--run", place / "bert", "--text", "[MASK] " + "the cat sat " * 40 + "[MASK]").out
    assert "gap 2" not in half_read and "not read: 1 of 2 [MASK]" in half_read


@pytest.mark.parametrize(
    "samplers",
    [
        [],
        ["--sampler", "greedy"],
        ["--sampler", "top_k:5", "--sampler", "temperature:1.5"],
        ["--sampler", "top_p:p=0.9"],
    ],
    ids=str,
)
def test_a_text_is_continued(place: Path, samplers: list[str]) -> None:
    words = ("--run", place / "gpt", "--prompt", "The c", "--tokens", 12, *samplers, "--seed", 5)
    found = lab("generate", *words, "--json").document
    assert set(found) == {"text", "tokens", "logprobs"} and len(found["tokens"]) == len(found["logprobs"]) <= 12
    assert "".join(found["tokens"]) == found["text"] and all(value < 0 for value in found["logprobs"])
    assert lab("generate", *words).out == f"The c{found['text']}\n"


def test_maps_are_printed_or_written_to_a_file(place: Path) -> None:
    found = lab("attention", "--run", place / "bert", "--text", "the cat", "--json").document
    layers, heads, t, _ = found["shape"]
    assert set(found) == {"tokens", "shape", "maps"} and len(found["tokens"]) == t
    assert len(found["maps"]) == layers == 1 and len(found["maps"][0]) == heads == 2
    words = ("--text", "the cat", "--out", place / "new" / "maps.safetensors", "--json")
    assert set(lab("attention", "--run", place / "bert", *words).document) == {"tokens", "shape", "out"}
    assert load_file(place / "new" / "maps.safetensors")["maps"].tolist() == found["maps"]
    (place / "mine.txt").write_text("mine", "utf-8")
    refused(lab("attention", "--run", place / "bert", "--text", "a", "--out", place / "mine.txt"), "already")
    assert (place / "mine.txt").read_text("utf-8") == "mine"
    assert "layer 1" in lab("attention", "--run", place / "bert", "--text", "the cat").out
    refused(
        lab("attention", "--run", place / "bert", "--text", "the cat", "--kind", "cross"), "this model has one kind"
    )


def test_an_encoder_decoder_has_three_kinds_of_maps(place: Path) -> None:
    sizes = ["--width", 16, "--depth", 1, "--heads", 2, "--context", 24, "--batch", 4, "--vocabulary", 300]
    story = ["--corpus", place / "story.txt", "--steps", 2, "--threads", 1, "--out", place / "bart"]
    assert lab("pretrain", "--model", "bart", *sizes, *story).code == 0
    words = ("attention", "--run", place / "bart", "--text", "the [MASK] sat", "--json")
    maps = {kind: lab(*words, "--kind", kind).document for kind in ("encoder", "decoder", "cross")}
    assert lab(*words).document == maps["encoder"] and maps["encoder"]["lookers"] == maps["encoder"]["tokens"]
    assert maps["cross"]["tokens"] == maps["encoder"]["tokens"] != maps["cross"]["lookers"] == maps["decoder"]["tokens"]
    for found in maps.values():
        assert found["shape"] == [1, 2, len(found["lookers"]), len(found["tokens"])]
    refused = lab(*words[:-1], "--kind", "middle")
    assert refused.code == 2 and "choose encoder, decoder, cross" in refused.err


def test_the_lens_ends_in_what_the_run_fills_in(place: Path) -> None:
    words = ("--run", place / "bert", "--text", "the [MASK] sat")
    found = lab("lens", *words, "--json").document
    assert [layer["layer"] for layer in found["layers"]] == ["embedding", "layer 1"] and found["asks"] == "token"
    gap, last = found["tokens"].index("[MASK]"), found["layers"][-1]
    [[best, *_]] = lab("fill", *words, "--json").document["gaps"]
    assert last["likeliest"][gap][0]["answer"] == best["token"] and set(last["rank"]) == {1}
    assert last["likeliest"][gap][0]["probability"] == pytest.approx(best["probability"], abs=1e-5)
    assert "[MASK]" in lab("lens", *words).out


def test_layers_are_compared_and_the_input_is_added_up(place: Path) -> None:
    words = ("--run", place / "bert", "--text", "the cat sat")
    found = lab("similarity", *words, "--json").document
    assert found["layers"] == ["embedding", "layer 1"] and len(found["two_tokens"]) == 2
    for square in (found["cosine"], found["alignment"]):
        assert square[0][0] == pytest.approx(1, abs=1e-5) and square[0][1] == pytest.approx(square[1][0], abs=1e-5)
    assert "two tokens" in lab("similarity", *words).out
    added = lab("inputs", *words, "--json").document
    assert set(added["lengths"]) == {"token", "segment", "position", "sum"} and added["positions"] == "learned"
    assert len(added["lengths"]["sum"]) == len(added["tokens"]) == len(found["tokens"])
    assert added["positions_alike"][3][3] == pytest.approx(1, abs=1e-5) and sum(added["shares"]) <= 1.0001
    one = lab("similarity", "--run", place / "gpt", "--text", "a", "--json").document
    assert one["two_tokens"] == [None, None] or len(one["tokens"]) > 1


def test_the_steps_of_a_head_hold_its_map(place: Path) -> None:
    words = ("--run", place / "gpt", "--text", "the cat sat", "--head", "1.2")
    found = lab("steps", *words, "--json").document
    maps = lab("attention", *words[:4], "--json").document["maps"]
    sent = found["matrices"]
    assert torch.allclose(torch.tensor(sent["weights"]), torch.tensor(maps[0][1]), atol=1e-6) and found["off"] < 1e-4
    assert sent["masked"][0][1] is None and sent["masked"][1][0] is not None  # minus infinity is no number in JSON
    assert [step["makes"] for step in found["steps"]][-1] in sent
    text = lab("steps", *words).out
    assert "softmax" in text and "apart" in text and "weights" in text


def test_benchmarks_are_listed() -> None:
    found = lab("bench", "--json").document["benchmarks"]
    assert "mlm_training" in [row["name"] for row in found] and set(found[0]) == {"name", "title", "summary"}


def test_app_opens_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[bool] = []
    monkeypatch.setitem(sys.modules, "lab.ui.app", SimpleNamespace(launch=lambda announce: opened.append(True)))  # type: ignore
    assert lab("app").code == 0 and opened == [True]


def refused(done: Done, said: str) -> None:
    """Exit code 2, nothing on standard output, one sentence on standard error."""
    assert done.code == 2 and done.out == "", done
    assert said in done.err and done.err.startswith("error: ")
    assert done.err.count("\n") == 1 and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lisst", "did you mean 'list'"),
        ("list modles", "did you mean 'models'"),
        ("list models more", "does not know 'more'"),
        ("params", "either a published model"),
        ("params bert-bas-uncased", "did you mean 'bert-base-uncased'"),
        ("params --model brt", "did you mean 'bert'"),
        ("params --model bert --width 50", "width 50 is not a multiple of heads 4"),
        ("params --model bert --width nan", "width must be a finite number"),
        ("params --model bert --width wide", "width must be a number, not 'wide'"),
        ("params --model bert --widht 64", "did you mean '--width'"),
        ("params --model bert --vocab 0", "vocab must lie between 1"),
        ("pretrain", "choose what to train with --model"),
        ("pretrain --model bert", "either steps or seconds"),
        ("pretrain --model bert --steps 5 --minutes 1", "either steps or seconds"),
        ("pretrain --model bert --steps 0", "steps 0 is below 1"),
        ("pretrain --model bert --minutes 0.001", "--minutes must lie between 0.017 and 16,666, not at 0.001"),
        ("params gpt2 --rows 7", "--rows belongs to --cost or --measure"),
        ("params gpt2 --cost --threads 2", "--threads belongs to --measure"),
        ("params gpt3-175b --cost --measure", "more than this machine has"),
        ("pretrain --model gpt --steps 5 --neighbours {}/bert", "leave --neighbours out"),
        ("pretrain --model bert --steps 1.5", "steps must be a whole number"),
        ("pretrain --model bert --steps 5 --learning-rate nan", "learning rate must be a finite number"),
        ("pretrain --model bert --steps 5 --learning-rate inf", "learning rate must be a finite number"),
        ("pretrain --model bert --steps 5 --objective-share 2", "share 2 is above 1"),
        ("pretrain --model bert --steps 5 --mask .9 --random .9", "add up to more than 1"),
        ("pretrain --model bert --steps 5 --objective mml", "did you mean 'mlm'"),
        ("pretrain --model bert --steps 5 --objective nsp", "is a sentence pair objective"),
        ("pretrain --model bert --steps 5 --pair mlm", "cannot stand beside"),
        ("pretrain --model gpt --steps 5 --pair nsp", "needs a model that has: segments"),
        ("pretrain --model gpt --tokenizer bytes --vocab 350", "the tokenizer bytes has no vocabulary size"),
        ("pretrain --model bert --steps 5 --vocab 100", "vocabulary 100 is below 262"),
        ("pretrain --model bert --steps 5 --seed x", "--seed must be a number, not 'x'"),
        ("pretrain --model bert --steps 5 --device tpu", "device cannot be 'tpu'"),
        ("pretrain --model bert --steps", "expected one argument"),
        ("pretrain --model bert --steps 5 --corpus town_eng", "did you mean 'town_en'"),
        ("pretrain --model bert --steps 5 --corpus {}/empty.txt", "is empty"),
        ("pretrain --model bert --steps 5 --corpus {}/blank.txt", "is empty"),
        ("pretrain --model bert --steps 5 --corpus {}/binary.txt", "is a binary file"),
        ("pretrain --model bert --steps 5 --corpus {}/strange.txt", "encoding of"),
        ("pretrain --model bert --steps 5 --corpus {}/folder", "holds no .txt or .md file"),
        ("pretrain --model bert --steps 5 --corpus {}/short.txt", "fewer than one context of 32"),
        ("pretrain --model ngram --steps 5 --packing full_sentences", "leave --packing out"),
        ("pretrain --model ngram --steps 5 --learning-rate 0.5", "a model that counts has no learning-rate"),
        ("pretrain --model gpt --steps 5 --schedule constant --floor 0.5", "a constant schedule has no floor"),
        ("pretrain --model bert --steps 5 --tokenizer word", "there is no tokenizer in 'word'"),
        ("pretrain --model bert --steps 5 --tokenizer {}/broken", "not a tokenizer that the lab has kept"),
        ("pretrain --model bert --steps 5 --out {}/bert", "go on with --resume"),
        ("pretrain --model bert --steps 5 --out {}/folder", "is not empty"),
        ("pretrain --resume {}/nothing", "there is no run"),
        ("finetune --run {}/nothing --data town_en", "there is no run"),
        ("finetune --run {}/bert --data {}/wrong.csv --steps 1", "there is no column 'label'"),
        ("finetune --run {}/bert --data {}/feelings.csv --label-column mood", "there is no column 'mood'"),
        ("finetune --run {}/bert --data {}/one.csv --steps 1", "at least 2 classes"),
        ("finetune --run {}/bert --data {}/story.txt --steps 1", "there is no column 'text'"),
        ("evaluate --run {}/tuned --stride 5", "leave the stride out"),
        ("finetune --run {}/bert --task tag --data town_en", "there is no task 'tag'"),
        ("evaluate --run nothing", "there is no run 'nothing'"),
        ("evaluate --run {}/gpt --corpus {}/letter.txt", "to be checked on"),
        ("answer --run {}/tuned --text=", "type some text first"),
        (
            "pretrain --model gpt --objective mlm --objective clm --share 0.5 --steps 5",
            "does not know '--share'",
        ),
        ("fill --run {}/bert --text plain", "there is no [MASK] in the text"),
        ("fill --run {}/bert --text " + "cat" * 200 + "[MASK]", "every [MASK] of the text is behind"),
        ("pretrain --model gpt --width 16384 --depth 90 --steps 2", "of memory, and this machine can give"),
        ("fill --run {}/gpt --text [MASK]", "ask it to generate instead"),
        ("fill --run {}/bert --text [MASK] --best 0", "best 0 is below 1"),
        ("generate --run {}/bert --prompt a", "not to continue a text"),
        ("generate --run {}/gpt --prompt 中文", "knows none of these characters"),
        ("generate --run {}/gpt --sampler topk", "did you mean 'top_k'"),
        ("generate --run {}/gpt --sampler top_k:n=3", "there is no setting 'n'"),
        ("generate --run {}/gpt --sampler top_k:0", "k 0 is below 1"),
        ("generate --run {}/gpt --sampler temperature:nan", "must be a finite number"),
        ("generate --run {}/gpt --sampler greedy:3", "has no settings"),
        ("generate --run {}/gpt --tokens 0", "tokens must lie between 1 and 1,000,000, not at 0"),
        (f"generate --run {{}}/gpt --samples {10**22}", "samples must lie between 1 and 1,000"),
        ("attention --run {}/gpt --text=", "type some text first"),
        ("lens --run {}/gpt --text=", "type some text first"),
        *(
            (f"{name} --run {{}}/bert --text=", "type some text first")
            for name in ("attention", "similarity", "inputs")
        ),
        ("steps --run {}/bert --text= --head 1.1", "type some text first"),
        ("similarity --run {}/bert --text a --kind cross", "no layers of the kind"),
        ("steps --run {}/bert --text a --head 1.9", "--head 1.9: a layer has 2 heads"),
        ("steps --run {}/bert --text a --head 9.1", "--head 9.1: there"),
        ("steps --run {}/bert --text a --head one", "give layer and head"),
        ("steps --run {}/bert --text a --head 0.1", "give layer and head"),
        ("inputs --run {}/bert --text a --kind middle", "no layers of the kind"),
        ("corrupt --objective mlm --text=", "type some text first"),
        ("corrupt --objective mlm --text a --share nan", "share must be a finite number"),
        ("corrupt --text a", "required: --objective"),
        ("tokenizer", "required: train|encode"),
        ("tokenizer encode --tokenizer {}/nothing --text a", "there is no tokenizer in"),
        ("tokenizer train --kind byte_bpe --corpus {}/empty.txt --out {}/x", "is empty"),
        ("tokenizer train --kind byte_bpee --out {}/x", "did you mean 'byte_bpe'"),
        ("tokenizer train --out {}/bert", "there is a tokenizer.json in"),
        ("tokenizer import {}/bert --out {}/bert", "there is a tokenizer.json in"),
        ("runs show nothing", "there is no run 'nothing'"),
        ("runs show bert-tow", "did you mean 'bert-town'"),
        ("pretrain --model BERT --steps 2", "did you mean 'bert'"),
        ("pretrain --model distilbert --steps 2 --teacher=", "--teacher is empty: give it a value, or leave it out"),
        ("tokenizer train --out=", "--out is empty"),
        ("pretrain --model bert --steps 2 --sharded", "which torchrun starts"),
        ("pretrain --model bert --steps 2 --out {}/short.txt", "is a file: name a folder"),
        ("tokenizer train --out {}/short.txt", "is a file: name a folder"),
        ("tokenizer train --out {}/short.txt/new/kept", "short.txt is a file: name a folder"),
        ("pretrain --model bert --steps 2 --out {}/short.txt/new", "short.txt is a file: name a folder"),
        ("export --run {}/bert --to {}/empty.txt", "is a file: name a folder"),
        ("import {}/folder --to {}/empty.txt", "is a file: name a folder"),
        ("finetune --run {}/bert --data {}/feelings.csv --test {}/wrong.csv", "in the test file: there is no column"),
        ("finetune --run {}/bert --data hf://datasets/a/b", "the corpus hub holds no labels"),
        ("import {}/folder --revision main", "leave --revision out"),
        ("import {}/bert", "is a run of the lab already"),
        ("claim depth --deep 1 --shallow 4 --seeds 2", "deep must be more layers than shallow"),
        ("claim masking_rate --high 0.1 --low 0.2 --seeds 2", "high must be above low"),
        ("runs shwo x", "there is no 'shwo' for list|show|stop|resume|delete; did you mean 'show'?"),
        ("bench mlm_trainin", "did you mean 'mlm_training'"),
        ("bench mlm_training --warm 60", "leaves too few of the 30 steps"),
    ],
)
def test_a_mistake_is_answered_in_one_sentence(mistakes: Path, line: str, said: str) -> None:
    refused(lab(*(word.replace("{}", str(mistakes)) for word in line.split())), said)


@pytest.fixture(scope="module")
def mistakes(place: Path) -> Path:
    """Files that somebody might give the lab."""
    for name, data in {
        "empty.txt": b"",
        "blank.txt": b" \n\t\n",
        "binary.txt": bytes(range(256)) * 40,
        "strange.txt": "caf\xe9 na\xefve \xff\xfe".encode("latin-1") * 50,
        "short.txt": b"Too short.",
        "letter.txt": b"a",
        "wrong.csv": b"text,feeling\nfine,good\nbad,bad\n",
        "one.csv": b"text,label\nfine,good\nwell,good\n",
        "folder/picture.png": b"\x89PNG",
        "broken/tokenizer.json": b'{"kind": "byte_bpe", "tokenizer": {}}',
    }.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(data)
    return place


def test_a_run_that_could_not_begin_leaves_no_folder_behind(mistakes: Path) -> None:
    out = mistakes / "again"
    for corpus in ("short.txt", "empty.txt"):
        words = ("--model", "bert", "--steps", 2, "--corpus", mistakes / corpus, "--out", out)
        assert lab("pretrain", *words).code == 2 and not out.exists()


def test_a_run_that_cannot_go_on_keeps_what_it_has(mistakes: Path) -> None:
    file = mistakes / "moved.txt"
    file.write_bytes((mistakes / "story.txt").read_bytes())
    folder = RunFolder.create(plan(corpus="file", corpus_settings={"path": str(file)}), mistakes / "kept-run")
    file.unlink()
    refused(lab("pretrain", "--resume", folder.path), "there is no file")
    assert folder.run.corpus == "file" and folder.status() == "failed"


def test_a_file_is_not_looked_for_on_the_hub(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    (place / "model.txt").write_text("no folder", "utf-8")
    refused(lab("import", "model.txt"), "neither a folder nor a model on the Hub")


def test_a_file_that_cannot_be_written_is_a_sentence(place: Path) -> None:
    done = lab("attention", "--run", place / "bert", "--text", "a", "--out", place / "story.txt" / "maps.safetensors")
    assert done.code == 2 and "story.txt" in done.err and done.err.count("\n") == 1


def test_the_benchmark_says_what_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused(lab("bench", "mlm_training"), "needs transformers and accelerate")


def test_standard_output_of_a_process_is_one_document_and_the_progress_is_elsewhere(place: Path) -> None:
    words = ("--model", "bert", "--steps", 3, "--vocab", 300, *TINY, "--out", place / "own", "--json")
    started = process("pretrain", *words)
    out, err = started.communicate(timeout=120)
    assert started.returncode == 0 and set(json.loads(out)) == RESULT
    assert "bert mlm: 100%" in err and "Traceback" not in err


def test_a_mistake_in_a_process_exits_with_2() -> None:
    started = process("params", "--model", "bert", "--width", "50")
    out, err = started.communicate(timeout=120)
    assert started.returncode == 2 and out == ""
    assert err == "error: width 50 is not a multiple of heads 4\n"


def test_ctrl_c_saves_says_how_to_go_on_and_exits_with_130(place: Path) -> None:
    folder = RunFolder(place / "long")
    started = process(
        "pretrain", "--model", "bert", "--steps", 300, "--vocab", 300, *TINY, "--out", folder.path, "--json"
    )
    until = time.monotonic() + 90
    while not any(record["step"] > 3 for record in MetricsLog(folder.path / "metrics.jsonl").read()[0]):
        assert time.monotonic() < until and started.poll() is None
        time.sleep(0.02)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    result = json.loads(out)
    assert started.returncode == 130 and result["ended"] == "stopped" and 3 < result["steps"] < 300
    assert f"saved after step {result['steps']}; go on with: python -m lab pretrain --resume {folder.path}" in err
    assert "Traceback" not in err and folder.status() == "stopped"
    again = lab("pretrain", "--resume", folder.path, "--json").document
    assert again["ended"] == "finished" and again["steps"] == 300


def test_a_test_on_what_was_learnt_from_says_so(place: Path) -> None:
    data = place / "feelings.csv"
    words = ("finetune", "--run", place / "bert", "--data", data, "--steps", 1, "--batch", 2, "--threads", 1)
    assert "learnt by heart" in lab(*words, "--test", data, "--out", place / "by heart").err


def test_a_second_ctrl_c_says_what_is_kept_and_how_to_go_on(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    folder = RunFolder(place / "in two words")
    words = ("pretrain", "--model", "bert", "--vocab", 300, *TINY)
    monkeypatch.setattr("lab.cli.foreground._learn", interrupted)
    done = lab(*words, "--steps", 3, "--out", folder.path)
    go_on = f"python -m lab pretrain --resume '{folder.path}'"  # as a shell takes it
    assert done.code == 130 and done.err == f"interrupted before a save; go on with: {go_on}\n"
    monkeypatch.undo()
    assert lab("pretrain", "--resume", folder.path).code == 0
    assert lab("pretrain", "--resume", folder.path).err == "this run has finished already: this is what it came to\n"
    monkeypatch.setattr("lab.cli.foreground._learn", interrupted)
    assert "what was learnt after step 3 is not kept" in lab("pretrain", "--resume", folder.path).err


def test_ctrl_c_inside_torch_waits_until_it_has_returned() -> None:
    interruption = _Interruption()
    with pytest.raises(KeyboardInterrupt):
        interruption(signal.SIGINT, sys._getframe())
    weight = torch.ones((), requires_grad=True)
    weight.register_hook(lambda _: interruption(signal.SIGINT, sys._getframe()))
    weight.backward()  # an error raised inside would end the process
    assert interruption.came


@pytest.mark.parametrize("port", ["abc", "0", "99999999", "-1", "８０"])
def test_a_port_that_cannot_be_is_a_sentence(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    monkeypatch.setenv("GRADIO_SERVER_PORT", port)
    refused(lab("app"), f"must be a whole number from 1 to 65535, not {port!r}")


def test_an_address_where_this_machine_cannot_listen_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nowhere.invalid", "192.0.2.1", "::1", "é" * 70):
        monkeypatch.setenv("GRADIO_SERVER_NAME", name)
        refused(
            lab("app"),
            f"GRADIO_SERVER_NAME must be an IPv4 address of this machine, or 0.0.0.0 for all of them, not {name!r}",
        )
    monkeypatch.delenv("GRADIO_SERVER_NAME")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        monkeypatch.setenv("GRADIO_SERVER_PORT", port)
        refused(lab("app"), f"port {port} is taken")


def test_the_app_says_where_it_is_in_one_document_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = {"CLOZE_LAB_HOME": str(tmp_path), "GRADIO_SERVER_PORT": str(port), "GRADIO_SERVER_NAME": "127.0.0.1"}
    # whoever started the tests may have Ctrl-C ignored
    started = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "app", "--json"],
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stdout is not None and json.loads(started.stdout.readline()) == {"url": f"http://127.0.0.1:{port}/"}
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=200)
    assert (started.returncode, out, err) == (130, "", "interrupted\n")


INTERRUPTIBLE = """
import runpy, signal
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    runpy.run_module("lab", run_name="__main__")
"""


def test_a_benchmark_that_is_told_to_end_tidies_up(monkeypatch: pytest.MonkeyPatch) -> None:
    tidied: list[bool] = []

    def told_to_end(*_: Any) -> None:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)
        finally:
            tidied.append(True)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("lab.bench.bpe_training.indexed", told_to_end)
    done = lab("bench", "bpe_training")
    assert (done.code, done.out, done.err) == (130, "", "interrupted\n")
    assert tidied and signal.getsignal(signal.SIGTERM) is before


LOADING = """
import runpy, signal, sys, time
class Loaded:
    def find_spec(self, name, *_):
        if name == "torch":
            print("loading", flush=True)
            time.sleep(30)
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may have it ignored
sys.meta_path.insert(0, Loaded())
runpy.run_module("lab", run_name="__main__")
"""


def test_ctrl_c_while_the_lab_is_loaded_is_no_error_of_a_library() -> None:
    command = [sys.executable, "-c", LOADING, "pretrain", "--model", "bert", "--steps", "3000"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert started.stdout is not None and started.stdout.readline() == "loading\n"
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, "", "interrupted\n")


def test_an_interruption_anywhere_else_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lab.cli.show.count", interrupted)
    done = lab("params", "--model", "bert")
    assert done.code == 130 and done.err == "interrupted\n" and done.out == ""


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("[enforce fail] can't allocate memory")])
def test_no_memory_left_is_a_sentence(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr("lab.cli.show.count", fails)
    done = lab("params", "--model", "bert")
    assert done.code == 2 and done.err == "error: there is not enough memory for this: choose smaller sizes\n"


def test_what_is_damaged_in_a_run_is_said_and_the_other_runs_stay(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(place / "home"))
    run = place / "home" / "hurt"
    shutil.copytree(place / "gpt", run)
    newest = max((run / "checkpoints").iterdir())
    shutil.copytree(newest, newest.with_name(f"{newest.name} (copy)"))
    assert lab("runs", "list").code == 0 and lab("evaluate", "--run", run).code == 0
    written = (run / "run.json").read_text("utf-8")
    for change, said in ((('"width": 16', '"width": 32'), "not those of the model that run.json"), (("{", "["), "run")):
        (run / "run.json").write_text(written.replace(*change, 1), "utf-8")
        done = lab("evaluate", "--run", run)
        assert done.code == 2 and said in done.err and done.err.count("\n") == 1
    (run / "run.json").write_text(written, "utf-8")
    for folder in (run / "checkpoints").iterdir():
        (folder / "weights.safetensors").write_bytes(b"")
    assert "every checkpoint of the run hurt is damaged" in lab("evaluate", "--run", run).err
    assert f"damaged and passed over: {newest.name}" in lab("pretrain", "--resume", run).err
    (run / "tokenizer.json").unlink()
    assert "tokenizer" in lab("evaluate", "--run", run).err


def test_a_model_that_was_made_elsewhere_is_fine_tuned(place: Path) -> None:
    assert lab("export", "--run", place / "bert", "--to", place / "theirs").code == 0
    assert lab("import", place / "theirs", "--to", place / "again").code == 0
    tune = [
        "--data",
        place / "feelings.csv",
        "--steps",
        1,
        "--batch",
        4,
        "--threads",
        1,
        "--out",
        place / "tuned-again",
    ]
    done = lab("finetune", "--run", place / "again", *tune)
    assert done.code == 0 and done.out.startswith("finished: 1 step in"), done.err


def test_an_export_that_finds_the_disk_full_leaves_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    (place / "there").mkdir()
    monkeypatch.setattr("lab.exchange.export._tokenizer_config", full)  # behind the weights
    for to in ("there", "anew"):
        done = lab("export", "--run", place / "bert", "--to", place / to)
        assert done.code == 2 and "the disk is full" in done.err
    assert not [*(place / "there").iterdir()] and not (place / "anew").exists()


def test_a_killed_run_that_is_told_to_stop_keeps_its_steps(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOZE_LAB_HOME", str(place / "home"))
    run = place / "home" / "killed"
    shutil.copytree(place / "gpt", run)
    (run / "result.json").unlink()
    assert lab("runs", "stop", run).code == 0 and RunFolder(run).document("result.json")["steps"] == 6


def test_an_unexpected_end_of_the_reader_is_no_error(place: Path) -> None:
    command = f"{sys.executable} -m lab attention --run {place / 'bert'} --text 'the cat' --json | head -c 5"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, env=os.environ)
    assert done.stdout == '{"tok' and "Traceback" not in done.stderr


def test_with_standard_error_closed_the_answer_is_alone_on_standard_output(tmp_path: Path) -> None:
    """As where a scheduler starts a command: nothing breaks, and what has no place to be said is not said elsewhere."""
    (tmp_path / "own.txt").write_text("The cat sat on the mat. " * 40)
    learn = f"tokenizer train --kind byte_bpe --vocab 270 --corpus {tmp_path}/own.txt --out {tmp_path}/kept --json"
    for words, code in ((learn, 0), ("glossary nothing of the kind", 2)):
        line = f"{sys.executable} -m lab {words} 2>&- <&-"
        done = subprocess.run(["bash", "-c", line], stdout=subprocess.PIPE, text=True)
        assert done.returncode == code, words
        assert done.stdout == "" if code else json.loads(done.stdout)["vocabulary"] == 270


def test_a_run_that_is_being_trained_is_listed_as_such_and_not_deleted(place: Path) -> None:
    folder = RunFolder.create(plan(), place / "busy")
    steps = train(folder)
    next(steps)
    assert lab("runs", "show", folder.path, "--json").document["status"] == "running"
    refused(lab("runs", "delete", folder.path), "stop the run before deleting it")
    steps.close()
    assert lab("runs", "show", folder.path, "--json").document["status"] == "stopped"


# ---- flags that cannot be meant


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("generate --run RUN --prompt a --groups 3", "give --beams, too"),
        ("generate --run RUN --length-penalty 3", "--length-penalty is of beam search: give --beams, too"),
        ("generate --run RUN --contrastive 0.5 --length-penalty 3", "give --beams, too"),
        ("generate --run RUN --diversity 2", "--diversity is of diverse beam search: give --beams and --groups, too"),
        ("generate --run RUN --beams 2 --diversity 2", "give --groups, too"),
        ("generate --run RUN --candidates 9", "--candidates is of contrastive search: give --contrastive, too"),
        ("generate --run RUN --beams 2 --candidates 9", "give --contrastive, too"),
        ("pretrain --model gpt --minutes 1 --seconds 5", "give --minutes or --seconds, not both"),
        ("finetune --run RUN --data town_en --seconds=5 --minutes 1", "give --minutes or --seconds, not both"),
        ("pretrain --model gpt --steps 1 --vocab 400 --vocabulary=300", "--vocab and --vocabulary set the same thing"),
        ("pretrain --model bert --steps 1 --share .2 --objective-share .3", "set the same thing: give one of them"),
        ("finetune --run RUN --data town_en --corpus town_zh", "--data and --corpus set the same thing"),
        ("tokenizer train --out x --vocab 400 --vocabulary 300", "--vocab and --vocabulary set the same thing"),
        ("generate --run RUN --prompt a --beams 2 --samples 2", "leave --sampler, --samples and --seed out"),
        ("generate --run RUN --prompt a --beams 2 --seed 3", "leave --sampler, --samples and --seed out"),
        ("generate --run RUN --prompt a --beams 2 --length-penalty 400", "--length-penalty: -10 to 10"),
        ("generate --run RUN --prompt a --beams 2 --length-penalty nan", "--length-penalty: -10 to 10"),
        ("evaluate --run RUN --in-context 2 --by-embedding", "give one of"),
        ("evaluate --run RUN --in-context 2 --stride 3", "leave --stride out"),
        ("evaluate --run RUN --corpus town_en --seed 5", "leave --seed out"),
        ("evaluate --run RUN --corpus town_en --task pairs", "--task belongs to --in-context"),
        ("generate --run RUN --prompt a --sampler top_k:k=3,k=4", "k is given twice"),
        ("generate --run RUN --prompt a --sampler temperature:", "'temperature:' lacks a value behind"),
        ("pretrain --model gpt --steps 1 --tokenizer RUN --vocab 400", "the tokenizer is trained already"),
        ("pretrain --model gpt --steps 1 --initial-masking 0.3", "leave --initial-masking out"),
        ("finetune --run RUN --data town_en --initial-masking 0.3", "leave --initial-masking out"),
        ("pretrain --model gpt --steps 1 --optimizer sgd --beta1 0.5", "sgd has no beta1: leave --beta1 out"),
        ("pretrain --model t5 --steps 1 --optimizer adafactor --weight-decay 0.1", "adafactor has no weight-decay"),
        ("finetune --run RUN --data town_en --optimizer adagrad --beta2 0.5", "adagrad has no beta2"),
        ("pretrain --model bert --steps 1 --no-overlap", "modelling has no overlap: leave --no-overlap out"),
        ("pretrain --model gpt --steps 1 --packing full_sentences --overlap", "full_sentences has no overlap"),
        ("pretrain --resume RUN --model gpt", "leave --model out"),
        ("pretrain --resume RUN --steps 40", "leave --steps out"),
        ("pretrain --resume RUN --pinned x", "leave --pinned out"),
        ("pretrain --resume RUN --corpus town_zh", "leave --corpus out"),
        ("pretrain --resume RUN --seed=0", "leave --seed out"),  # though 0 is what a run has unasked
        ("params bert-base-uncased --vocab 5", "has a vocabulary of its own"),
        ("import RUN --gigabytes nan", "is no size above 0"),
        ("corrupt --objective mlm --text a --epoch 1000000000000000000000", "--epoch: 0 to"),
        ("corrupt --objective mlm --text a --row -1", "--row: 0 to"),
        ("corrupt --objective mlm --text a --row 5", "give --packing, too"),
        ("tokenizer encode --tokenizer bytes --text x", "bytes is a kind of tokenizer"),
        ("bench finetune --runs ,", "name the runs to start from"),
        ("bench finetune --budgets 10,99999", "3,600 examples to learn from: a budget cannot be 99,999"),
        ("bench tuning_ways --budgets 99999", "3,600 examples to learn from: a budget cannot be 99,999"),
    ],
)
def test_what_would_be_passed_over_is_refused(words: str, sentence: str, place: Path) -> None:
    refused(lab(*words.replace("RUN", str(place / "gpt")).split()), sentence)


def test_one_value_may_be_given_by_two_flags() -> None:
    words = ("--objective", "mlm", "--text", "the cat sat", "--share", 0.5)
    assert lab("corrupt", *words, "--objective-share=0.5").out == lab("corrupt", *words).out
    refused(lab("corrupt", *words, "--objective-share=0.6"), "--share and --objective-share set the same thing")


def test_an_answer_takes_no_choices_that_its_task_does_not_hold(place: Path) -> None:
    for flag in ("--choice", "--pair"):
        refused(lab("answer", "--run", place / "tuned", "--text", "x", flag, "z"), f"classify takes no {flag}")


def test_what_is_no_utf_8_and_what_no_number_is_said(place: Path) -> None:
    refused(lab("pretrain", "--model", "bert", "--steps", 1, "--pinned", "a \udcff [MASK]"), "is not UTF-8")
    shutil.copytree(place / "tuned", place / "strange")
    (place / "strange" / "result.json").unlink()  # as of a run that has not ended
    MetricsLog(place / "strange" / "metrics.jsonl").write("check", 99, loss=math.inf, accuracy=math.nan)
    measured = lab("runs", "show", place / "strange", "--json").document["validation"]
    assert measured == {"loss": None, "accuracy": None}


def test_an_ended_run_is_shown_as_it_was_measured_at_its_end(place: Path) -> None:
    folder = RunFolder.open(place / "gpt")
    shown = lab("runs", "show", folder.path, "--json").document
    assert shown["validation"] == folder.document("result.json")["validation"]


def test_shorter_rows_leave_the_optimizer_two_numbers_for_each_parameter() -> None:
    cost = lab("params", "gpt2", "--cost", "--length", 64, "--json").document["cost"]
    assert cost["optimizer_bytes"] == 2 * cost["weights_bytes"] == 2 * 4 * 124_439_808


def test_tiny_vocabularies_have_a_cost() -> None:
    for model in ("elmo", "word2vec", "glove", "bert"):
        cost = lab("params", "--model", model, "--vocab", 1, "--cost", "--json").document["cost"]
        assert cost["training_bytes"] > cost["weights_bytes"] > 0
        assert (cost["forward_flops_per_token"] is None) is (model in ("word2vec", "glove"))


def test_neighbours_are_kept_with_a_run_of_that_name_and_not_with_what_is_for_all(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = "--width 16 --context 16 --batch 4 --threads 1 --stories 40".split()
    words = ("pretrain", "--model", "word2vec", "--steps", 3, *shape, "--vocab", 300)
    assert lab(*words, "--out", tmp_path / "vectors").code == 0
    shutil.copytree(tmp_path / "vectors", home() / "named")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert lab("neighbours", "--run", tmp_path / "vectors", "--tokenizer", "named").code == 0
    assert sorted(tmp_path.iterdir()) == before
    known = RunFolder(home() / "named").tokenizer()
    assert known is not None and known.vocabulary.neighbours is not None
    refused(lab("neighbours", "--run", tmp_path / "vectors", "--tokenizer", "bert-town"), "is for all and stays")
    shutil.rmtree(home() / "named")


def test_a_shipped_run_stays_whichever_way_it_is_named(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(place / "gpt", tmp_path / "shipped" / "gpt")
    monkeypatch.setattr("lab.runs.folder.SHIPPED", tmp_path / "shipped")
    (tmp_path / "link").symlink_to(tmp_path / "shipped")
    for name in (tmp_path / "shipped" / ".." / "shipped" / "gpt", tmp_path / "link" / "gpt"):
        refused(lab("runs", "delete", name), "comes with the lab and stays")
        before = (name / "result.json").read_text()
        refused(lab("pretrain", "--resume", name), "comes with the lab and stays")
        assert (name / "result.json").read_text() == before
    assert (tmp_path / "shipped" / "gpt" / "run.json").is_file()
