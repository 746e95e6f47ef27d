"""Gradio's slider, which takes the nearest value of its range where a number outside it was typed."""

import math

import gradio as gr

from lab.ui.components.drawn import Unwritten


class Slider(gr.Slider, metaclass=Unwritten):
    """As gr.Slider. The browser sends a typed number before it has brought it into the range."""

    def preprocess(self, payload: float | None) -> float:
        """The number, within the range; the smallest where there is none."""
        if payload is None or not math.isfinite(payload):
            return self.minimum
        return min(max(payload, self.minimum), self.maximum)
