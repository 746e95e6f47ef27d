"""A run as the command line names it, by its name or its folder, and the names that are like one that is not there."""

from lab.runs.finding import NoSuchRunError, find_run, runs
from lab.runs.folder import SHIPPED, RunFolder, home, hub
from lab.settings import SettingsError, nearest


def run_named(word: str) -> RunFolder:
    """Raises SettingsError, with the nearest names, where there is none."""
    try:
        return find_run(word.rstrip("/") or word)
    except NoSuchRunError as error:
        names = [folder.name for root in (home(), SHIPPED, hub()) for folder in runs(root)]
        en, zh = nearest(word, [*dict.fromkeys(names)])
        raise SettingsError(f"{error.en}{en}", f"{error.zh}{zh}") from None
