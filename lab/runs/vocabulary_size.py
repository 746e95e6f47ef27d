"""How many tokens a run that is to begin will know."""

from lab.runs.finding import find_run
from lab.runs.run import Run
from lab.tokenizer import Tokenizer


def vocabulary_size(run: Run, tokenizer: Tokenizer | None = None) -> int:
    """The size of the vocabulary that a run will have: of the ``tokenizer`` that it is given, of the run that it starts
    from, else as large as it asks for. Raises SettingsError where the run that it starts from is gone."""
    known = tokenizer or (find_run(run.parent).tokenizer() if run.parent else None)
    return known.vocabulary.size if known else int(run.settings_of("tokenizer").vocabulary)
