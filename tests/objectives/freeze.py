"""Write down the fixed exercise of every objective anew, where its numbers were meant to change:
``PYTHONPATH=.:tests/objectives python tests/objectives/freeze.py``."""

import json
from pathlib import Path

from every import ways
from test_every import frozen

if __name__ == "__main__":
    known = {way.name: frozen(way) for way in ways()}
    text = json.dumps(known, indent=1, ensure_ascii=False) + "\n"
    Path(__file__).with_name("frozen.json").write_text(text, encoding="utf-8")
