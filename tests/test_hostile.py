"""Strangers' files: whatever is wrong with them is said in one sentence, quickly, and takes no memory.

Each case plants one thing in a sound folder. None of them may execute, abort, hang or leave anything behind.
"""

import json
import os
import re
import resource
import struct
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from test_exchange import run_of, split_up, suited

from lab.catalog import MODELS
from lab.exchange import headers
from lab.exchange.export import export
from lab.exchange.importing import bring
from lab.exchange.known import naming_for, naming_of, namings
from lab.exchange.naming import Naming
from lab.settings import SettingsError

WEIGHTS, INDEX, CONFIG, TOKENIZER = (
    "model.safetensors",
    "model.safetensors.index.json",
    "config.json",
    "tokenizer.json",
)
TABLE = "bert.embeddings.word_embeddings.weight"
Spoil = Callable[[Path], None]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound")
    return export(run_of(naming_of("bert"), path / "run"), path / "out").folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Iterator[Path]:
    there = tmp_path / "theirs"
    there.mkdir()
    for file in sound.iterdir():
        (there / file.name).write_bytes(file.read_bytes())
    yield there


def raw(header: bytes, data: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if length is None else length) + header + data


def entries(path: Path) -> tuple[dict[str, Any], bytes]:
    whole = path.read_bytes()
    length = struct.unpack("<Q", whole[:8])[0]
    return json.loads(whole[8 : 8 + length]), whole[8 + length :]


