"""``attention``, ``lens``, ``similarity``, ``steps`` and ``inputs``: what a model does with a text inside.

L layers   H heads   T tokens
"""

import math
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import save as serialized
from torch import Tensor

from lab.analysis.layer_similarity import alignment, between_tokens, cosines
from lab.analysis.preview import nothing_to_read
from lab.analysis.sum_plane import sum_plane
from lab.cli.answer import Answer, table
from lab.cli.chosen import model_flags, model_of
from lab.cli.flags import Parser
from lab.inference import attention_maps
from lab.inference.head_steps import head_steps
from lab.inference.hidden_states import hidden_states
from lab.inference.input_sum import input_sum, positions_alike
from lab.inference.logit_lens import lens as through_the_lens
from lab.inference.model import Trained
from lab.inference.shown import Shown, shown
from lab.settings import SettingsError
from lab.spelling import spellings

_STACKS = "of an encoder-decoder: encoder, decoder or cross (encoder)"


def _text_flags(parser: Parser) -> None:
    model_flags(parser)
    parser.add_argument("--text", required=True, metavar="T", help="the text; what exceeds the context is cut off")


def attention_flags(parser: Parser, words: Sequence[str]) -> None:
    _text_flags(parser)
    parser.add_argument("--kind", metavar="K", help=f"{_STACKS}; of XLNet's gaps: query")
    parser.add_argument("--out", metavar="FILE", help="write the maps into a .safetensors file instead")


def attention(asked: Namespace) -> Answer:
    """The maps of every layer and head: the row looks at the column."""
    if asked.out and Path(asked.out).exists():
        raise SettingsError(
            f"there is {asked.out!r} already: name another file", f"{asked.out!r} 已经存在：请换一个文件名"
        )
    maps = _of_kind(attention_maps.attention(model_of(asked), _text(asked)), asked.kind)
    shape = [*maps.maps.shape]
    document: dict[str, Any] = {"tokens": maps.tokens, "shape": shape}
    if maps.kind:
        document |= {"kind": maps.kind, "lookers": maps.lookers}
    if asked.out:
        path = Path(asked.out)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(serialized({"maps": maps.maps.contiguous()}))
        document["out"] = str(path)
    else:
        document["maps"] = maps.maps.tolist()
    layers, heads, t, _ = shape
    looked = maps.maps.mean(2).argmax(-1)  # (L, H): the token that a head looks at most
    names = _named(maps.tokens)
    rows = [[f"layer {n + 1}", *(names[i] for i in row)] for n, row in enumerate(looked.tolist())]
    head_line = f"{layers} layers, {heads} heads, {t} tokens; the token that each head looks at most:"
    return Answer(document, f"{head_line}\n{table(rows)}" + (f"\nmaps in {asked.out}" if asked.out else ""))


def _of_kind(maps: Sequence[attention_maps.Maps], kind: str | None) -> attention_maps.Maps:
    """The maps that are asked for, else the first."""
    for candidate in maps:
        if kind in (None, candidate.kind):
            return candidate
    kinds = ", ".join(candidate.kind for candidate in maps if candidate.kind)
    raise SettingsError(
        f"there are no maps of kind {kind!r}: "
        + (f"choose {kinds}" if kinds else "this model has one kind, leave it out"),
        f"没有 {kind!r} 类的注意力图：" + (f"请选择 {kinds}" if kinds else "这个模型只有一类，请勿指定"),
    )


def lens_flags(parser: Parser, words: Sequence[str]) -> None:
    _text_flags(parser)


def lens(asked: Namespace) -> Answer:
    """The logit lens: what each layer would say at each place if the model stopped there."""
    trained = model_of(asked)
    read = through_the_lens(trained, _shown(trained, asked))
    tokens = read.tokens if read.what != "class" else ["text"]
    names = _layers(len(read.rank))
    layers = []
    for layer, name in enumerate(names):
        places = zip(read.likeliest[layer].tolist(), read.probability[layer].tolist(), strict=True)
        likeliest = [
            [{"answer": read.answers[number], "probability": share} for number, share in zip(*place_of, strict=True)]
            for place_of in places
        ]
        layers.append(
            {
                "layer": name,
                "likeliest": likeliest,
                "rank": read.rank[layer].tolist(),
                "entropy": read.entropy[layer].tolist(),
            }
        )
    first = [[place_of[0]["answer"] for place_of in layer["likeliest"]] for layer in layers]
    rows = [["", *_named(tokens)], *([name, *_named(row)] for name, row in zip(names, first, strict=True))]
    asks = {"token": "which token belongs there", "next": "which token follows", "replaced": "whether it was replaced"}
    head = f"the likeliest answer of each layer to the question {asks.get(read.what, 'of which class the text is')}:"
    document = {"asks": read.what, "norm": read.norm, "tokens": tokens, "layers": layers}
    return Answer(document, f"{head}\n{table(rows)}")


def similarity_flags(parser: Parser, words: Sequence[str]) -> None:
    _text_flags(parser)
    parser.add_argument("--kind", default="", metavar="K", help=_STACKS)


