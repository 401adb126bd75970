"""The text that the user edits: its file, its selection, the hovered token, and its autosave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.analysis.editing.text_buffer import JournalEdit, TextBuffer, TextEdit, UndoPoint
from guiapp.errors import TokenloupeError
from guiapp.kit.document.autosaved_texts import AutosavedTexts
from guiapp.kit.document.document import TextDocument
from guiapp.kit.state.background import LatestJob, Working
from guiapp.kit.state.saving import read_text, write_text

AUTOSAVE_MS = 100  # after an edit


class PointedAt(NamedTuple):
    """A token of one of the models that share a text; other models use their token at its first byte.

    model       the `ModelSession` of the token; None for a mere span of text
    token       its index; tokens such as BOS have an empty span
    start, end  its span
    """

    model: object
    token: int | None
    start: int
    end: int


class TextSession(Working):
    """A text that any number of models can share, each with its own `ModelSession`.

    The document has the selected span of the text.  Each model determines its selected token itself: the one
    at the caret, or the one that `chosen` names.

    hovered      the token under the mouse, None for none
    is_choosing  whether the caret moves only because of `chosen`; models ignore that movement

    Signals:
        file_changed(): `path` or `is_modified` is new.
        left(): another text is about to replace this one.
        failed(str): why a text could not be opened or saved.
        pointed_out(object, object): show this span of the text, start byte and end byte, to the user.
        hovered_changed(): `hovered` is new.
        chosen(PointedAt): all models select this token.
    """

    file_changed = Signal()
    left = Signal()
    failed = Signal(str)
    pointed_out = Signal(object, object)
    hovered_changed = Signal()
    chosen = Signal(object)

    def __init__(self, text: bytes = b"", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.document = TextDocument(text, self)
        self.hovered: PointedAt | None = None
        self.is_choosing = False
        self._origins = TextOrigins()
        self._take_origin: Callable[[], None] | None = None  # records the origin of a text being inserted
        self._told_file: tuple[Path | None, bool] = (None, False)
        self.reading = LatestJob[tuple[Path, bytes]](self, self._take, self.failed)
        self.document.written.connect(self._on_written)
        self.document.edited.connect(self._notify_file_changed)

    # Pointing and selecting

    def point_out(self, start: int, end: int) -> None:
        """Request that a span of the text is selected and scrolled into view, on any page."""
        self.pointed_out.emit(start, end)

    def hover(self, hovered: PointedAt | None) -> None:
        if hovered != self.hovered:
            self.hovered = hovered
            self.hovered_changed.emit()

    def select(self, start: int, end: int) -> None:
        """Select a span of the text, extended to whole characters, and the token at its start."""
        stretch = self.document.whole_characters(start, end)
        self._choose(PointedAt(None, None, start, end), partial(self.document.select, *stretch))

    def choose(self, token: PointedAt) -> None:
        """Select a token; move the caret to its start, unless the caret already touches it."""
        if not token.start <= self.document.caret <= token.end:
            self._choose(token, partial(self.document.set_caret, token.start))
        else:
            self.chosen.emit(token)

    def _choose(self, token: PointedAt, move_caret: Callable[[], None]) -> None:
        self.is_choosing = True
        move_caret()
        self.is_choosing = False
        self.chosen.emit(token)

    # The file

    @property
    def path(self) -> Path | None:
        """The file that the text came from or was saved to."""
        return self._origins.present.path

    @property
    def is_modified(self) -> bool:
        """Whether the text was edited since it was opened or saved."""
        return self._origins.present.is_modified

    def open(self, path: Path) -> None:
        """Replace the text by the bytes of a file; undo restores the old text."""
        self.reading.start(lambda progress: (path, read_text(path, progress)))

    def save(self, path: Path) -> bool:
        """Write the text to a file; return whether that worked."""
        try:
            write_text(path, self.document.text())
        except TokenloupeError as error:
            self.failed.emit(str(error))
            return False
        self.document.buffer.end_undo_step()
        self._origins.set_file(path, self.document.buffer.mark_last())
        self._notify_file_changed()
        return True

    def show(self, text: bytes) -> None:
        """Replace the text by one without a file; undo restores the old text."""
        self._replace(text, None)

    def show_autosaved(self, text: bytes, path: Path | None) -> None:
        """Replace the text by an autosaved one, a modified version of the file at `path` if given."""
        self._replace(text, path, is_modified=path is not None)

    def restore(self, text: bytes, path: Path | None) -> None:
        """Start with an autosaved text, a modified version of the file at `path` if given."""
        self._take_origin = partial(self._origins.begin, path, is_modified=True)
        self.document.set_text(text)

    def _take(self, result: tuple[Path, bytes]) -> None:
        path, text = result
        self._replace(text, path)

    def _replace(self, text: bytes, path: Path | None, is_modified: bool = False) -> None:
        self.left.emit()
        buffer = self.document.buffer
        if text or self.document.size:
            self._take_origin = lambda: self._origins.replace(path, buffer.mark_last(), is_modified)
            self.document.replace(0, self.document.size, text)
        else:  # replacing an empty text by an empty one is not an edit
            self._origins.set_file(path, buffer.mark_last(), is_modified)
            self._notify_file_changed()
        self.document.set_caret(0)

    def _on_written(self, edit: TextEdit) -> None:
        if self._take_origin is None:
            self._origins.note_edit(self.document.buffer)
        else:
            self._take_origin()
            self._take_origin = None

    def _notify_file_changed(self) -> None:
        if (file := (self.path, self.is_modified)) != self._told_file:
            self._told_file = file
            self.file_changed.emit()


class TextAutosave(QObject):
    """Saves unsaved changes, in case the program crashes.

    Writes the initial text once, then only edits.  If `text_before` is not available, the current text is
    copied instead.
    """

    def __init__(self, text: TextSession, files: AutosavedTexts, parent: QObject) -> None:
        super().__init__(parent)
        self._text, self._files = text, files
        self._edits: list[JournalEdit] = []  # not written yet
        self._text_before: bytes | None = None  # before the first of them, if available
        self._soon = QTimer(self, singleShot=True, interval=AUTOSAVE_MS)
        self._soon.timeout.connect(self.keep)
        text.document.edited.connect(self._on_edited)
        text.file_changed.connect(self._on_file_changed)
        text.left.connect(self._leave)

    def take(self) -> None:
        """Show the autosaved text of a previous window, if there is one."""
        if (autosaved := self._files.take()) is not None:
            self._text.restore(autosaved.data, autosaved.path)
            self._soon.stop()
            self._text_before, self._edits = None, []  # the files already contain this text

    def keep(self) -> None:
        """Write the pending edits now."""
        self._soon.stop()
        text, files = self._text, self._files
        before, edits = self._text_before, self._edits
        self._text_before, self._edits = None, []
        if not text.is_modified or (text.path is None and text.document.size == 0):
            files.forget()
            return
        if not files.is_autosaving:
            files.keep(text.document.text() if before is None else before, text.path)
            edits = [] if before is None else edits
        if edits:
            files.keep_edits(edits)

    def _leave(self) -> None:
        """Set the text aside before another replaces it; undo, the menu or the next window restores it."""
        self.keep()
        self._files.set_aside()

    def _on_file_changed(self) -> None:
        if not self._text.is_modified:  # saved, or already set aside
            self._files.forget()

    def _on_edited(self, edit: TextEdit) -> None:
        document = self._text.document
        if not self._edits and not self._files.is_autosaving:
            self._text_before = document.buffer.text_before
        new = document.slice(edit.start, edit.start + edit.added)
        self._edits.append(JournalEdit(edit.start, edit.removed, new))
        if not self._soon.isActive():
            self._soon.start()


@dataclass
class TextOrigin:
    """The file of a text, None if it has none, and whether the text differs from it.

    saved  the state that is in the file, None if undo and redo do not lead to it
    mark   the undo step that inserted the text, None for the first text
    """

    path: Path | None
    is_modified: bool
    saved: UndoPoint | None
    mark: UndoPoint | None = None


class TextOrigins:
    """The origins of all texts that undo and redo can restore, including the current text."""

    def __init__(self) -> None:
        self._origins = [TextOrigin(None, False, UndoPoint())]
        self._at = 0

    @property
    def present(self) -> TextOrigin:
        return self._origins[self._at]

    def begin(self, path: Path | None, is_modified: bool) -> None:
        """Start with a text that undo cannot remove."""
        self._origins, self._at = [TextOrigin(path, is_modified, None if is_modified else UndoPoint())], 0

    def set_file(self, path: Path | None, state: UndoPoint, is_modified: bool = False) -> None:
        """Set the file of the current text; `state` is the current state."""
        present = self.present
        present.path, present.is_modified, present.saved = path, is_modified, None if is_modified else state

    def replace(self, path: Path | None, mark: UndoPoint, is_modified: bool = False) -> None:
        """Add the origin of a text that has replaced the current one, in the undo step `mark`."""
        del self._origins[self._at + 1 :]
        self._origins.append(TextOrigin(path, is_modified, None if is_modified else mark, mark))
        self._at += 1

    def note_edit(self, buffer: TextBuffer) -> None:
        """Update after an edit, undo or redo."""
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
