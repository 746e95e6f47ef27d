"""safetensors headers: what a folder of weights says that it holds, believed only as far as it can be checked.

safetensors alone: a header of JSON, then the tensors' bytes end to end. Everything that later decides how much memory
is taken is compared with the size of the file here. Nothing in this file needs torch: it runs in a child process.
"""

import json
import math
import os
import re
import stat
from collections import Counter
from pathlib import Path
from typing import Any

from lab.settings import SettingsError

CONFIG, SINGLE, INDEX, TOKENIZER = "config.json", "model.safetensors", "model.safetensors.index.json", "tokenizer.json"
GENERATION = "generation_config.json"
CONFIG_BYTES, HEADER_BYTES = 2**20, 2**24
VOCABULARY = 2_000_000  # more tokens than any published vocabulary has
TOKENIZER_BYTES = 2**26  # the largest published ones have half of it
TENSORS, SHARDS, DIMENSIONS, LONGEST, NAME = 20_000, 1_000, 8, 2**31, 500
# Bytes of a number. Only the floats can become weights; the others may stand in a buffer that nobody needs.
BYTES = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3"), 1),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 2),
    **dict.fromkeys(("U32", "I32", "F32"), 4),
    **dict.fromkeys(("U64", "I64", "F64"), 8),
}
_SHARD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}\.safetensors")


def sized(size: int) -> str:
    """So many bytes, in gigabytes, or in megabytes where those would be none."""
    return f"{size / 1e9:,.1f} GB" if size >= 10**8 else f"{size / 1e6:,.3f} MB"


def look(folder: str, most: int) -> dict[str, Any]:
    """The ``config`` of a folder, what its ``generation`` config says, and its ``tensors``: for each name its file, its
    kind of number and its shape.

    ``most`` is the largest number of bytes that all weights together may have.
    """
    root = Path(folder)
    files = shards(root)
    size = sum(_regular(root / name) for name in files)
    if size > most:
        raise SettingsError(
            f"the weights have {sized(size)}; at most {sized(most)} are read here",
            f"权重共 {sized(size)}，这里最多读取 {sized(most)}",
        )
    tensors: dict[str, list[Any]] = {}
    for name, promised in files.items():
        own = header(root / name)
        for tensor in promised - own.keys():
            raise _error(
                name,
                f"lacks the tensor {_short(tensor)}, which the index promises",
                f"缺少索引中列出的张量 {_short(tensor)}",
            )
        for tensor, facts in own.items():
            if tensor in tensors:
                raise _error(name, f"holds {_short(tensor)} once more", f"重复包含张量 {_short(tensor)}")
            tensors[tensor] = [name, *facts]
    return {"config": config(root), "generation": generation(root), "tensors": tensors}


def config(root: Path) -> dict[str, Any]:
    """The folder's config."""
    return document(root / CONFIG, CONFIG_BYTES)


def generation(root: Path) -> dict[str, Any]:
    """What the folder says besides of writing, if it does: a model is read without it, as in transformers."""
    try:
        return document(root / GENERATION, CONFIG_BYTES)
    except SettingsError:
        return {}


def shards(root: Path) -> dict[str, set[str]]:
    """The folder's files of weights, and the tensors that an index, where there is one, promises in each."""
    if not root.is_dir():
        raise SettingsError(f"there is no folder {str(root)!r}", f"没有文件夹 {str(root)!r}")
    if (root / SINGLE).exists():
        return {SINGLE: set()}
    if not (root / INDEX).exists():
        if (root / "run.json").exists():
            raise SettingsError(
                f"{str(root)!r} is a run of the lab already: give it as --run",
                f"{str(root)!r} 已是本实验室的训练：请用 --run 指定",
            )
        pickled = any([*root.glob("*.bin"), *root.glob("*.pt"), *root.glob("*.ckpt"), *root.glob("*.h5")])
        en = ": other formats can hide programs and are not read" if pickled else ""
        zh = "：其他格式可能藏有程序，不予读取" if pickled else ""
        raise SettingsError(
            f"there are no weights as {SINGLE} in {str(root)!r}{en}", f"{str(root)!r} 中没有 {SINGLE}{zh}"
        )
    places = document(root / INDEX, HEADER_BYTES).get("weight_map")
    if not isinstance(places, dict) or not places:
        raise _error(INDEX, "has no weight_map", "没有 weight_map")
    files: dict[str, set[str]] = {}
    for tensor, name in places.items():
        if not isinstance(name, str) or not _SHARD.fullmatch(name):
            raise _error(
                INDEX,
                f"names the file {_short(name)}, which is no plain name of a file beside it",
                f"中的文件名 {_short(name)} 不是同一文件夹内的普通文件名",
            )
        files.setdefault(name, set()).add(tensor)
    if len(files) > SHARDS:
        raise _error(
            INDEX,
            f"names {len(files):,} files; {SHARDS:,} are the most",
            f"列出了 {len(files):,} 个文件，最多 {SHARDS:,} 个",
        )
    return files


