"""What commands that make pictures share."""

from __future__ import annotations

import argparse
import os
import re

from guiapp import qt_libraries
from guiapp.core.errors import TokenloupeError


def need_no_display() -> None:
    """Let Qt paint without a display, or say what it lacks."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if (problem := qt_libraries.problem()) is not None:
        raise TokenloupeError(problem)


def picture_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"“{text}” is not WIDTHxHEIGHT in pixels, such as 1440x900")
    return int(match[1]), int(match[2])
