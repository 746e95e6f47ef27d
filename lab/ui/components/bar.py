"""The title bar: product name, the pages, the language and light or dark."""

from lab.ui.components.drawn import Drawn


class Bar(Drawn):
    """Value: {"pages": [names], "tabs": id, "shares": [[page, key, id]], "memos": {name: id}}."""

    script = "bar"
    fires = ("move",)