def header(path: Path) -> dict[str, tuple[str, list[int]]]:
    """The tensors of one file: the kind of number and the shape of each, all of it checked against the file's size."""
    size = _regular(path)
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(HEADER_BYTES, size - 8):
            raise _error(path.name, "is cut short or is no safetensors file", "不完整，或不是 safetensors 文件")
        entries = _parsed(file.read(length), path.name)
    entries.pop("__metadata__", None)
    if len(entries) > TENSORS:
        raise _error(
            path.name,
            f"holds {len(entries):,} tensors; {TENSORS:,} are the most",
            f"包含 {len(entries):,} 个张量，最多 {TENSORS:,} 个",
        )
    spans, tensors = [], {}
    for name, entry in entries.items():
        kind, shape, begin, end = _entry(path.name, name, entry)
        spans.append((begin, end))
        tensors[name] = (kind, shape)
    place = 0
    for begin, end in sorted(spans):
        if begin != place:
            raise _error(path.name, "has tensors that overlap, or gaps between them", "中的张量互相重叠或留有空隙")
        place = end
    if place != size - 8 - length:
        raise _error(
            path.name,
            f"is cut short or too long: its tensors take {place:,} bytes and {size - 8 - length:,} are there",
            f"长度不符：张量需要 {place:,} 字节，实际为 {size - 8 - length:,} 字节",
        )
    return tensors


def document(path: Path, most: int) -> dict[str, Any]:
    """A small JSON object from a file."""
    small(path, most)
    return _parsed(path.read_bytes(), path.name)


def small(path: Path, most: int) -> int:
    """The size of a plain file that has at most ``most`` bytes."""
    size = _regular(path)
    if size > most:
        raise _error(path.name, f"has {size:,} bytes; {most:,} are the most", f"有 {size:,} 字节，最多 {most:,} 字节")
    return size


def _entry(file: str, name: str, entry: Any) -> tuple[str, list[int], int, int]:
    if len(name) > NAME or not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise _error(
            file, f"describes the tensor {_short(name)} in no known way", f"对张量 {_short(name)} 的描述无法识别"
        )
    kind, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(kind, str) or kind not in BYTES:
        raise _error(
            file,
            f"has {_short(name)} in the unknown number format {_short(kind)}",
            f"中 {_short(name)} 的数字格式 {_short(kind)} 未知",
        )
    sound = (
        isinstance(shape, list) and len(shape) <= DIMENSIONS and all(type(d) is int and 0 < d < LONGEST for d in shape)
    )
    if not sound:
        raise _error(
            file,
            f"gives {_short(name)} the impossible shape {_short(shape)}",
            f"中 {_short(name)} 的形状 {_short(shape)} 不可能",
        )
    if not isinstance(offsets, list) or len(offsets) != 2 or any(type(n) is not int or n < 0 for n in offsets):
        raise _error(
            file,
            f"puts {_short(name)} at the impossible place {_short(offsets)}",
            f"中 {_short(name)} 的位置 {_short(offsets)} 不可能",
        )
    begin, end = offsets
    if end - begin != math.prod(shape) * BYTES[kind]:
        raise _error(
            file,
            f"gives {_short(name)} {end - begin:,} bytes, which its shape {_short(shape)} does not fill",
            f"中 {_short(name)} 占 {end - begin:,} 字节，与形状 {_short(shape)} 不符",
        )
    return kind, shape, begin, end


def _parsed(raw: bytes, name: str) -> dict[str, Any]:
    """JSON without repeated keys and without NaN."""
    try:
        document = json.loads(
            raw.decode("utf-8-sig"), object_pairs_hook=lambda pairs: _once(pairs, name), parse_constant=_refuse
        )
    except SettingsError:
        raise
    except (ValueError, RecursionError):
        raise _error(name, "is damaged: it is not JSON", "已损坏：不是 JSON") from None
    if not isinstance(document, dict):
        raise _error(name, "is damaged: it is not a JSON object", "已损坏：不是 JSON 对象")
    return document


def _once(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _error(name, f"says {_short(twice)} twice", f"重复定义了 {_short(twice)}")
    return document


def _refuse(word: str) -> None:
    raise ValueError(word)


def _regular(path: Path) -> int:
    """The size of a plain file: a pipe would keep its reader waiting."""
    try:
        facts = os.stat(path)
    except OSError:
        raise SettingsError(
            f"there is no {path.name} in {str(path.parent)!r}", f"{str(path.parent)!r} 中没有 {path.name}"
        ) from None
    if not stat.S_ISREG(facts.st_mode):
        raise _error(path.name, "is no plain file", "不是普通文件")
    return facts.st_size


def _error(file: str, en: str, zh: str) -> SettingsError:
    return SettingsError(f"{file} {en}", f"{file} {zh}")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
