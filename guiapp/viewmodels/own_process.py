"""`guiapp.core.system.own_process`, as QProcess takes it."""

from __future__ import annotations

from PySide6.QtCore import QProcessEnvironment

from guiapp.core.system.own_process import environment


def process_environment() -> QProcessEnvironment:
    """This process's environment, with its import path."""
    variables = QProcessEnvironment()
    for name, value in environment().items():
        variables.insert(name, value)
    return variables