def edited(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    """The weights with another header over the same numbers."""

    def spoil(folder: Path) -> None:
        header, data = entries(folder / WEIGHTS)
        header = change(header) or header
        (folder / WEIGHTS).write_bytes(raw(json.dumps(header).encode(), data))

    return spoil


def weights(content: bytes) -> Spoil:
    return lambda folder: (folder / WEIGHTS).write_bytes(content) and None


def tensors(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    """The weights with other numbers under a sound header."""

    def spoil(folder: Path) -> None:
        found = {name: np.array(each) for name, each in load_file(folder / WEIGHTS).items()}
        change(found)
        save_file(found, folder / WEIGHTS)

    return spoil


def config(**values: Any) -> Spoil:
    def spoil(folder: Path) -> None:
        known = json.loads((folder / CONFIG).read_text())
        (folder / CONFIG).write_text(json.dumps(known | values))

    return spoil


def text(file: str, content: str | bytes) -> Spoil:
    raw_ = content if isinstance(content, bytes) else content.encode()
    return lambda folder: (folder / file).write_bytes(raw_) and None


def index(change: Callable[[dict[str, str]], Any]) -> Spoil:
    def spoil(folder: Path) -> None:
        split_up(folder)
        document = json.loads((folder / INDEX).read_text())
        document["weight_map"] = change(document["weight_map"]) or document["weight_map"]
        (folder / INDEX).write_text(json.dumps(document))

    return spoil


def tokenizer(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    def spoil(folder: Path) -> None:
        document = json.loads((folder / TOKENIZER).read_text())
        change(document)
        (folder / TOKENIZER).write_text(json.dumps(document))

    return spoil


def pipe(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    os.mkfifo(folder / WEIGHTS)


def sparse(folder: Path) -> None:
    """Fifty gigabytes of nothing, with a header that fits."""
    size = 50 * 10**9
    header = json.dumps({TABLE: {"dtype": "U8", "shape": [10**9, 50], "data_offsets": [0, size]}}).encode()
    with (folder / WEIGHTS).open("wb") as file:
        file.write(raw(header))
        file.truncate(8 + len(header) + size)


def pickled(folder: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch /tmp/never'\ntR.")


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def shape_of(name: str, shape: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda header: header[name].update(shape=shape) and None


def chained(document: dict[str, Any]) -> None:
    """A normalizer that makes ten characters of each, nine times over."""
    once = {"type": "Replace", "pattern": {"Regex": "."}, "content": "aaaaaaaaaa"}
    document["normalizer"] = {"type": "Sequence", "normalizers": [once] * 9}


ENDLESS = {
    "strategy": {"Fixed": 4 * 10**9},
    "direction": "Right",
    "pad_to_multiple_of": None,
    "pad_id": 0,
    "pad_type_id": 0,
    "pad_token": "[PAD]",
}
ENDLESS_SEARCH = {
    "type": "Split",
    "pattern": {"Regex": "(a+)+$|(x+x+)+y"},
    "behavior": "Isolated",
    "invert": False,
}
ONE = {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}
HEADERS: dict[str, tuple[Spoil, str]] = {
    "an empty file": (weights(b""), "cut short"),
    "seven bytes": (weights(b"1234567"), "cut short"),
    "a header of no length": (weights(raw(b"", b"", 0)), "not JSON"),
    "a header longer than the file": (weights(raw(b"{}", b"", 2**20)), "cut short"),
    "a header of 2^63 bytes": (weights(raw(b"{}", b"", 2**63)), "cut short"),
    "a header over the limit": (weights(raw(b" " * (headers.HEADER_BYTES + 1), b"")), "cut short or is no safetensors"),
    "a header that is no JSON": (weights(raw(b"{'a': 1}")), "not JSON"),
    "a header that is no text": (weights(raw(b"\xff\xfe{}")), "not JSON"),
    "a header that is a list": (weights(raw(b"[]")), "not a JSON object"),
    "a header nested without end": (weights(raw(nested(100_000).encode())), "not JSON"),
    "a million small lists": (weights(raw(b"[" + b"[]," * 5_000_000 + b"1]")), "not a JSON object|more time or memory"),
    "a pickle": (weights(b"\x80\x04cos\nsystem\n"), "cut short"),
    "a GGUF file": (weights(b"GGUF" + bytes(60)), "cut short"),
    "a zip file": (weights(b"PK\x03\x04" + bytes(60)), "cut short"),
    "a tensor twice": (weights(raw(b'{"a": %b, "a": %b}' % ((json.dumps(ONE).encode(),) * 2), bytes(4))), "'a' twice"),
    "a tensor that is a number": (weights(raw(b'{"a": 1}')), "in no known way"),
    "a tensor without offsets": (weights(raw(b'{"a": {"dtype": "F32", "shape": [1]}}')), "in no known way"),
    "a name of a megabyte": (weights(raw(json.dumps({"a" * 10**6: ONE}).encode(), bytes(4))), "in no known way"),
    "twenty thousand tensors and one": (
        weights(raw(json.dumps({f"t{n}": ONE for n in range(headers.TENSORS + 1)}).encode(), bytes(4))),
        "20,000 are the most",
    ),
    "an unknown format of numbers": (edited(lambda h: h[TABLE].update(dtype="F7")), "unknown number format 'F7'"),
    "a format that is a list": (edited(lambda h: h[TABLE].update(dtype=["F32"])), "unknown number format"),
    "a dimension of 2^40": (edited(shape_of(TABLE, [2**40, 0])), "impossible shape"),
    "a dimension below zero": (edited(shape_of(TABLE, [-300, -16])), "impossible shape"),
    "a dimension of nothing": (edited(shape_of(TABLE, [0])), "impossible shape"),
    "a dimension that is a word": (edited(shape_of(TABLE, ["300", 16])), "impossible shape"),
    "a dimension that is a fraction": (edited(shape_of(TABLE, [300.0, 16])), "impossible shape"),
    "a dimension that is a truth": (edited(shape_of(TABLE, [True])), "impossible shape"),
    "a hundred dimensions": (edited(shape_of(TABLE, [1] * 100)), "impossible shape"),
    "a shape whose product overflows": (edited(shape_of(TABLE, [2**30] * 8)), "does not fill"),
    "a shape larger than its bytes": (edited(shape_of(TABLE, [300, 17])), "does not fill"),
    "offsets in reverse": (edited(lambda h: h[TABLE].update(data_offsets=[64, 0])), "does not fill"),
    "offsets below zero": (edited(lambda h: h[TABLE].update(data_offsets=[-4, 0])), "impossible place"),
    "three offsets": (edited(lambda h: h[TABLE].update(data_offsets=[0, 4, 8])), "impossible place"),
    "tensors that overlap": (
        weights(raw(json.dumps({"a": ONE, "b": ONE}).encode(), bytes(4))),
        "overlap, or gaps",
    ),
    "a gap before the first tensor": (
        weights(raw(json.dumps({"a": ONE | {"data_offsets": [4, 8]}}).encode(), bytes(8))),
        "overlap, or gaps",
    ),
    "a tail that no tensor has": (weights(raw(json.dumps({"a": ONE}).encode(), bytes(9))), "cut short or too long"),
    "a file that was cut in the middle": (
        lambda folder: (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:-1000]) and None,
        "cut short",
    ),
    "fifty gigabytes of nothing": (sparse, "at most 20.0 GB"),
    "a pipe instead of a file": (pipe, "no plain file"),
    "a folder instead of a file": (
        lambda folder: (folder / WEIGHTS).unlink() or (folder / WEIGHTS).mkdir(),
        "no plain file",
    ),
    "a pickle and no safetensors": (pickled, "other formats can hide programs"),
    "no weights at all": (lambda folder: (folder / WEIGHTS).unlink(), "there are no weights"),
}
SHARDS: dict[str, tuple[Spoil, str]] = {
    "a path upwards": (index(lambda m: {**m, TABLE: "../../model.safetensors"}), "no plain name"),
    "a path from the root": (index(lambda m: {**m, TABLE: "/etc/x.safetensors"}), "no plain name"),
    "a path of Windows": (index(lambda m: {**m, TABLE: "C:\\x.safetensors"}), "no plain name"),
    "a path with a backslash": (index(lambda m: {**m, TABLE: "..\\x.safetensors"}), "no plain name"),
    "a path into a folder": (index(lambda m: {**m, TABLE: "a/x.safetensors"}), "no plain name"),
    "a hidden file": (index(lambda m: {**m, TABLE: ".x.safetensors"}), "no plain name"),
    "a name with a nought": (index(lambda m: {**m, TABLE: "x\0.safetensors"}), "no plain name"),
    "another kind of file": (index(lambda m: {**m, TABLE: "config.json"}), "no plain name"),
    "a number as a name": (index(lambda m: {**m, TABLE: 7}), "no plain name"),
    "a file that is not there": (index(lambda m: {**m, TABLE: "gone.safetensors"}), "there is no gone.safetensors"),
    "a tensor in the wrong file": (
        index(lambda m: {**m, TABLE: next(f for f in m.values() if f != m[TABLE])}),
        "which the index promises",
    ),
    "more files than any model has": (
        index(lambda m: {f"t{n}": f"m{n}.safetensors" for n in range(headers.SHARDS + 1)}),
        "1,000 are the most",
    ),
    "no map": (index(lambda m: ["x"]), "no weight_map"),
}
NUMBERS: dict[str, tuple[Spoil, str]] = {
    "a number that is none": (tensors(lambda t: t[TABLE].__setitem__((0, 0), np.nan)), "not finite"),
    "a number without end": (tensors(lambda t: t[TABLE].__setitem__((0, 0), -np.inf)), "not finite"),
    "a double too large": (
        tensors(lambda t: t.update({TABLE: t[TABLE].astype(np.float64) + 1e300})),
        "not finite",
    ),
    "whole numbers as weights": (tensors(lambda t: t.update({TABLE: t[TABLE].astype(np.int64)})), "holds I64"),
    "a matrix on its side": (tensors(lambda t: t.update({TABLE: t[TABLE].T.copy()})), "cannot make stack.embed.tokens"),
    "a vector for a matrix": (tensors(lambda t: t.update({TABLE: t[TABLE].reshape(-1)})), "cannot make"),
    "a matrix for a vector": (
        tensors(lambda t: t.update({"cls.predictions.bias": np.zeros((300, 1), np.float32)})),
        "cannot make head.bias",
    ),
    "markup as a name": (tensors(lambda t: t.update({"<img src=x onerror=alert(1)>": t[TABLE]})), "has no place"),
    "a path as a name": (tensors(lambda t: t.update({"../../etc/passwd": t[TABLE]})), "has no place"),
}
CONFIGS: dict[str, tuple[Spoil, str]] = {
    "no JSON": (text(CONFIG, "{"), "not JSON"),
    "a list": (text(CONFIG, "[1]"), "not a JSON object"),
    "nested without end": (text(CONFIG, nested(100_000)), "not JSON"),
    "NaN": (text(CONFIG, '{"model_type": NaN}'), "not JSON"),
    "a number of a million digits": (text(CONFIG, '{"a": ' + "9" * 10**6 + "}"), "not JSON"),
    "two megabytes": (text(CONFIG, " " * 2**21), "1,048,576 are the most"),
    "a key twice": (text(CONFIG, '{"model_type": "bert", "model_type": "gpt2"}'), "'model_type' twice"),
    "an unknown architecture": (config(model_type="evil" * 1000), "does not know the model_type"),
    "no architecture": (config(model_type=None), "it has no model_type"),
    "a list as an architecture": (config(model_type=["bert"]), "does not know the model_type"),
    "a huge width": (config(hidden_size=2**31), "width 2,147,483,648 is above"),
    "a huge depth": (config(num_hidden_layers=10**5), "depth 100,000 is above"),
    "a huge context": (config(max_position_embeddings=2**40), "context 1,099,511,627,776 is above"),
    "a huge vocabulary": (config(vocab_size=2**31), "vocab_size is 2147483648"),
    "sizes that the file does not have": (config(hidden_size=16384, intermediate_size=65536), "cannot make"),
    "a width below nothing": (config(hidden_size=-16), "width -16 is below"),
    "a width of nothing": (config(hidden_size=0), "width 0 is below"),
    "a width that is a word": (config(hidden_size="768"), "width must be a number"),
    "a width that is a list": (config(hidden_size=[16] * 1000), "config's hidden_size is \\[16, 16"),
    "a width that the heads do not divide": (config(num_attention_heads=3), "not a multiple of heads 3"),
    "a vocabulary that is a truth": (config(vocab_size=True), "vocab_size is True"),
    "no vocabulary": (config(vocab_size=None), "vocab_size is None"),
    "another activation": (config(hidden_act="relu"), "hidden_act 'relu'"),
    "a novel as an activation": (config(hidden_act="x" * 10**5), "hidden_act 'xxx"),
}
TOKENIZERS: dict[str, tuple[Spoil, str]] = {
    "none": (lambda folder: (folder / TOKENIZER).unlink(), "holds neither tokenizer.json nor"),
    "no JSON": (text(TOKENIZER, "{"), "damaged, or of a kind"),
    "an empty object": (text(TOKENIZER, "{}"), "damaged, or of a kind"),
    "nested without end": (text(TOKENIZER, nested(100_000)), "damaged, or of a kind"),
    "a hundred megabytes": (lambda folder: os.truncate(folder / TOKENIZER, 10**8), "67,108,864 are the most"),
    "padding to four milliards": (tokenizer(lambda d: d.update(padding=ENDLESS)), ""),
    "no model": (tokenizer(lambda d: d.pop("model") and None), "damaged, or of a kind"),
    "an unknown model": (tokenizer(lambda d: d["model"].update(type="Evil")), "damaged, or of a kind"),
    "merges of nothing": (
        tokenizer(lambda d: d["model"].update(merges=[["nothing", "there"]])),
        "damaged, or of a kind",
    ),
    "a normalizer that multiplies": (tokenizer(chained), "64 times as long"),
    "an expression that never ends": (
        tokenizer(
            lambda d: d.update(
                pre_tokenizer={
                    "type": "Split",
                    "pattern": {"Regex": "(a+)+$|(x+x+)+y"},
                    "behavior": "Isolated",
                    "invert": False,
                }
            )
        ),
        "",
    ),
    "more tokens than the model knows": (config(vocab_size=299), "cannot make|has 300 tokens and the model knows 299"),
    "a token with a huge number": (
        tokenizer(lambda d: d["model"]["vocab"].update(huge=2**31)),
        "id 2,147,483,648|more time or memory",
    ),
    "a negative number": (tokenizer(lambda d: d["model"]["vocab"].update(minus=-1)), "damaged, or of a kind"),
}
EVERY = {"headers": HEADERS, "shards": SHARDS, "numbers": NUMBERS, "configs": CONFIGS, "tokenizers": TOKENIZERS}
CASES = [pytest.param(*case, id=f"{kind}: {name}") for kind, cases in EVERY.items() for name, case in cases.items()]


@pytest.mark.parametrize(("spoil", "said"), CASES)
def test_what_is_wrong_is_said_in_one_sentence_and_nothing_is_left(
    folder: Path, tmp_path: Path, spoil: Spoil, said: str
) -> None:
    spoil(folder)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    if not said:  # the library bears it: then it must simply not hang
        bring(folder, tmp_path / "run")
        return
    with pytest.raises(SettingsError) as raised:
        bring(folder, tmp_path / "run")
    assert re.search(said, raised.value.en), raised.value.en
    for sentence in (raised.value.en, raised.value.zh):
        assert "\n" not in sentence and 0 < len(sentence) < 700
    assert any("一" <= character <= "鿿" for character in raised.value.zh)
    assert not (tmp_path / "run").exists()
    assert time.process_time() - began < 5
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 512 * 1024 and resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2**20 * 1024


STRANGE = (None, True, -1, 0, 1, 2**70, 1e308, 0.5, "", "x" * 1000, [], [[]], {}, {"rope_type": {}}, {"factor": "x"})


@pytest.mark.parametrize("naming", [pytest.param(each, id=f"{each.kind} {each.tokens}") for each in namings()])
def test_no_value_of_a_config_gives_more_than_a_sentence(naming: Naming) -> None:
    settings = MODELS[naming.model].settings
    sound = naming.config(settings.load(suited(naming)), 300)
    assert naming.shape(sound) and naming.size(sound) == 300
    for key in sound:
        for value in STRANGE:
            config = sound | {key: value}
            try:
                naming_for(config)
                naming.shape(config)
                naming.size(config)
            except SettingsError as error:
                assert 0 < len(error.en) < 700 and "\n" not in error.en


def test_there_are_as_many_cases_as_promised() -> None:
    assert len(CASES) >= 100
