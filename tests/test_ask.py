"""Asking a model: what it guesses, writes and looks at is what it computes, and never a token without a text."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from tiny import finished, plan, steps

from lab.batch import Batch, Exercise, collate
from lab.entries import SoFar
from lab.inference import attention_maps, decoding, inputs, predict, sampler_chain
from lab.inference.model import Trained, build, load
from lab.runs import checkpoint
from lab.runs.folder import RunFolder
from lab.settings import SettingsError


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    return load(finished(tmp_path_factory.mktemp("bert")))


@pytest.fixture(scope="module")
def gpt(tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Its weights are spread out, so that what it says depends clearly on what it reads."""
    folder = finished(tmp_path_factory.mktemp("gpt"), model="gpt", training=steps(2))
    trained = load(folder)
    torch.manual_seed(1)
    for parameter in trained.model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return trained


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory, bert: Trained) -> Trained:
    parent = RunFolder(tmp_path_factory.mktemp("parent"))
    finished(parent.path, training=steps(1))
    how = {"kind": "finetune", "task": "classify", "parent": str(parent.path), "training": steps(2)}
    return load(finished(tmp_path_factory.mktemp("classifier"), **how))


def test_each_gap_gets_guesses_from_the_likeliest_down(bert: Trained) -> None:
    gaps = predict.fill(bert, "The [MASK] was [MASK].", best=4)
    assert [len(gap) for gap in gaps] == [4, 4]
    for gap in gaps:
        chances = [guess.probability for guess in gap]
        assert chances == sorted(chances, reverse=True) and 0 < sum(chances) <= 1
        assert all(guess.id >= 6 for guess in gap)


def test_all_guesses_for_a_gap_add_up_to_one(bert: Trained) -> None:
    (gap,) = predict.fill(bert, "a [MASK]", best=10**6)
    assert sum(guess.probability for guess in gap) == pytest.approx(1, abs=1e-5)


def test_a_text_without_a_gap_is_refused_in_words(bert: Trained) -> None:
    for text in ("", "no gap", "[mask]"):
        with pytest.raises(SettingsError, match=r"no \[MASK\]"):
            predict.fill(bert, text)


def test_a_model_is_only_asked_what_it_has_learnt(bert: Trained, gpt: Trained) -> None:
    with pytest.raises(SettingsError, match="generate instead"):
        predict.fill(gpt, "a [MASK]")
    with pytest.raises(SettingsError, match="not to continue"):
        decoding.continuation(bert, "a")
    with pytest.raises(SettingsError, match="not fine-tuned"):
        predict.classify(bert, "a")


def test_what_is_remembered_and_what_is_read_anew_say_the_same(gpt: Trained) -> None:
    text = decoding.continuation(gpt, "The town ")
    context = gpt.context
    for _ in range(3 * context):  # far beyond the context, where the window moves
        remembered = text.next_logits()
        start = text._dropped
        window = torch.tensor([text.ids[start:]])
        batch = Batch(shown=window, visible="causal", asked=torch.tensor([window.shape[1] - 1]))
        with torch.no_grad():
            anew = gpt.model(batch).tokens[0]
        ordinary = gpt.tokenizer.vocabulary.ordinary
        assert torch.allclose(remembered[ordinary], anew[ordinary], atol=2e-4)
        text.add(int(remembered.argmax()))
    assert len(text.ids) - text._dropped <= context


def test_a_token_that_stands_for_no_text_is_never_written(gpt: Trained) -> None:
    end = gpt.tokenizer.vocabulary.end
    finite = torch.isfinite(decoding.continuation(gpt, "a").next_logits()).nonzero().flatten().tolist()
    assert set(finite) == {*gpt.tokenizer.vocabulary.ordinary.tolist(), end}


def test_a_text_is_written_the_same_way_again(gpt: Trained) -> None:
    chain = [("temperature", {"temperature": 1.5})]
    one, two, other = (list(decoding.generate(gpt, "a", chain, 20, seed)) for seed in (1, 1, 2))
    assert one == two != other
    assert all(each.logprob < 0 for each in one)


