"""Pause, one step, go on: a run that somebody looks at step by step."""

import time

from lab.inference.predict import pinned_guesses
from lab.runs.files import write
from lab.runs.folder import PAUSED
from lab.training.saving import save
from lab.training.session import Session
from lab.training.wishes import EVERY

PATIENCE = 300.0  # seconds until a run that is paused stops


def asked_to_pause(session: Session) -> bool:
    """Whether somebody looks at a run step by step. Several processes that learn together wait for nobody."""
    return session.group.size == 1 and session.wishes.to_pause(session.step)


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
    while asked_to_pause(session) and not session.wishes.to_stop():
        if time.monotonic() - began > PATIENCE:
            session.folder.ask_to_stop()
        time.sleep(EVERY)
    paused.unlink(missing_ok=True)
    session.saved = time.monotonic()
