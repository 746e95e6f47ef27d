"""Claims: sentences from papers, what one expects of them, and what was measured for the lab."""

from lab.catalog import CLAIMS
from lab.ui.components.claims import Claims
from lab.ui.pages.claims.handlers import command, told
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