def test_greedy_writes_the_likeliest_token_whatever_the_luck(gpt: Trained) -> None:
    written = [list(decoding.generate(gpt, "a", [("greedy", {})], 12, seed)) for seed in (1, 2)]
    assert written[0] == written[1]
    if written[0]:
        assert written[0][0].id == int(decoding.continuation(gpt, "a").next_logits().argmax())


def test_an_empty_prompt_begins_a_new_text(gpt: Trained) -> None:
    assert decoding.continuation(gpt, "").ids == [gpt.tokenizer.vocabulary.end]


def test_a_prompt_of_characters_that_the_model_does_not_know_is_refused_in_words(tmp_path: Path) -> None:
    how = {"tokenizer": "char_bpe", "tokenizer_settings": {"vocabulary": 120}}
    trained = load(finished(tmp_path, model="gpt", training=steps(1), **how))
    with pytest.raises(SettingsError, match="knows none of these characters"):
        decoding.continuation(trained, "中文")
    assert decoding.continuation(trained, "中a").ids


def test_luck_falls_on_the_tokens_laid_end_to_end_from_the_likeliest_down() -> None:
    chances = torch.tensor([0.2, 0.5, 0.0, 0.3])
    assert [sampler_chain.draw(chances, luck) for luck in (0.0, 0.49, 0.51, 0.79, 0.81, 0.999999)] == [1, 1, 3, 3, 0, 0]
    assert sampler_chain.draw(torch.tensor([0.0, 1.0, 0.0]), 1 - 2**-53) == 1  # never one that was cut off


def test_samplers_are_applied_in_the_order_given() -> None:
    logits = torch.tensor([2.0, 1.0, 0.0])
    flat, cut = ("temperature", {"temperature": 5.0}), ("top_p", {"p": 0.6})
    assert (sampler_chain.apply_samplers(logits, [cut, flat], SoFar()) > 0).tolist() == [True, False, False]
    assert (sampler_chain.apply_samplers(logits, [flat, cut], SoFar()) > 0).tolist() == [True, True, False]


def test_maps_are_shares_of_attention_and_a_left_to_right_model_looks_back_only(bert: Trained, gpt: Trained) -> None:
    for trained, causal in ((bert, False), (gpt, True)):
        [found] = attention_maps.attention(trained, "The town was quiet.")
        layers, heads, t, s = found.maps.shape
        assert (layers, heads, t) == (1, 2, s) and len(found.tokens) == t
        assert torch.allclose(found.maps.sum(-1), torch.ones(layers, heads, t), atol=1e-5)
        assert (found.maps.triu(1) == 0).all() == causal
    assert found.tokens[0] != "[CLS]" and attention_maps.attention(bert, "The")[0].tokens[0] == "[CLS]"


def test_a_text_longer_than_the_context_is_cut_to_it(bert: Trained, gpt: Trained) -> None:
    for trained in (bert, gpt):
        assert len(attention_maps.attention(trained, "The town was quiet. " * 20)[0].tokens) == trained.context == 16


def test_a_classifier_names_every_class_with_its_probability(classifier: Trained) -> None:
    for text in ("A good day.", "", "long " * 100):
        guesses = predict.classify(classifier, text)
        assert {guess.token for guess in guesses} == {"ends badly", "ends well"}
        assert sum(guess.probability for guess in guesses) == pytest.approx(1, abs=1e-5)
        assert guesses[0].probability >= guesses[1].probability


