"""A word's vectors in two dimensions, coloured by sense: one panel for each model, a slider over its layers."""

from lab.ui.components.drawn import Drawn


class WordSenses(Drawn):
    """Value: {"senses": [text, ...], "texts": [{"text", "from", "to", "sense": number or null}, ...], "panels":
    [{"title": text, "layers": [{"name": text, "points": [[x, y], ...], "shares": [2 numbers], "probe": number or null,
    "said": {place of a text without a sense: sense}}, ...], "at": layer}, ...], "common": number, "empty": text}.

    A text whose ``sense`` is null is the visitor's own. What is pointed at in one panel lights up in all.
    """

    script = "word_senses"
