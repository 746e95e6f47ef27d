"""Each sampler in the browser leaves what the sampler of the core leaves, and the draw falls on the same token."""

import base64
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from playwright.sync_api import Page
from torch import Tensor

from lab.catalog import SAMPLERS
from lab.entries import SoFar
from lab.inference.sampler_chain import Chain, apply_samplers, draw
from lab.ui.words import ASSETS

V, CASES = 50, 250
TEXT = SoFar((3, 4, 3, 4, 9, 3), 2)
TWINS = sorted(path.stem for path in (ASSETS / "samplers").glob("*.js"))
DRAWS = """([logits, chains, soFar, uniforms, wide]) => {
  const sampling = window.lab.sampling, bytes = Uint8Array.from(atob(logits), (c) => c.charCodeAt(0));
  const all = new Float32Array(bytes.buffer);
  return chains.map((chain, row) => {
    const one = all.slice(row * wide, (row + 1) * wide), stages = sampling.stages(one, chain, soFar);
    const shares = sampling.softmax(stages.at(-1) ?? one);
    return [[...shares], sampling.draw(shares, uniforms[row]).drawn];
  });
}"""


@pytest.fixture(scope="module")
def twins(browser: Any) -> Any:
    """An empty page that knows the samplers and nothing else."""
    blank = browser.new_page()
    blank.evaluate("window.lab = {}")
    for path in (ASSETS / "page" / "sampling.js", *(ASSETS / "samplers" / f"{name}.js" for name in TWINS)):
        blank.evaluate(path.read_text(encoding="utf-8"))
    yield blank
    blank.close()


def cases() -> Tensor:
    """Logits (CASES, V): flat and sharp, with ties, with much that is impossible, with one token that is possible."""
    dice = torch.Generator().manual_seed(5)
    logits = torch.randn(CASES, V, generator=dice) * torch.linspace(0.01, 12, CASES)[:, None]
    logits[::4] = logits[::4].round()  # ties
    logits[1::4] = logits[1::4].masked_fill(torch.rand(CASES, V, generator=dice)[1::4] < 0.4, -torch.inf)
    logits[:20] = 0.0  # all alike
    logits[20:40, 0], logits[20:40, 1:] = 0.0, -torch.inf  # one possible
    logits[40:44, :2], logits[40:44, 2:] = torch.tensor([[2.0, 1.0]]), -torch.inf
    logits[44:50] = torch.tensor([0.5, 0.25, 0.125, 0.125] + [0.0] * (V - 4)).log()  # thresholds met exactly
    return logits


def some(name: str, dice: random.Random) -> dict[str, Any]:
    """Settings of a sampler, the ends of each range among them."""
    found = {}
    for knob, item in SAMPLERS[name].settings.knobs().items():
        about = item.metadata["knob"]
        step = about.step or (about.high - about.low) / 100
        middle = about.low + step * dice.randint(0, round((about.high - about.low) / step))
        value = dice.choice([about.low, about.high, item.default, middle, middle, 0.25, 0.5])
        found[knob] = type(item.default)(max(about.low, min(about.high, value)))
    return found


def compared(twins: Page, logits: Tensor, chains: list[Chain], so_far: SoFar = TEXT) -> None:
    """Both leave the same tokens with the same probabilities, and draw the same one."""
    uniforms = torch.rand(len(chains), generator=torch.Generator().manual_seed(1), dtype=torch.float64).tolist()
    sent = base64.b64encode(logits.numpy().tobytes()).decode()
    text = {"ids": [*so_far.ids], "given": so_far.given}
    found = twins.evaluate(DRAWS, [sent, chains, text, uniforms, logits.shape[-1]])
    for one, chain, uniform, (shares, drawn) in zip(logits, chains, uniforms, found, strict=True):
        ours: NDArray[np.float64] = apply_samplers(one, chain, so_far).double().numpy()
        theirs = np.array(shares)
        # What float32 cannot hold is 0 there.
        assert ((ours > 0) == (np.float32(theirs) > 0)).all(), (chain, one.tolist())
        assert np.allclose(ours, theirs, rtol=2e-5, atol=1e-7), (chain, one.tolist())
        true = draw(torch.from_numpy(ours), uniform)
        assert drawn == true or ours[drawn] == pytest.approx(ours[true], rel=1e-6), (chain, uniform)


@pytest.mark.parametrize("name", TWINS)
def test_a_sampler_in_the_browser_leaves_what_that_of_the_core_leaves(name: str, twins: Page) -> None:
    dice = random.Random(name)
    compared(twins, cases(), [[(name, some(name, dice))] for _ in range(CASES)])
    compared(twins, cases()[::9], [[(name, some(name, dice))] for _ in range(0, CASES, 9)], SoFar())


def test_whole_chains_in_any_order_leave_the_same(twins: Page) -> None:
    dice = random.Random(0)
    chains: list[Chain] = []
    for _ in range(CASES):
        names = dice.sample(TWINS, dice.randint(0, 6))
        chains.append([(name, some(name, dice)) for name in names])
    compared(twins, cases(), chains)


def test_a_large_vocabulary_is_cut_alike(twins: Page) -> None:
    logits = torch.randn(3, 9000, generator=torch.Generator().manual_seed(2)) * 3
    cold: Chain = [("temperature", {"temperature": 0.01})]
    chains: list[Chain] = [
        [("temperature", {"temperature": 1.3}), ("top_p", {"p": 0.9})],
        [("typical", {"p": 0.9})],
        cold,
    ]
    compared(twins, logits, chains)


def test_every_script_of_a_sampler_bears_the_name_of_one() -> None:
    assert TWINS and set(TWINS) <= set(SAMPLERS.names())
    for name in TWINS:
        source = Path(ASSETS / "samplers" / f"{name}.js").read_text(encoding="utf-8")
        assert f'lab.sampler("{name}", ' in source
