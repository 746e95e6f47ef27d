"""Gradio's slider, which takes the nearest value of its range where a number outside it was typed."""

import math
from typing import Any

import gradio as gr

from lab.settings import Knob
from lab.ui.components.drawn import Unwritten


class Slider(gr.Slider, metaclass=Unwritten):
    """As gr.Slider. The browser sends a typed number before it has brought it into the range."""

    def preprocess(self, payload: float | None) -> float:
        """The number, within the range; the smallest where there is none."""
        if payload is None or not math.isfinite(payload):
            return self.minimum
        return min(max(payload, self.minimum), self.maximum)


def slides(knob: Knob, start: Any) -> bool:
    """Whether a slider suits: a range with two ends, neither empty nor so wide that a pixel is worth too much."""
    if start is None or knob.low is None or knob.high is None:
        return False
    return knob.high <= 1000 if knob.low <= 0 else knob.high / knob.low <= 1000
