"""The character CNN: a token's vector is made of its letters, by convolutions and highways (Kim et al. 2016).

B batch   T tokens   N different tokens   L letters   E width of a letter   F filters   W width   V vocabulary
"""

import numpy as np
import torch
from torch import Tensor, nn

from lab.vocabulary import Vocabulary

# A letter is a byte, counted from 1; then come what opens and closes a text, what opens and closes a word, and what
# stands behind it. 0 is left for padding.
OPENS_TEXT, CLOSES_TEXT, OPENS, CLOSES, BEHIND = range(257, 262)
LETTERS = 262
SHARES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 16, 7: 32}  # letters under a filter, and how many of 64 filters are so wide


class Spelling(nn.Module):
    """The letters of each token: what opens and closes a word stands around them, and what exceeds ``longest`` is cut
    off. A special token that begins or ends a text is a word of one letter of its own."""

    letters: Tensor  # (V, L)

    def __init__(self, vocabulary: int, longest: int) -> None:
        super().__init__()
        self.register_buffer("letters", numbered(torch.empty(vocabulary, longest, dtype=torch.int16)))

    def meet(self, vocabulary: Vocabulary) -> None:
        if vocabulary.spelling is None:
            return
        longest = self.letters.shape[1]
        letters = np.full(self.letters.shape, BEHIND, dtype=np.int16)
        ends = {vocabulary.begin: [OPENS_TEXT], vocabulary.separate: [CLOSES_TEXT], vocabulary.end: [CLOSES_TEXT]}
        for number, spelt in enumerate(vocabulary.spelling()):
            word = [OPENS, *ends.get(number, [byte + 1 for byte in spelt[: longest - 2]]), CLOSES]
            letters[number, : len(word)] = word
        letters[vocabulary.pad] = 0
        self.letters.copy_(torch.from_numpy(letters))

    def forward(self, ids: Tensor) -> Tensor:
        """(N,) ids as (N, L) letters."""
        return self.letters[ids].long()


def numbered(letters: Tensor) -> Tensor:
    """``letters`` (V, L) as they are before any text is met: each token is spelt as the four bytes of its number."""
    if letters.is_meta:  # a shape without numbers, made to be counted
        return letters
    number = torch.arange(len(letters))[:, None]
    letters.fill_(BEHIND)
    letters[:, 0], letters[:, 5] = OPENS, CLOSES
    letters[:, 1:5] = (number >> torch.arange(24, -8, -8) & 255) + 1
    return letters


class Highway(nn.Module):
    """Carries part of its input past itself: the gate says how much is changed (Srivastava et al. 2015, section 2)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """``x`` (N, F)."""
        gate = torch.sigmoid(self.gate(x))
        return gate * self.dense(x).relu() + (1 - gate) * x


class Spelt(nn.Module):
    """A vector for each token: each filter's strongest answer to any stretch of its letters, then highways, then a
    projection. Tokens that stand in a batch several times are worked out once."""

    def __init__(self, vocabulary: int, width: int, *, longest: int, letter: int, filters: int, highways: int) -> None:
        super().__init__()
        self.spelling = Spelling(vocabulary, longest)
        self.embed = nn.Embedding(LETTERS, letter)
        # Filters of 1 to 7 letters: the longer, the more of them, as in the published model. They find endings, stems
        # and whole short words.
        self.cnn = nn.ModuleDict(
            {f"of_{n}": nn.Conv1d(letter, filters * share // 64, n) for n, share in SHARES.items()}
        )
        self.highway = nn.ModuleList(Highway(filters) for _ in range(highways))
        self.project = nn.Linear(filters, width)

    def forward(self, ids: Tensor) -> Tensor:
        """``ids`` (B, T)."""
        # Spelling knows no context: a token that stands in the batch twenty times is worked out once.
        distinct, place = ids.unique(return_inverse=True)
        return self.vectors(distinct)[place]  # (B, T, W)

    def vectors(self, ids: Tensor) -> Tensor:
        """``ids`` (N,), any tokens; (N, W)."""
        letters = self.embed(self.spelling(ids)).mT  # (N, E, L)
        # The largest answer wherever it is: whether "-ing" is in the word counts, not where.
        x = torch.cat([filters(letters).amax(-1) for filters in self.cnn.values()], -1).relu()  # (N, F)
        # Highways change what they must and carry the rest past: the ancestors of residual connections, with a learnt
        # gate.
        for highway in self.highway:
            x = highway(x)
        return self.project(x)
