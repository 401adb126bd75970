"""One text that people edit: its selection, its file, and what in it they point at."""

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
    """A token of one of the models that share a text; the others look for theirs where it begins.

    model       the `ModelSession` that it is a token of; None where a mere stretch of text is meant
    token       which one of them; those such as BOS have an empty span
    start, end  its span
    """

    model: object
    token: int | None
    start: int
    end: int


class TextSession(Working):
    """A text that any number of models may look at, each through a `ModelSession` of its own.

    What is selected is a stretch of the text, the document's.  Which token a model shows as selected, it says
    itself: the one at the caret, or where `chosen` says.

    hovered      the token under the mouse, None for none
    is_choosing  the caret moves to what is about to be `chosen`: for itself it chooses no token then

    Signals:
        file_changed(): `path` or `is_modified` is new.
        left(): another text takes the place of the present one, right now.
        failed(str): why a text could not be opened or saved.
        pointed_out(object, object): people are to see this stretch of the text, from byte to byte.
        hovered_changed(): `hovered` is new.
        chosen(PointedAt): this token is to be selected in all models.
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
        self._take_origin: Callable[[], None] | None = None  # of a text that is about to come
        self._told_file: tuple[Path | None, bool] = (None, False)
        self.reading = LatestJob[tuple[Path, bytes]](self, self._take, self.failed)
        self.document.written.connect(self._on_written)
        self.document.edited.connect(self._notify_file_changed)

    # What people point at

    def point_out(self, start: int, end: int) -> None:
        """Have a stretch of the text selected and brought into view, whatever page is shown."""
        self.pointed_out.emit(start, end)

    def hover(self, hovered: PointedAt | None) -> None:
        if hovered != self.hovered:
            self.hovered = hovered
            self.hovered_changed.emit()

    def select(self, start: int, end: int) -> None:
        """Select a stretch of the text, as whole characters, and the tokens that it begins in."""
        stretch = self.document.whole_characters(start, end)
        self._choose(PointedAt(None, None, start, end), partial(self.document.select, *stretch))

    def choose(self, token: PointedAt) -> None:
        """Select a token, and put the caret where it begins, unless the caret touches it."""
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
        """Put the bytes of a file in place of the text; undo brings the old text back."""
        self.reading.start(lambda progress: (path, read_text(path, progress)))

    def save(self, path: Path) -> bool:
        """Write the text to a file; whether that worked."""
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
        """Put a text that has no file in place of the present one; undo brings that back."""
        self._replace(text, None)

    def show_autosaved(self, text: bytes, path: Path | None) -> None:
        """Put a text that was kept in place of the present one; of a file it is a changed version."""
        self._replace(text, path, is_modified=path is not None)

    def restore(self, text: bytes, path: Path | None) -> None:
        """Begin with a text that was kept, a changed version of the file if there is one."""
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
        else:  # nothing in the place of nothing is no edit
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
    """Keeps what is in no file, in case the program ends without a word.

    Only edits are written, in front of them once the text that they begin from: if nobody had asked for it
    as a whole before, it is copied here.
    """

    def __init__(self, text: TextSession, files: AutosavedTexts, parent: QObject) -> None:
        super().__init__(parent)
        self._text, self._files = text, files
        self._edits: list[JournalEdit] = []  # not kept yet
        self._text_before: bytes | None = None  # the first of them, if it is at hand
        self._soon = QTimer(self, singleShot=True, interval=AUTOSAVE_MS)
        self._soon.timeout.connect(self.keep)
        text.document.edited.connect(self._on_edited)
        text.file_changed.connect(self._on_file_changed)
        text.left.connect(self._leave)

    def take(self) -> None:
        """Show the text that a window before this one was left with, if there is any."""
        if (autosaved := self._files.take()) is not None:
            self._text.restore(autosaved.data, autosaved.path)
            self._soon.stop()
            self._text_before, self._edits = None, []  # the whole text is kept, and no edit of another one

    def keep(self) -> None:
        """Write now what was edited."""
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
        """Another text comes; undo may bring this one back, the menu, and after closing the next window."""
        self.keep()
        self._files.set_aside()

    def _on_file_changed(self) -> None:
        if not self._text.is_modified:  # saved, or left for the next window before
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
