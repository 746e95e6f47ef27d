"""Checkpoints of a run that learns: when it is saved, and what is saved of it."""

import time

import torch

from lab.runs import checkpoint
from lab.runs.checkpoint import State
from lab.training.session import Session

SAVE_SECONDS = 10.0
SAVE_SHARE = 0.03  # saving may take this share of the time


def maybe_save(session: Session) -> None:
    """Save where that is due: not too often, lest it take too much of the time, and whenever the run is at its best."""
    now = time.monotonic()
    due = session.group.told(now - session.saved > max(SAVE_SECONDS, session.cost / SAVE_SHARE))
    if due or session.stopping.step == session.step:
        save(session)
        session.saved = time.monotonic()
        session.cost = session.group.told(session.saved - now)
        session.budget.spend(session.cost)


def save(session: Session) -> bool:
    """Save; a full disk is written into the metrics log, and the run goes on with the checkpoint it has."""
    frozen = checkpoint.frozen_names(session.model)
    moved = {name: tensor for name, tensor in checkpoint.weights_of(session.model).items() if name not in frozen}
    weights = session.group.gathered(moved)
    optimizer = session.group.gathered(checkpoint.pack_optimizer(session.optimizer))
    if not session.group.first:
        return True
    rng_state = {"cpu": torch.get_rng_state().tolist()}
    if session.device.type == "cuda":
        rng_state["cuda"] = torch.cuda.get_rng_state().tolist()
    state = State(session.step, weights, optimizer, session.facts() | {"rng_state": rng_state})
    try:
        checkpoint.save(session.folder.path / "checkpoints", state, session.stopping.step)
    except OSError as error:
        session.log.write("event", session.step, code="unsaved", reason=error.strerror or "")
        return False
    return True