def test_fresh_weights_depend_on_the_seed_alone() -> None:
    one, two, other = (build(plan(seed=seed), 300, 0).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not torch.equal(one["stack.embed.tokens.weight"], other["stack.embed.tokens.weight"])


def test_what_is_dropped_leaves_at_least_half_a_context_and_of_what_is_given_a_whole_one() -> None:
    assert [decoding.dropped(length, 4) for length in range(1, 13)] == [0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9]
    for context in (1, 2, 5, 16):
        for length in range(1, 100):
            assert min(length, context // 2) <= length - decoding.dropped(length, context) <= context
            assert length - decoding.dropped(length, context, length) == min(length, context)
            assert decoding.dropped(100 + length, context, 100) == 100 - context + decoding.dropped(
                context + length, context
            )


def test_a_text_that_is_asked_about_anew_goes_on_as_one_that_grew(gpt: Trained) -> None:
    for prompt in ("The town", "The town " * gpt.context):
        grown = decoding.continuation(gpt, prompt)
        given, ordinary = len(grown.ids), gpt.tokenizer.vocabulary.ordinary
        for _ in range(2 * gpt.context):
            remembered = grown.next_logits()
            anew = decoding.grown(gpt, np.array(grown.ids), given).next_logits()
            assert torch.allclose(remembered[ordinary], anew[ordinary], atol=2e-4)
            grown.add(int(remembered.argmax()))


def test_a_model_that_learnt_behind_prefixes_reads_what_it_is_given_in_both_directions(gpt: Trained) -> None:
    run = plan(model="gpt", objective="prefix_lm", shape={**gpt.run.shape, "depth": 2})
    prefixed = replace(gpt, run=run, model=build(run, gpt.tokenizer.vocabulary.size, 0).eval())
    for parameter in prefixed.model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    said = decoding.continuation(prefixed, "The town")
    said.add(20)
    given, ordinary = len(said.ids) - 1, gpt.tokenizer.vocabulary.ordinary
    ids = np.array([[*said.ids, 21]])
    visible = np.tri(given + 2, dtype=bool) | (np.arange(given + 2) < given)
    asked = np.arange(given + 2)[None] == given
    whole = prefixed.model(collate(Exercise(shown=ids, asked=asked, answers=ids, visible=visible))).tokens[0]
    assert torch.allclose(said.next_logits()[ordinary], whole[ordinary], atol=2e-4)
    onward = decoding.Continuation(prefixed, np.array(said.ids), given).next_logits()
    assert not torch.allclose(onward[ordinary], whole[ordinary], atol=1e-2)
    for _ in range(gpt.context):  # longer than the context: what was given goes out of sight
        said.add(20)
    assert said.next_logits()[ordinary].isfinite().all()


def test_a_discriminator_says_of_every_token_how_likely_it_was_replaced(tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model="electra", training=steps(2), pinned="The cat sat on the [MASK]."))
    guesses = predict.fill(trained, trained.run.pinned)
    found, best = predict.suspicions(trained, trained.run.pinned, guesses), guesses[0][0]
    assert best.id in [each.id for each in found] and trained.tokenizer.vocabulary.mask not in [
        each.id for each in found
    ]
    assert "".join(each.token for each in found).startswith("The cat sat on the")
    trained.model.head.dense.weight.data.zero_()  # type: ignore[union-attr]
    assert len({round(each.probability, 5) for each in predict.suspicions(trained, trained.run.pinned, guesses)}) == 1
    noted = predict.pinned_guesses(trained)
    assert [token for token, _ in noted["suspected"]] == [each.token for each in found] and len(noted["gaps"]) == 1


def test_the_words_of_a_pinned_sentence_have_neighbours_where_vectors_are_learnt(tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model="word2vec", training=steps(2), pinned="He came home [MASK] and sat."))
    noted = predict.pinned_guesses(trained)["near"]
    assert 0 < len(noted) <= 4 and all(word.strip().isalpha() and len(near) == 5 for word, near in noted)
    assert all(word not in [token for token, _ in near] for word, near in noted)


def test_a_gap_takes_along_the_blank_before_it_as_a_word_does(bert: Trained) -> None:
    assert bert.tokenizer.joins_blanks
    ids = inputs.with_gaps(bert, "the [MASK] sat")
    assert bert.tokenizer.decode(ids) == "the[MASK] sat"
    assert ids.tolist() == inputs.with_gaps(bert, "the[MASK] sat").tolist()


