"""Saves the tree as data or as a picture, off the GUI thread, with progress and cancel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from guiapp.analysis.tree.reports import AT_ONCE, Branch, dot_lines, json_lines
from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import FileSaving

# What writes the lines of a branch, and how many there are for each token, about.
FORMATS: dict[str, tuple[Callable[[Branch], Iterator[str]], float]] = {
    "json": (json_lines, 1 / AT_ONCE),
    "dot": (dot_lines, 2),
}
AT_ONCE_S = 0.002  # of writing lines, which is Python's work, before the window may have its turn
PAUSE_S = 0.0002


class TreeSaving(FileSaving):
    """One branch or picture at a time."""

    def save_branch(self, path: Path, branch: Branch, format_name: str) -> None:
        """Write a branch in one of FORMATS, instead of whatever is being written now."""
        self.save(path, partial(_data_of, branch, format_name))


def _data_of(branch: Branch, format_name: str, progress: Progress) -> bytes:
    lines_of, per_token = FORMATS[format_name]
    written: list[str] = []
    pause_at = 0.0
    for line in lines_of(branch):
        written.append(line)
        if time.perf_counter() > pause_at:
            progress(min(1.0, len(written) / (per_token * len(branch.tokens) + 1)))
            time.sleep(PAUSE_S)
            pause_at = time.perf_counter() + AT_ONCE_S
    return ("\n".join(written) + "\n").encode()
