"""Claims: sentences from papers, what one expects of them, and what was measured for the lab."""

from lab.catalog import CLAIMS
from lab.ui.components.claims import Claims
from lab.ui.components.memo import Memo
from lab.ui.pages.claims.handlers import begin, command, told
from lab.ui.shell.frame import Frame

NAME = "claims"


def build(frame: Frame) -> None:
    """The page."""
    frame.heading("claims.title", "claims.lead")
    cards = Claims("", claims=[told(entry) for entry in CLAIMS], names=CLAIMS.names(), elem_id="claims-cards")
    line = frame.command(command("")["command"])
    frame.share("claim", cards)
    frame.listen(cards.change, command, cards, line)
    frame.opens(command, cards, line)

    run, compare = Memo(), Memo()
    emptied = cards.train(None, None, run, js="() => ''", api_visibility="private")  # what an error leaves is nothing
    begun = frame.listen(emptied.then, begin, [frame.visitor, cards], {"run": run, "compare": compare})
    lead = (
        "(run, compare) => { if (run) window.lab.goto('pretrain', ['run', 'compare'], [run, compare], "
        "'#pretrain-compared'); return []; }"
    )
    begun.then(None, [run, compare], None, js=lead, api_visibility="private")
