"""Asks for files and folders by the system's dialogs; each begins in the folder of the last answer."""

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
    """A file that there is; None where people cancel."""
    name, _ = QFileDialog.getOpenFileName(window, title, start or _in_last_folder(""), filters)
    return _remembered(window, name)


def ask_to_open_several(window: QWidget, title: str, filters: str = ALL_FILES) -> list[Path]:
    """Files that there are; none where people cancel."""
    names, _ = QFileDialog.getOpenFileNames(window, title, _in_last_folder(""), filters)
    return [path for name in names if (path := _remembered(window, name)) is not None]


def ask_for_folder(window: QWidget, title: str) -> Path | None:
    """A folder that there is; None where people cancel."""
    return _remembered(window, QFileDialog.getExistingDirectory(window, title, _in_last_folder("")))


def ask_to_save(
    window: QWidget,
    title: str,
    suggested: str,
    formats: Mapping[str, str],
    options: QFileDialog.Option = NO_OPTIONS,
) -> Path | None:
    """Where to save something in one of some formats, as `with_ending`; None where people cancel."""
    start, filters = _in_last_folder(suggested), ";;".join(formats.values())
    name, chosen = QFileDialog.getSaveFileName(window, title, start, filters, "", options)
    path = _remembered(window, name)
    return None if path is None else with_ending(path, formats, chosen)


def with_ending(path: Path, formats: Mapping[str, str], chosen: str = "") -> Path:
    """The path with the ending of the chosen filter behind its name, unless it ends as one of the formats.

    `formats` maps endings to the filters of a dialog; the first counts where none is chosen.  Other dots
    belong to the name: `run.v2` becomes `run.v2.svg`.  The ending "" stands for a name of any kind.
    """
    if path.suffix.lower() in formats or "" in formats:
        return path
    ending = next((ending for ending, title in formats.items() if title == chosen), next(iter(formats)))
    return path.with_name(path.name + ending)


def _in_last_folder(name: str) -> str:
    """The name in the folder of the last answer, unless it has a folder of its own."""
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
