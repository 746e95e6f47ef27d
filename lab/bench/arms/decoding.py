"""Both arms of decoding: a model of the lab and its class in transformers, by turns in one process.

The class has the same weights, keeps keys and values and writes by ``generate``. Greedily both must write the same
tokens; of sampled texts it is told how likely the model holds a token, since each arm draws numbers of its own.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from lab.bench.arms.family import same_model
from lab.bench.arms.resting import answer, rest
from lab.bench.turns import turns
from lab.data.corpus import documents_of, trained_tokenizer
from lab.exchange.known import naming_of
from lab.inference.decoding import GREEDY, generate
from lab.inference.model import Trained, build
from lab.inference.reduced_precision import in_precision
from lab.inference.sampler_chain import Chain
from lab.inference.sampling import sample
from lab.inference.weight_layout import arranged
from lab.runs.run import Run

Texts = list[list[int]]  # the ids that were written
TOP = 40
SAMPLED: Chain = [("top_k", {"k": TOP})]
PROMPT = 60  # characters


def main(run: Run, ways: Sequence[tuple[str, int]], tokens: int, rounds: int) -> None:
    """Write in each of the ways, one in each turn, and say how likely the tokens were and how many seconds one took. A
    way is the precision of ours, and how many texts are sampled together, or 0 for one that is written greedily."""
    documents = documents_of(run)
    tokenizer, prompt = trained_tokenizer(run, documents), documents[0].text[:PROMPT]
    size, shape = tokenizer.vocabulary.size, run.settings_of("model")
    model = build(run, size, 0).eval()
    theirs = same_model(model, naming_of(run.model, shape), shape, size).eval()
    theirs.config.use_cache = True
    whole, ids = Trained(run, arranged(model), tokenizer), torch.from_numpy(tokenizer.encode(prompt))[None]
    for precision, samples in ways:
        trained = in_precision(whole, precision)
        arms: dict[str, Callable[[], Texts]] = {
            "ours": partial(ours, trained, prompt, tokens, samples),
            "peer": partial(peer, theirs, ids, tokens, samples, tokenizer.vocabulary.end),
        }
        rest()
        answer(**timed(arms, rounds, partial(likelihood, theirs, ids)), vocabulary=size, prompt=ids.shape[1])


def timed(arms: Mapping[str, Callable[[], Texts]], rounds: int, nats_of: Callable[[Texts], float]) -> dict[str, Any]:
    """Both arms by turns: seconds a token of each round, mean nats a token, and whether they wrote the same."""
    written: dict[str, list[Texts]] = {arm: [write()] for arm, write in arms.items()}  # that first time is not counted
    paces: dict[str, list[float]] = {arm: [] for arm in arms}
    for _, arm in turns(rounds):
        begin = time.perf_counter()
        written[arm].append(arms[arm]())
        paces[arm].append((time.perf_counter() - begin) / sum(map(len, written[arm][-1])))
    nats = {arm: statistics.mean(map(nats_of, each)) for arm, each in written.items()}
    return {"seconds": paces, "nats": nats, "same": written["ours"][0] == written["peer"][0]}


def ours(trained: Trained, prompt: str, tokens: int, samples: int) -> Texts:
    """Texts as the lab writes them."""
    if not samples:
        return [[token.id for token in generate(trained, prompt, GREEDY, tokens)]]
    texts = sample(trained, prompt, [SAMPLED] * samples, range(samples), tokens)
    return [[token.id for token in text] for text in texts]


def peer(model: Any, ids: Tensor, tokens: int, samples: int, end: int) -> Texts:
    """Texts as transformers writes them: what ends one is neither counted nor kept."""
    how = {"do_sample": True, "top_k": TOP, "num_return_sequences": samples} if samples else {"do_sample": False}
    with torch.inference_mode():
        written = model.generate(ids, max_new_tokens=tokens, eos_token_id=end, pad_token_id=end, **how)
    texts: Texts = written[:, ids.shape[1] :].tolist()
    return [text[: text.index(end)] if end in text else text for text in texts]


@torch.inference_mode()
def likelihood(model: Any, ids: Tensor, texts: Sequence[Sequence[int]]) -> float:
    """Nats per written token."""
    nats = []
    for text in texts:
        whole = torch.cat([ids, torch.tensor([text], dtype=torch.int64)], 1)
        scores = model(whole).logits[0, ids.shape[1] - 1 : -1].log_softmax(-1)
        nats += (-scores.gather(-1, whole[0, ids.shape[1] :, None])).flatten().tolist()
    return statistics.mean(nats)


if __name__ == "__main__":
    main(Run(**json.loads(sys.argv[1])), json.loads(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
