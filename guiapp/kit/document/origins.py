"""The file that the text belongs to, also after undo went back to the text before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from guiapp.analysis.editing.text_buffer import TextBuffer, UndoPoint


@dataclass
class TextOrigin:
    """The file of a text, None where it has none, and whether the text differs from it.

    saved  the state that is in the file, None where no step leads there
    mark   the step of undo that brought the text, None for the first one
    """

    path: Path | None
    is_modified: bool
    saved: UndoPoint | None
    mark: UndoPoint | None = None


class TextOrigins:
    """The origins of the texts that undo and redo lead to; one of them is the present text's."""

    def __init__(self) -> None:
        self._origins = [TextOrigin(None, False, UndoPoint())]
        self._at = 0

    @property
    def present(self) -> TextOrigin:
        return self._origins[self._at]

    def begin(self, path: Path | None, is_modified: bool) -> None:
        """A text without a way back."""
        self._origins, self._at = [TextOrigin(path, is_modified, None if is_modified else UndoPoint())], 0

    def set_file(self, path: Path | None, state: UndoPoint, is_modified: bool = False) -> None:
        """The present text, which is in this state, belongs to this file now."""
        present = self.present
        present.path, present.is_modified, present.saved = path, is_modified, None if is_modified else state

    def replace(self, path: Path | None, mark: UndoPoint, is_modified: bool = False) -> None:
        """Another text took the place of the present one, by this step of undo."""
        del self._origins[self._at + 1 :]
        self._origins.append(TextOrigin(path, is_modified, None if is_modified else mark, mark))
        self._at += 1

    def note_edit(self, buffer: TextBuffer) -> None:
        """The text was edited, or a step was taken back or made again."""
        if not _is_in(buffer, self.present):
            self._at -= 1
        elif self._at + 1 < len(self._origins) and _is_in(buffer, self._origins[self._at + 1]):
            self._at += 1
        elif not buffer.can_redo:
            del self._origins[self._at + 1 :]
        saved = self.present.saved
        self.present.is_modified = saved is None or not buffer.is_at(saved)


def _is_in(buffer: TextBuffer, origin: TextOrigin) -> bool:
    return origin.mark is None or buffer.has_done(origin.mark)
