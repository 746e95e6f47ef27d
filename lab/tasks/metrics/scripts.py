"""Units of text for metrics: words between blanks, and in East Asia's scripts each character by itself."""

import re

# The blocks that sacrebleu's Chinese tokenizer counts as Chinese: characters, radicals, punctuation, full-width signs.
BLOCKS = (
    "\u2e80-\u2fdf\u2ff0-\u303f\u3100-\u312f\u31a0-\u31bf\u31c0-\u31ef\u3200-\u4db5\u4e00-\u9fbb\uf900-\ufad9"
    "\ufe10-\ufe1f\ufe30-\ufe4f\uff00-\uffef\u2600-\u27bf"
)
# And those of rare characters, which it means to count.
CHINESE = re.compile(f"([{BLOCKS}\U00020000-\U0002a6d6\U0002f800-\U0002fa1d])")


def apart(text: str) -> str:
    """The text with a blank on both sides of each Chinese character."""
    return CHINESE.sub(r" \1 ", text)
