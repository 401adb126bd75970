"""Records the signals that an object emits, in order."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal


def record_signals(emitter: QObject) -> list[str]:
    """A list that grows by the name of each public signal emitted from now on."""
    emitted: list[str] = []
    names = {
        name for kind in type(emitter).__mro__ for name, value in vars(kind).items() if type(value) is Signal
    }
    for name in sorted(names):
        if not name.startswith("_") and name not in ("destroyed", "objectNameChanged"):
            getattr(emitter, name).connect(partial(_note, emitted, name))
    return emitted


def _note(emitted: list[str], name: str, *given: object) -> None:
    emitted.append(name)
