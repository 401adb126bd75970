"""What commands that make pictures share."""

from __future__ import annotations

import argparse
import os
import re

from guiapp.errors import TokenloupeError
from guiapp.window import qt_libraries

MOST_PX = 16_000  # of a side, as where trees are saved: Qt paints little more


def need_no_display() -> None:
    """Let Qt paint without a display, or say what it lacks."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    if (problem := qt_libraries.problem()) is not None:
        raise TokenloupeError(problem)


def picture_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if not match:
        raise argparse.ArgumentTypeError(f"“{text}” is not WIDTHxHEIGHT in pixels, such as 1440x900")
    width, height = int(match[1]), int(match[2])
    if max(width, height) > MOST_PX:
        raise argparse.ArgumentTypeError(f"“{text}” has more than {MOST_PX:,} pixels a side")
    return width, height
