"""How the program runs a part of itself in a process of its own."""

from __future__ import annotations

import os
import sys


def command_of(module: str) -> tuple[str, ...]:
    """The command that runs a module of this package.

    With -P, lest Python takes a package of the same name in the present folder, such as a clone; with
    `environment` it finds the very package that runs here, which may lie next to the script only.
    """
    return sys.executable, "-P", "-m", module


def environment() -> dict[str, str]:
    """This process's environment, with its import path."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
