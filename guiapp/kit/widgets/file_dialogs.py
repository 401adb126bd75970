"""System dialogs for files and folders; each starts in the folder of the last answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from guiapp.kit.widgets.event_filters import leave_unpointed

MODEL_FILTER = (
    "Tokenizers (*.gguf *.tiktoken *.model *.spm *.model.v* *.bin *.json *.txt *.txt.gz);;All files (*)"
)
ALL_FILES = "All files (*)"
LAST_FOLDER = "last_folder"  # a property of the application
NO_OPTIONS = QFileDialog.Option(0)


def ask_to_open(window: QWidget, title: str, filters: str = ALL_FILES, start: str = "") -> Path | None:
    """Ask for an existing file; None if cancelled."""
    name, _ = QFileDialog.getOpenFileName(window, title, start or _in_last_folder(""), filters)
    return _remembered(window, name)


def ask_to_open_several(window: QWidget, title: str, filters: str = ALL_FILES) -> list[Path]:
    """Ask for existing files; empty if cancelled."""
    names, _ = QFileDialog.getOpenFileNames(window, title, _in_last_folder(""), filters)
    return [path for name in names if (path := _remembered(window, name)) is not None]


def ask_for_folder(window: QWidget, title: str) -> Path | None:
    """Ask for an existing folder; None if cancelled."""
    return _remembered(window, QFileDialog.getExistingDirectory(window, title, _in_last_folder("")))


def ask_to_save(
    window: QWidget,
    title: str,
    suggested: str,
    formats: Mapping[str, str],
    options: QFileDialog.Option = NO_OPTIONS,
) -> Path | None:
    """Ask where to save in one of some formats; the path is `with_ending`, None if cancelled."""
    start, filters = _in_last_folder(suggested), ";;".join(formats.values())
    name, chosen = QFileDialog.getSaveFileName(window, title, start, filters, "", options)
    path = _remembered(window, name)
    return None if path is None else with_ending(path, formats, chosen)


def with_ending(path: Path, formats: Mapping[str, str], chosen: str = "") -> Path:
    """Append the ending of the chosen filter to a path, unless it already has the ending of a format.

    `formats` maps endings to dialog filters; the first is the default.  Other dots are part of the name:
    `run.v2` becomes `run.v2.svg`.  The ending "" permits any name.
    """
    if path.suffix.lower() in formats or "" in formats:
        return path
    ending = next((ending for ending, title in formats.items() if title == chosen), next(iter(formats)))
    return path.with_name(path.name + ending)


def _in_last_folder(name: str) -> str:
    """Prepend the folder of the last answer, unless the name is absolute."""
    application = QCoreApplication.instance()
    folder = None if application is None else application.property(LAST_FOLDER)
    return name if folder is None or Path(name).is_absolute() else str(Path(folder, name))


def _remembered(window: QWidget, name: str) -> Path | None:
    leave_unpointed(window)
    if not name:
        return None
    path, application = Path(name), QCoreApplication.instance()
    if application is not None:
        application.setProperty(LAST_FOLDER, str(path if path.is_dir() else path.parent))
    return path
