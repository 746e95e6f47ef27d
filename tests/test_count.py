"""Parameter counts are those of the published models, to the last one."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from lab.analysis.count import ASSETS, count, count_published, kept_counts, published, published_names, tensors
from lab.catalog import MODELS
from lab.settings import SettingsError

ALL_COUNTS = Path(__file__).parents[2] / "shared" / "reference" / "param_counts.json"

# name: (bare model, with pooler or None, with pretraining heads), (embeddings, norms, attention, ffn, heads)
KNOWN = {
    "bert-base-uncased": ((108891648, 109482240, 110106428), (23835648, 38400, 28348416, 56669184, 1214780)),
    "bert-base-chinese": ((101677056, 102267648, 102882442), (16621056, 38400, 28348416, 56669184, 1205386)),
    "bert-base-multilingual-uncased": (
        (166765824, 167356416, 168055961),
        (81709824, 38400, 28348416, 56669184, 1290137),
    ),
    "bert-large-cased": ((332529664, 333579264, 334661958), (30218240, 100352, 100761600, 201449472, 2132294)),
    "hfl/chinese-macbert-large": ((324472832, 325522432, 326597258), (22161408, 100352, 100761600, 201449472, 2124426)),
    "google/bert_uncased_L-2_H-128_A-2 (BERT-tiny)": (
        (4369408, 4385920, 4433468),
        (3972608, 1280, 132096, 263424, 64060),
    ),
    "roberta-base": ((124055040, 124645632, 124697433), (38999040, 38400, 28348416, 56669184, 642393)),
    "roberta-large": ((354310144, 355359744, 355412057), (51998720, 100352, 100761600, 201449472, 1101913)),
    "albert-base-v1": ((11092992, 11683584, 11813810), (4004864, 3328, 2362368, 4722432, 720818)),
    "albert-xlarge-v2": ((54528512, 58724864, 59021490), (4169984, 8448, 16785408, 33564672, 4492978)),
    "albert-xxlarge-v1": ((205814272, 222595584, 223158450), (4434176, 16640, 67125248, 134238208, 17344178)),
    "distilbert-base-uncased": ((66362880, None, 66985530), (23834112, 19968, 14174208, 28334592, 622650)),
    "microsoft/deberta-base": ((138601728, None, 139244121), (38603520, 38400, 43290624, 56669184, 642393)),
    "microsoft/deberta-large": ((405163008, None, 406264921), (51471360, 100352, 152141824, 201449472, 1101913)),
    "microsoft/deberta-v2-xlarge": ((884593152, None, 887085156), None),
    "microsoft/deberta-v3-base": ((183831552, None, 184551780), (98380800, 39936, 28741632, 56669184, 720228)),
    "microsoft/mdeberta-v3-base": ((278218752, None, 279061880), (192768000, 39936, 28741632, 56669184, 843128)),
    "openai-gpt": ((116534784, None, 116534784), (31480320, 36864, 28348416, 56669184, None)),
    "xlnet-base-cased": ((116718336, None, 116750336), (24576768, 36864, 35435520, 56669184, 32000)),
    "xlnet-large-cased": ((360268800, None, 360300800), None),
    "gpt2": ((124439808, None, 124439808), (39383808, 38400, 28348416, 56669184, None)),
    "gpt2-large": ((774030080, None, 774030080), (65639680, 186880, 236113920, 472089600, None)),
    "gpt2-xl": ((1557611200, None, 1557611200), None),
    "gpt3-large": ((760300032, None, 760300032), (80340480, 150528, 226639872, 453169152, None)),
    "gpt3-xl": ((1315723264, None, 1315723264), (107120640, 200704, 402849792, 805552128, None)),
    "gpt3-13b": ((12952938780, None, 12952938780), None),  # four squares of the printed width in each attention
    "llama-2-70b": ((68714504192, None, 68976648192), (262144000, 1318912, 12079595520, 56371445760, 262144000)),
    "llama-3.2-1b": ((1235814400, None, 1235814400), (262668288, 67584, 167772160, 805306368, None)),
    "mistral-7b": ((7110660096, None, 7241732096), (131072000, 266240, 1342177280, 5637144576, 131072000)),
    "glm-4-9b": ((8779194368, None, 9399951360), (620756992, 331776, 1426247680, 6731857920, 620756992)),
    "GLM-4-9B-0414": ((8779337728, None, 9400094720), (620756992, 659456, 1426063360, 6731857920, 620756992)),
    "t5-small": ((60506624, None, 60506624), (16449536, 16384, 18874880, 25165824, None)),
    "t5-11b": ((11307321344, None, 11307321344), (32899072, 124928, 4831846400, 6442450944, None)),
    "glm-large": ((334688256, None, 334688256), (32376832, 100352, 100761600, 201449472, None)),
    "facebook/bart-base": ((139420416, None, 139420416), (40182528, 46080, 42522624, 56669184, None)),
    "facebook/mbart-large-cc25": (
        (610851840, None, 610851840),
        (258132992, 126976, 151142400, 201449472, None),
    ),
    "elmo-original (2x4096_512_2048cnn_2xhighway)": ((93600864, None, None), None),
    "elmo-small (2x1024_128_2048cnn_1xhighway)": ((13593312, None, None), None),
    "word2vec GoogleNews-vectors-negative300": ((900000000, None, None), (900000000, None, None, None, None)),
    "glove.6B.50d": ((20000000, None, None), (20000000, None, None, None, None)),
    "glove.840B.300d": ((658805100, None, None), (658805100, None, None, None, None)),
    "gpt3-175b": ((174604259328, None, 174604259328), (642723840, 4743168, 57986777088, 115970015232, None)),
}


def counted(name: str) -> dict[str, dict[str, int]]:
    return count_published(name)


def named(keys: tuple[str, ...], numbers: tuple[int | None, ...]) -> dict[str, int]:
    return {key: number for key, number in zip(keys, numbers, strict=True) if number is not None}


@pytest.mark.parametrize("name", list(KNOWN))
def test_a_published_model_has_exactly_its_parameters(name: str) -> None:
    params, breakdown = KNOWN[name]
    got = counted(name)
    assert got["params"] == named(("bare_model", "with_pooler", "with_pretraining_heads"), params)
    assert sum(got["breakdown"].values()) == (params[2] or params[0])  # some are published without their heads
    if breakdown is not None:
        assert got["breakdown"] == named(("embeddings", "norms", "attention", "ffn", "heads"), breakdown)


@pytest.mark.skipif(not ALL_COUNTS.exists(), reason="the large table of counts is not here")
def test_every_model_of_the_large_table_has_exactly_its_parameters() -> None:
    table = {row["name"]: row for row in json.loads(ALL_COUNTS.read_text())["models"]}
    names = [name for name in published_names() if name in table]
    assert len(names) >= 48
    for name in names:
        row = table[name]
        wanted = {key: value["params"] for key, value in row["counts"].items()}
        found = counted(name)
        assert found == {"params": wanted, "breakdown": row.get("breakdown", found["breakdown"])}, name


@pytest.mark.parametrize("model", MODELS.names())
def test_the_list_of_tensors_is_that_of_the_model_itself(model: str) -> None:
    entry = MODELS[model]
    sizes = {"width": 16, "depth": 2, "heads": 2, "feed": 24, "context": 9}
    shape = {name: size for name, size in sizes.items() if name in entry.settings.knobs()}
    built = entry.build(entry.settings.load(shape), 50, 2 if entry.pair else 0)
    facts = tensors(model, shape, 50)
    assert {fact.name: fact.shape for fact in facts} == {
        name: tuple(value.shape) for name, value in built.named_parameters()
    }
    assert all(fact.count == math.prod(fact.shape) for fact in facts)
    assert sum(fact.count for fact in facts) == count(model, shape, 50)["params"]["with_pretraining_heads"]


def test_the_untied_head_of_a_published_t5_is_counted_apart_from_the_class_that_ties_it() -> None:
    assert counted("google/t5-v1_1-small")["params"] == {
        "bare_model": 60511616,
        "with_pretraining_heads": 60511616,
        "published_untied": 76961152,
    }


def test_albert_does_not_grow_with_depth_and_bert_does() -> None:
    def whole(model: str, depth: int) -> int:
        return count(model, {"depth": depth}, 1000)["params"]["with_pretraining_heads"]

    assert whole("albert", 1) == whole("albert", 12)
    assert whole("bert", 12) > whole("bert", 1)


@pytest.mark.parametrize(
    ("share", "embedding_width", "millions"),
    [("all", 768, 31), ("attention", 768, 83), ("feed", 768, 57), ("none", 768, 108)]
    + [("all", 128, 12), ("attention", 128, 64), ("feed", 128, 38), ("none", 128, 89)],
)
def test_what_is_shared_gives_the_sizes_of_the_papers_table(share: str, embedding_width: int, millions: int) -> None:
    shape = {
        "width": 768,
        "depth": 12,
        "heads": 12,
        "context": 512,
        "embedding_width": embedding_width,
        "sharing": share,
    }
    params = count("albert", shape, 30_000)["params"]
    widen = (
        768 * 769 if embedding_width == 768 else 0
    )  # transformers has this map whatever the widths; the paper needs none
    low, high = params["bare_model"] - widen, params["with_pretraining_heads"]
    assert low / 1e6 - 0.5 <= millions <= high / 1e6 + 0.5


def test_a_narrow_table_saves_what_the_arithmetic_says() -> None:
    shape = {"width": 128, "embedding_width": 32, "context": 64}
    assert count("albert", shape, 1000)["breakdown"]["embeddings"] == (1000 + 64 + 2) * 32 + 32 * 128 + 128


def test_a_misspelt_name_is_answered_with_the_right_one() -> None:
    with pytest.raises(SettingsError, match="did you mean 'albert-base-v2'"):
        published("albert-base-v3")


def test_what_is_kept_is_what_the_recipes_give() -> None:
    kept = json.loads((ASSETS / "counts.json").read_text())
    assert len(kept) >= 85
    for name, counts in kept.items():
        assert kept_counts(name) == counts == count_published(name), f"{name}: run python -m lab.docs"


@pytest.mark.parametrize(
    ("code", "unused"),
    [
        ("from lab.cli.main import main; main(['params', 'gpt3-175b', '--json'])", {"torch", "gradio"}),
        # torch would load a compiler to fill tensors that have no numbers
        (
            "from lab.analysis.count import *; [count_published(n) for n in published_names()]",
            {"torch._dynamo", "sympy"},
        ),
    ],
)
def test_counting_loads_no_more_than_it_needs(code: str, unused: set[str]) -> None:
    asked = f"{code}; import sys; print({unused} & {{*sys.modules}}, file=sys.stderr)"
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert found.stderr.splitlines()[-1] == "set()"
