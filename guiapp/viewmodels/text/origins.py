"""The file that the text belongs to, also after undo went back to the text before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from guiapp.core.editing.text_buffer import Mark, TextBuffer


@dataclass
class Origin:
    """The file of a text, None where it has none, and whether the text was edited since it was read or saved.

    mark  the step of undo that brought the text, None for the first one
    """

    path: Path | None
    is_modified: bool
    mark: Mark | None = None


class TextOrigins:
    """The origins of the texts that undo and redo lead to; one of them is the present text's."""

    def __init__(self) -> None:
        self._origins = [Origin(None, False)]
        self._at = 0

    @property
    def present(self) -> Origin:
        return self._origins[self._at]

    def begin(self, path: Path | None, is_modified: bool) -> None:
        """A text without a way back."""
        self._origins, self._at = [Origin(path, is_modified)], 0

    def replace(self, path: Path | None, mark: Mark, is_modified: bool = False) -> None:
        """Another text took the place of the present one, by this step of undo."""
        del self._origins[self._at + 1 :]
        self._origins.append(Origin(path, is_modified, mark))
        self._at += 1

    def follow_edit(self, buffer: TextBuffer) -> None:
        """The text was edited, or a step was taken back or made again."""
        if not _is_in(buffer, self.present):
            self._at -= 1
        elif self._at + 1 < len(self._origins) and _is_in(buffer, self._origins[self._at + 1]):
            self._at += 1
        else:
            self.present.is_modified = True
            if not buffer.can_redo:
                del self._origins[self._at + 1 :]


def _is_in(buffer: TextBuffer, origin: Origin) -> bool:
    return origin.mark is None or buffer.has_done(origin.mark)
