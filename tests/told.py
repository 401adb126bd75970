"""Records the signals that an object emits, in order."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal


def told_by(teller: QObject) -> list[str]:
    """A list that grows by the name of each public signal emitted from now on."""
    told: list[str] = []
    names = {
        name for kind in type(teller).__mro__ for name, value in vars(kind).items() if type(value) is Signal
    }
    for name in sorted(names):
        if not name.startswith("_") and name not in ("destroyed", "objectNameChanged"):
            getattr(teller, name).connect(partial(_note, told, name))
    return told


def _note(told: list[str], name: str, *given: object) -> None:
    told.append(name)
