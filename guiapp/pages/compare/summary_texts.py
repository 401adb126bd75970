"""What the summary counts: the text of the window as it was, or all texts of a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from guiapp.analysis.compare.text_files import text_files
from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import read_text

NamedTexts = Iterator[tuple[str, bytes]]


@dataclass(frozen=True, eq=False)
class SummaryTexts:
    """Texts with their names, to be read once for each model.

    n_others  files beside them that hold no text
    """

    n_texts: int
    n_others: int
    read: Callable[[Progress], NamedTexts]


def one_text(name: str, text: bytes) -> SummaryTexts:
    """A text by itself; its name tells what it is by how it ends."""
    return SummaryTexts(1, 0, lambda progress: iter([(name, text)]))


def texts_in(folder: Path, progress: Progress) -> SummaryTexts:
    """Those of a folder as `tokenloupe compare -f` takes them.  Raises TextFolderError."""
    files = text_files(folder)

    def read(progress: Progress) -> NamedTexts:
        for number, path in enumerate(files.paths):
            progress(number / len(files.paths))
            yield str(path), read_text(path)

    return SummaryTexts(len(files.paths), files.n_others, read)