@pytest.mark.parametrize("model", ["word2vec", "glove"])
def test_a_gap_is_filled_from_the_window_that_was_learnt_with(model: str, tmp_path: Path) -> None:
    narrow = load(finished(tmp_path, model=model, training=steps(2), objective_settings={"reach": 1}))
    exercise = inputs.reading(narrow, inputs.with_gaps(narrow, "The cat sat on the [MASK] and slept."))
    (gap,) = np.flatnonzero(exercise.asked[0])
    assert np.flatnonzero(exercise.table()[gap]).tolist() == [gap - 1, gap + 1]


def test_a_gap_is_filled_from_its_place_and_not_from_itself(tmp_path: Path) -> None:
    """Where a second stream answers, it makes no difference what stands in the gap, and no other token sees it."""
    trained = load(finished(tmp_path, model="xlnet", training=steps(3)))
    text = "The cat sat on the [MASK] and [MASK]."
    gaps = predict.fill(trained, text, best=300)
    assert len(gaps) == 2 and all(abs(sum(g.probability for g in gap) - 1) < 1e-3 for gap in gaps)
    assert [g.id for g in gaps[0]] != [g.id for g in gaps[1]]
    exercise = inputs.reading(trained, inputs.framed(trained, inputs.with_gaps(trained, text)))
    other = np.where(exercise.asked, 99, exercise.shown)
    one, two = (predict.answers(trained, replace(exercise, shown=shown)) for shown in (exercise.shown, other))
    assert one == two
    seen, _ = attention_maps.attention(trained, text)  # the content stream, and the query stream
    assert seen.maps.shape[2] == seen.maps.shape[3] == len(seen.tokens) and seen.tokens[-2:] == ["[SEP]", "[CLS]"]
    with pytest.raises(SettingsError, match="trained to fill gaps"):
        decoding.continuation(trained, "The cat")


def test_a_model_that_writes_into_gaps_remembers_what_it_would_read_anew(tmp_path: Path) -> None:
    """Its weights are spread out, so that what it says depends clearly on what it reads."""
    trained = load(finished(tmp_path, model="glm", training=steps(2), shape={"width": 16, "depth": 2, "heads": 2}))
    torch.manual_seed(1)
    for parameter in trained.model.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    ids = inputs.framed(trained, inputs.with_gaps(trained, "The [MASK] sat [MASK]."))
    blanks, ordinary = decoding.Blanks(trained, ids), trained.tokenizer.vocabulary.ordinary
    for _ in range(2):
        blanks.begin()
        for _ in range(6):
            anew = decoding.Blanks(trained, ids)
            anew._filled = [[*each] for each in blanks._filled]
            remembered = blanks.next_logits()
            assert torch.allclose(remembered[ordinary], anew.next_logits()[ordinary], atol=2e-4)
            blanks.add(int(remembered[ordinary].argmax()) + int(ordinary[0]))


def test_gaps_that_are_written_share_the_context_with_the_text(tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model="glm", training=steps(1)))
    end = trained.tokenizer.vocabulary.specials["[EOP]"]
    trained.model.stack.embed.tokens.weight.data[end] = 0  # it never comes to an end
    trained.model.stack.norm.bias.data.fill_(1)
    trained.model.stack.embed.tokens.weight.data[99] = 1
    ids = inputs.framed(trained, inputs.with_gaps(trained, "The [MASK] sat [MASK]."))
    blanks = decoding.Blanks(trained, ids)
    first, second = blanks.fill(), blanks.fill()
    assert len(ids) + 1 + len(first) == trained.context + 1 and not second
    gaps = predict.fill(trained, "The [MASK] sat [MASK].")
    assert len(gaps[0]) == 5 and [guess.token for guess in gaps[1]] == [""]