def similarity(asked: Namespace) -> Answer:
    """How alike the hidden states of a text are from layer to layer, as cosine and as linear CKA."""
    trained = model_of(asked)
    hidden, ids = hidden_states(trained, _shown(trained, asked), _stack(trained, asked.kind))
    mean, apart = cosines(hidden).mean(0), between_tokens(hidden)
    names = _layers(len(hidden))
    document = {
        "tokens": spellings(trained.tokenizer.pieces(ids)),
        "layers": names,
        "cosine": mean.tolist(),
        "alignment": alignment(hidden).tolist(),
        "two_tokens": _finite(apart),
    }
    rows = [[name, *(f"{cosine:.2f}" for cosine in row)] for name, row in zip(names, mean.tolist(), strict=True)]
    if len(ids) > 1:
        rows.append(["two tokens", *(f"{cosine:.2f}" for cosine in apart.tolist())])
    return Answer(document, f"mean cosine of a token's states in two layers:\n{table([['', *names], *rows])}")


def steps_flags(parser: Parser, words: Sequence[str]) -> None:
    _text_flags(parser)
    where = "layer and head, counted from 1, as in 2.3; of an encoder-decoder behind a kind, as in cross.2.3"
    parser.add_argument("--head", required=True, metavar="[K.]L.H", help=where)


def steps(asked: Namespace) -> Answer:
    """Every matrix between a layer's hidden states and the next, of one head."""
    kind, layer, head = _head(asked.head)
    trained = model_of(asked)
    text = _shown(trained, asked)
    try:
        worked = head_steps(trained, text, _stack(trained, kind), layer, head)
    except SettingsError as error:
        raise SettingsError(f"--head {asked.head}: {error.en}", f"--head {asked.head}：{error.zh}") from None
    made = [{"step": step.name, "takes": list(step.takes), "makes": step.makes} for step in worked.steps]
    document = {
        "lookers": worked.lookers,
        "looked": worked.looked,
        "prefix": worked.prefix,
        "steps": made,
        "matrices": {name: _finite(matrix) for name, matrix in worked.matrices.items()},
        "off": worked.off,
    }
    rows = [
        [str(number), step.name, f"{', '.join(step.takes)} → {step.makes}", _shape(worked.matrices[step.makes])]
        for number, step in enumerate(worked.steps, 1)
    ]
    weights = worked.matrices["weights"].tolist()
    columns = [*(f"prefix {place + 1}" for place in range(worked.prefix)), *_named(worked.looked)]
    map_ = [[name, *(f"{w:.3f}" for w in row)] for name, row in zip(_named(worked.lookers), weights, strict=True)]
    end = f"the last step and the model's own hidden states are {worked.off:.1e} apart"
    return Answer(document, f"{table(rows)}\n\nweights:\n{table([['', *columns], *map_])}\n\n{end}")


def inputs_flags(parser: Parser, words: Sequence[str]) -> None:
    _text_flags(parser)
    parser.add_argument("--kind", default="", metavar="K", help=_STACKS)


def inputs(asked: Namespace) -> Answer:
    """The vectors that are added up to what the first layer reads, and how alike positions are."""
    trained = model_of(asked)
    kind = _stack(trained, asked.kind)
    summed = input_sum(trained, _shown(trained, asked), kind)
    vectors = {name: part.double().numpy() for name, part in summed.parts.items()}
    points, shares = sum_plane(vectors)
    lengths = {name: np.linalg.norm(part, axis=1).tolist() for name, part in vectors.items()}
    lengths["sum"] = summed.whole.double().norm(dim=1).tolist()
    alike = positions_alike(trained, kind)
    tokens = spellings(trained.tokenizer.pieces(summed.ids))
    document = {
        "tokens": tokens,
        "positions": summed.way,
        "lengths": lengths,
        "plane": {name: part.tolist() for name, part in points.items()},
        "shares": list(shares),
        "positions_alike": None if alike is None else alike.tolist(),
    }
    rows = [
        [name, *(f"{length:.3f}" for length in row)]
        for name, *row in zip(_named(tokens), *lengths.values(), strict=True)
    ]
    return Answer(document, f"lengths of the vectors that are added up:\n{table([['', *lengths], *rows])}")


def _text(asked: Namespace) -> str:
    """The text. Raises SettingsError where there is none: special tokens alone show nothing."""
    text: str = asked.text
    if not text:
        raise nothing_to_read()
    return text


def _shown(trained: Trained, asked: Namespace) -> Shown:
    return shown(trained, _text(asked))


def _stack(trained: Trained, kind: str) -> str:
    """The kind of maps that is meant; of two stacks the encoder's, where none is named."""
    return kind or ("" if trained.seq2seq is None else "encoder")


def _head(word: str) -> tuple[str, int, int]:
    """Kind, layer and head of "2.3" or "cross.2.3"; the numbers counted from 0."""
    *kind, layer, head = word.split(".") if word.count(".") in (1, 2) else ("", "", "")
    if not (layer.isdecimal() and head.isdecimal() and int(layer) and int(head)):
        raise SettingsError(
            f"--head {word!r}: give layer and head, counted from 1, as in 2.3",
            f"--head {word!r}：请给出层与头（从 1 数起），如 2.3",
        )
    return "".join(kind), int(layer) - 1, int(head) - 1


def _layers(count: int) -> list[str]:
    return ["embedding", *(f"layer {number}" for number in range(1, count))]


def _named(tokens: Sequence[str]) -> list[str]:
    return [token.replace("\n", "⏎") for token in tokens]


def _finite(numbers: Tensor) -> Any:
    """As lists; None for what JSON has no number for: minus infinity, or what cannot be told."""
    if numbers.dim() > 1:
        return [_finite(row) for row in numbers]
    return [number if math.isfinite(number) else None for number in numbers.tolist()]


def _shape(matrix: Tensor) -> str:
    return " × ".join(map(str, matrix.shape))
