"""A model to take away: a zip with the folder that transformers loads, made when it is asked for."""

import base64
import io
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

from lab.exchange.export import export
from lab.exchange.known import naming_of
from lab.runs.folder import RunFolder
from lab.runs.run import Run
from lab.settings import SettingsError
from lab.ui.shell.visitor import flags_of, readable, usable

MOST = 80 * 10**6  # bytes of the zip: a browser holds it in memory


def can_be_taken(run: Run, folder: RunFolder) -> bool:
    """Whether the run has a model, of a family that transformers has a class for."""
    try:
        naming_of(run.model, run.settings_of("model"))
    except SettingsError:
        return False
    return usable(folder)


def zipped(visitor: str, name: str) -> dict[str, Any]:
    """The file as Saved wants it. Raises SettingsError where transformers has no class for the model, or the file would
    be too large for a browser."""
    folder = readable(name, visitor)
    with tempfile.TemporaryDirectory() as place:
        exported = export(folder, Path(place) / folder.name).folder
        if sum(path.stat().st_size for path in exported.iterdir()) > MOST:
            command = f"python -m lab export {flags_of(name)} --to DIR"
            raise SettingsError(
                f"this model is too large to be sent to a browser: write it on the server by {command}",
                f"这个模型太大，无法发送到浏览器：请在服务器上运行 {command}",
            )
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w") as archive:  # weights do not get smaller by packing
            for path in sorted(exported.iterdir()):
                archive.write(path, f"{folder.name}/{path.name}")
    return {"name": f"{folder.name}.zip", "data": base64.b64encode(whole.getvalue()).decode(), "at": time.time()}
