"""Cards that lead to the other pages and carry what the visitor has typed."""

from lab.ui.components.drawn import Drawn


class Doors(Drawn):
    """Value: [{"page": name, "title": text, "text": text, "carry": [keys]}]. ``carry`` names what of this page's
    address goes along."""

    script = "doors"
