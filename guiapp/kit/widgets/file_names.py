"""Names of files as people type them into a dialog."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QFileDialog, QWidget


def ask_for_file(window: QWidget, title: str, suggested: str, formats: Mapping[str, str]) -> Path | None:
    """Where to save something in one of some formats; None for nowhere."""
    filters = ";;".join(formats.values())
    name, chosen = QFileDialog.getSaveFileName(window, title, suggested, filters)
    return with_ending(Path(name), formats, chosen) if name else None


def with_ending(path: Path, formats: Mapping[str, str], chosen: str = "") -> Path:
    """The path with the ending of the chosen filter behind its name, unless it ends as one of the formats.

    `formats` maps endings to the filters of a dialog; the first counts where none is chosen.  Other dots
    belong to the name: `run.v2` becomes `run.v2.svg`.
    """
    if path.suffix.lower() in formats:
        return path
    ending = next((ending for ending, title in formats.items() if title == chosen), next(iter(formats)))
    return path.with_name(path.name + ending)


def dropped_files(event: QDropEvent) -> list[Path]:
    """The files of this machine that are held over a widget, or let go; takes them where there are any."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    if paths:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
    return paths
