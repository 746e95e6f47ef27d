"""Diverse beam search beside a search over dictionaries, without cache, batch or shortcut."""

import pytest
import torch
from tiny import finished, steps

from lab.inference.beam_search import beam_search, diverse_beam_search
from lab.inference.decoding import continuation, grown
from lab.inference.model import Trained, load

PROMPT = "The cat"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return load(finished(tmp_path_factory.mktemp("run"), model="gpt", training=steps(3)))


def by_the_book(
    trained: Trained, beams: int, groups: int, diversity: float, tokens: int
) -> list[list[tuple[int, ...]]]:
    """The texts that go on in each group after each of so many steps, the best first; none of them may end."""
    start = continuation(trained, PROMPT)
    given = [*start.ids]
    alive: list[dict[tuple[int, ...], float]] = [{(): 0.0} for _ in range(groups)]
    for _ in range(tokens):
        before: list[int] = []
        for number, group in enumerate(alive):
            found = {}
            for text, score in group.items():
                ids = torch.tensor([*given, *text]).numpy()
                logprobs = grown(trained, ids, len(given)).next_logits().log_softmax(-1).tolist()
                for token, logprob in enumerate(logprobs):
                    if token not in start.ends and logprob > -1e9:
                        found[(*text, token)] = score + logprob - diversity * before.count(token)
            best = sorted(found, key=lambda text: -found[text])[:beams]
            alive[number] = {text: found[text] for text in best}
            before += [text[-1] for text in best]
    return [[*group] for group in alive]


@pytest.mark.parametrize(("beams", "groups", "diversity"), [(2, 3, 1.5), (1, 4, 0.7), (3, 2, 0.2), (2, 2, 50.0)])
def test_each_group_keeps_out_of_the_way_of_those_before_it(
    trained: Trained, beams: int, groups: int, diversity: float
) -> None:
    ours = diverse_beam_search(trained, PROMPT, beams, groups, diversity, 4)
    truth = by_the_book(trained, beams, groups, diversity, 3)
    for search, texts in zip(ours, truth, strict=True):
        going = [n for n in search.steps[2] if search.candidates[n].fate == "kept"]
        assert [tuple(search.path(n)) for n in going] == texts


def test_the_last_token_differs_too_and_a_text_has_its_own_probability(trained: Trained) -> None:
    for tokens in (1, 3):
        ours = diverse_beam_search(trained, PROMPT, 1, 3, 50.0, tokens)
        truth = by_the_book(trained, 1, 3, 50.0, tokens)
        assert [search.best[0].ids for search in ours] == [texts[0] for texts in truth]
        for search in ours:
            best = search.best[0]
            assert best.logprob == pytest.approx(sum(each.logprob for each in search.line(best.last)), abs=1e-5)
    again = diverse_beam_search(trained, PROMPT, 1, 2, 0.001, 2)
    first, second = (search.best[0] for search in again)
    assert first.ids == second.ids and first.logprob == second.logprob > second.score * 2


def test_without_diversity_all_groups_find_what_one_finds(trained: Trained) -> None:
    one = beam_search(trained, PROMPT, 3, 6)
    for group in diverse_beam_search(trained, PROMPT, 3, 3, 0.0, 6):
        assert [best.ids for best in group.best] == [best.ids for best in one.best]
        assert [best.score for best in group.best] == pytest.approx([best.score for best in one.best], abs=1e-4)


def test_the_first_group_is_an_ordinary_search_and_the_others_begin_otherwise(trained: Trained) -> None:
    one = beam_search(trained, PROMPT, 2, 6)
    groups = diverse_beam_search(trained, PROMPT, 2, 4, 100.0, 6)
    assert [best.ids for best in groups[0].best] == [best.ids for best in one.best]
    firsts = [search.candidates[n].token for search in groups for n in search.steps[0] if kept(search, n)]
    assert len(firsts) == len({*firsts}) == 8


def kept(search: object, number: int) -> bool:
    return search.candidates[number].fate == "kept"  # type: ignore[attr-defined]
