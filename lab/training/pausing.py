"""Pause, one step, go on: a run that somebody looks at step by step."""

import time

from lab.inference.predict import pinned_guesses
from lab.runs.files import write
from lab.runs.folder import PAUSED
from lab.training.saving import save
from lab.training.session import Session

EVERY, PATIENCE = 0.05, 300.0  # seconds between looks whether a paused run may go on, and until it stops


def asked_to_pause(session: Session) -> bool:
    """Whether somebody looks at a run step by step. Several processes that learn together wait for nobody."""
    after = session.folder.paused_after() if session.group.size == 1 else None
    return after is not None and session.step >= after


def pause(session: Session) -> None:
    """Wait until the run may go on or is to stop. Every page can ask the model as it is now: it is saved, and asked
    about the pinned sentence. The time counts for nothing, but a run that is forgotten stops."""
    save(session)
    session.model.eval()
    guesses = pinned_guesses(session.trained)
    if guesses:
        session.log.write("pinned", session.step, **guesses)
    paused, began = session.folder.path / PAUSED, time.monotonic()
    write(paused, str(session.step))
    while asked_to_pause(session) and not session.folder.asked_to_stop():
        if time.monotonic() - began > PATIENCE:
            session.folder.ask_to_stop()
        time.sleep(EVERY)
    paused.unlink(missing_ok=True)
    session.saved = time.monotonic()
