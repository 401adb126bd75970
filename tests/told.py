"""Notes which signals an object sends, in their order."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal


def told_by(teller: QObject) -> list[str]:
    """Grows by the name of each signal that is sent from now on; private ones are not noted."""
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
