"""BPE merges, played: the visitor's own words get shorter merge by merge, with the counts that decided."""

from lab.ui.components.drawn import Drawn


class MergePlayer(Drawn):
    """Value: {"words": [[letters, times], ...], "ties": [{"rule": name, "merges": [[left, right, count, words, rivals],
    ...]}], "note": text}, where rivals are [left, right, count] of the most frequent pairs, in the order of the rule.

    All is sent once; the merges are carried out in the browser.
    """

    script = "merge_player"