@pytest.mark.parametrize("model", ["t5", "bart", "glm"])
def test_a_gap_that_is_written_may_begin_in_several_ways(model: str, tmp_path: Path) -> None:
    trained = load(finished(tmp_path, model=model, training=steps(2)))
    size = trained.tokenizer.vocabulary.size
    for gap in predict.fill(trained, "The [MASK] sat [MASK].", best=size, longest=4):
        phrase, *rest = gap
        if phrase.begins or phrase.id < 0:  # nothing was written here: all are ways to begin, the likeliest first
            rest = gap
        firsts = {guess.id: guess.probability for guess in rest}  # and -1 for nothing
        assert all(guess.begins == (guess.id >= 0) for guess in rest)
        assert [*firsts.values()] == sorted(firsts.values(), reverse=True)
        left = 1 - sum(firsts.values())  # what the phrase's own first token has; all of it is as likely at most
        if rest is gap:
            assert left == pytest.approx(0, abs=1e-5)
        else:
            assert phrase.id not in firsts and phrase.probability <= left + 1e-5


def test_two_gaps_of_an_answer_that_copies_nothing_are_asked_each_behind_its_own_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = load(finished(tmp_path, model="bart", training=steps(1)))
    begun: list[list[list[int]]] = []
    ahead = predict._ahead
    monkeypatch.setattr(predict, "decode", lambda *asked: iter([]))
    monkeypatch.setattr(predict, "_ahead", lambda reply, rows: begun.append([*rows]) or ahead(reply, rows))
    one, two = predict.fill(trained, "The [MASK] sat [MASK].")
    (rows,) = begun
    texts = [trained.tokenizer.decode(np.array(row[2:])).split() for row in rows]
    assert texts == [["The"], ["The", "sat"]]
    assert [guess.probability for guess in one] != [guess.probability for guess in two]


def test_a_model_that_goes_on_to_spans_for_which_nobody_asks_is_not_listened_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trained = load(finished(tmp_path, model="t5", training=steps(1)))
    role, before = trained.tokenizer.vocabulary.role, decoding.SampledToken(99, "x", -0.5)
    names = [decoding.SampledToken(role(f"<extra_id_{n}>"), "", -0.1) for n in range(3)]

    def talkative(*asked: object) -> Iterator[decoding.SampledToken]:
        yield from (names[0], before, names[1], before, before, names[2])
        raise AssertionError("asked on")

    monkeypatch.setattr(predict, "decode", talkative)
    one, two = predict.fill(trained, "The [MASK] sat [MASK].")
    assert one[0].token == trained.tokenizer.decode(np.array([99])) and two[0].token == 2 * one[0].token
    assert two[0].probability == pytest.approx(np.exp(-1))


def test_a_loaded_model_is_laid_out_for_decoding_and_its_numbers_stay(tmp_path: Path) -> None:
    folder = finished(tmp_path, model="gpt", training=steps(1))
    model = load(folder).model
    maps = [part.weight for part in model.modules() if isinstance(part, torch.nn.Linear | torch.nn.Embedding)]
    wide = [weight for weight in maps if weight.shape[0] < weight.shape[1]]
    assert wide and len(wide) < len(maps)  # the feed-forward network's second map; its first one, and the token table
    assert all((weight if weight.shape[0] < weight.shape[1] else weight.T).is_contiguous() for weight in maps)
    saved, _ = checkpoint.load_weights(folder.path / "checkpoints")
    assert all(torch.equal(tensor, saved[name]) for name, tensor in checkpoint.weights_of(model).items())


def test_what_a_generator_puts_into_a_gap_is_drawn_as_often_as_it_says(bert: Trained) -> None:
    ids = inputs.framed(bert, inputs.with_gaps(bert, "the [MASK] sat"))
    exercise = inputs.reading(bert, ids)
    (said,) = predict.fill(bert, "the [MASK] sat", best=3)
    draws = np.concatenate([predict.drawn(bert, exercise, seed) for seed in range(1000)])
    assert len(draws) == 1000 and not bert.tokenizer.vocabulary.is_special(draws).any()
    for guess in said:
        p = guess.probability
        assert abs((draws == guess.id).mean() - p) < 4 * (p * (1 - p) / 1000) ** 0.5
    nothing = replace(exercise, asked=np.zeros_like(exercise.asked))
    assert len(predict.drawn(bert, nothing, 0)) == 0
