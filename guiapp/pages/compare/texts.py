"""The window's text next to another text or a list of ids, in tokens of the window's model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.id_changes import (
    ChangesReport,
    IdChange,
    changes_after_edits,
    compare_ids,
    id_changes,
    is_fast,
)
from guiapp.analysis.compare.texts import text_files
from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.analysis.explain.id_lists import NO_IDS, IdsError, ListedId, listed_ids
from guiapp.core.encode.encoding import NO_TOKENS, FragmentTokens
from guiapp.core.text.normalized import code_points, common_ends, sizes_in_bytes
from guiapp.core.text.numbers_in_words import in_bytes
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.live_spans import PAUSE_MS, Job, move_spans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.side_by_side.linked import ChangeSpans, MarkedSpans
from guiapp.kit.side_by_side.walk import DifferenceWalk
from guiapp.kit.spans.source import NO_ID, TokenizedText
from guiapp.kit.state.background import Background, LatestJob, Progress

LARGEST_TEXT_BYTES = 1 << 26  # decoded from ids; a hostile model file can make few ids decode to any size


class ComparedTexts(QObject):
    """Compares two texts, or a text and ids, live while either is edited.

    Nothing of the right side is written to disk; its text and its ids both stay while the other is shown.

    first, second  the window's session; the other text's session, with the same model and options
    ids            a list of ids instead of the other text
    left           the window's text
    right          the other text
    numbers        the ids as written
    decoded        the text that the ids decode to
    outcome        the changes; until typing pauses, there may be needless ones near edits
    walk           goes through the changes, as spans of the left text
    files          files that were opened together, if any: each can be shown at the right

    Signals:
        changed(): `outcome`, `is_outdated`, `files` or `takes_ids` is new.
        report_changed(): `report` is new.
    """

    changed = Signal()
    report_changed = Signal()

    def __init__(self, session: ModelSession) -> None:
        super().__init__()
        self.first = session
        self.second = ModelSession(
            TextSession(parent=self), session.options, parent=self, spelling=session.spelling
        )
        self.ids = PastedIds(session, self)
        self.takes_ids = False
        self.files: Sequence[Path] = ()
        self._listing = LatestJob[list[Path]](self, self._take_files, self.second.text.failed)
        self.outcome = id_changes(NO_IDS, NO_IDS)
        self._is_watching = self._is_stale = False
        self.left = MarkedSpans(session, self, self)
        self.right, self.numbers, self.decoded = (
            MarkedSpans(source, self, self, 1, self.left)
            for source in (self.second, self.ids.numbers, self.ids.decoded)
        )
        self.walk = DifferenceWalk(session.document, self._differences, self)
        self.changed.connect(self.walk.changed)
        self._checking = Background[ChangesReport](self, self._comparing, is_watched=True)
        self._checking.changed.connect(self._take_report)
        session.vocabulary_changed.connect(self._on_model_changed)
        session.options_changed.connect(self._on_options_changed)
        session.tokens_changed.connect(self._on_first_changed)
        self.second.tokens_changed.connect(self._on_second_changed)
        self.ids.numbers.tokens_changed.connect(self.numbers.notify)
        self.ids.decoded.tokens_changed.connect(self.decoded.notify)
        self.ids.changed.connect(self._compare)
        self.ids.busy_changed.connect(self.changed)
        self._on_model_changed()

    def stop(self) -> None:
        self._checking.close()
        self._listing.wait()
        self.ids.stop()
        self.second.close()
        self.second.text.close()

    def watch(self, is_watching: bool) -> None:
        self._is_watching = is_watching
        if is_watching and self._is_stale:
            self._compare()

    def take_ids(self, takes_ids: bool) -> None:
        if takes_ids != self.takes_ids:
            self.takes_ids = takes_ids
            self._compare()

    def open_texts(self, paths: Sequence[Path]) -> None:
        """Open a text at the right; of several or a folder, list all and open the first two on both sides."""
        self._listing.start(partial(_texts_of, paths))

    def _take_files(self, files: list[Path]) -> None:
        *before, shown = files[:2]
        self.files = files if before else ()
        for path in before:
            self.first.text.open(path)
        self.second.text.open(shown)
        self.take_ids(False)
        self.changed.emit()

    def copy_left(self) -> None:
        """Replace the right text by the left one, to change it; undo restores the right text."""
        self.second.text.show(self.first.document.text())

    # The result

    @property
    def report(self) -> ChangesReport | None:
        """The report; None while the user types."""
        return self._checking.value

    @property
    def is_outdated(self) -> bool:
        return self.first.is_encoding or (self.ids.is_busy if self.takes_ids else self.second.is_encoding)

    @property
    def sides(self) -> tuple[MarkedSpans, MarkedSpans]:
        return self.left, self.decoded if self.takes_ids else self.right

    @property
    def names(self) -> tuple[str, str]:
        first, second = self.first.text.path, self.second.text.path
        other = "the second text" if second is None else second.name
        return (
            "The first text" if first is None else first.name,
            "the list of ids" if self.takes_ids else other,
        )

    @property
    def has_second(self) -> bool:
        return (self.ids.text if self.takes_ids else self.second).document.size > 0

    @property
    def is_shown(self) -> bool:
        """Whether there is another side, and it has tokens."""
        return self.has_second and (len(self.outcome.second) > 0 or not self.is_outdated)

    @property
    def n_changes(self) -> int:
        return len(self.outcome.rows) if self.is_shown else 0

    # The current change

    @property
    def current_change(self) -> IdChange | None:
        return None if (index := self.walk.current) is None else self.change(index)

    def change(self, index: int) -> IdChange:
        return IdChange._make(self.outcome.rows[index].tolist())

    def step(self, by: int, side: int) -> None:
        """Go to the next or previous change, wrapping around; begin at the caret of a side."""
        left, right = self.sides
        self.walk.step(by, right.counterpart_offset(left, right.document.caret) if side else None)

    def _differences(self) -> ChangeSpans | None:
        return ChangeSpans(self.left, self.outcome) if self.is_shown else None

    # Following both sides

    def _on_model_changed(self) -> None:
        self._checking.forget()
        self.walk.leave()
        self.outcome = id_changes(NO_IDS, NO_IDS)  # the ids are meaningless in another vocabulary
        self._is_stale = True
        if (model := self.first.loader.model) is not None:
            self.second.set_options(self.first.options)
            self.second.loader.share(model)

    def _on_options_changed(self) -> None:
        self.second.set_options(self.first.options)

    def _on_first_changed(self, edit: TextEdit | None) -> None:
        self._compare(self.left, edit)

    def _on_second_changed(self, edit: TextEdit | None) -> None:
        self._compare(self.right, edit)

    def _compare(self, edited: MarkedSpans | None = None, edit: TextEdit | None = None) -> None:
        """Find the changes; then notify of the edit of one side, if any, and of all marks."""
        self._checking.forget()
        known_side = None if edited is None or self._is_stale else 1 - edited.side
        self._is_stale = not self._is_watching
        if not self._is_stale:
            first = self.outcome.first if known_side == 0 else self._ids(0)
            second = self.outcome.second if known_side == 1 else self._ids(1)
            find = id_changes if is_fast(first, second) else partial(changes_after_edits, self.outcome)
            self.outcome = find(first, second)
            if not self.is_outdated and self.has_second:
                self._checking.refresh(PAUSE_MS)
        if edited is not None:
            edited.notify(edit)
        if not self._is_stale:
            self._notify_marks(edited)

    def _ids(self, side: int) -> NDArray[np.int32]:
        if side and self.takes_ids:
            return NO_IDS if self.ids.read is None else self.ids.read.token_ids
        tokens = (self.second if side else self.first).tokens
        return tokens.ids(0, len(tokens))

    def _comparing(self) -> Job[ChangesReport] | None:
        tokenizer, names, outcome = self.first.tokenizer, self.names, self.outcome
        if tokenizer is None:
            return None
        return lambda _: compare_ids(tokenizer, names, outcome.first, outcome.second)

    def _take_report(self) -> None:
        if self._checking.is_busy:
            return  # it will follow
        if self.report is not None and not np.array_equal(self.report.outcome.rows, self.outcome.rows):
            self.outcome = self.report.outcome
            self._notify_marks()
        self.report_changed.emit()

    def _notify_marks(self, but: MarkedSpans | None = None) -> None:
        for side in (self.left, *((self.numbers, self.decoded) if self.takes_ids else (self.right,))):
            if side is not but:
                side.notify()
        self.changed.emit()


def _texts_of(paths: Sequence[Path], progress: Progress) -> list[Path]:
    """The files, and the texts below the folders.  Raises TextFolderError."""
    return [each for path in paths for each in (text_files(path).paths if path.is_dir() else (path,))]


@dataclass(frozen=True, eq=False)
class ReadIds:
    """The ids of a list, up to the first error in it.

    token_ids  int32[n]
    numbers    the ids with their positions in the list, NO_ID at the error
    text       the text that the ids decode to
    tokens     the ids with their positions in `text`; control tokens at its ends are empty spans
    error      the error message, "" for none
    """

    token_ids: NDArray[np.int32]
    numbers: FragmentTokens
    text: bytes
    tokens: FragmentTokens
    error: str = ""


class ListedSpans(TokenizedText):
    """Tokens that are set from outside, in the vocabulary of a model."""

    def __init__(self, document: TextDocument, model: ModelSession, parent: QObject) -> None:
        super().__init__(document, model, model.spelling, TokenStore(NO_TOKENS, document.size), parent)
        self._coming: FragmentTokens | None = None
        document.written.connect(self._on_written)
        document.edited.connect(self.notify)

    def show(self, tokens: FragmentTokens, text: bytes) -> None:
        """Show a text with these tokens; unchanged text stays where it is on screen."""
        before = self.document.text()
        if text == before:
            self._tokens = TokenStore(tokens, len(text))
            self.notify()
            return
        self._coming = tokens
        start, n_behind = common_ends(before, text)
        self.document.replace(start, len(before) - n_behind, text[start : len(text) - n_behind])

    def _on_written(self, edit: TextEdit) -> None:
        if self._coming is None:
            move_spans(self.tokens, edit)
        else:
            self._tokens, self._coming = TokenStore(self._coming, self.document.size), None


class PastedIds(QObject):
    """A list of ids, in any form that `listed_ids` takes, and its tokens in the model's vocabulary.

    text     the list, to edit; it stays when another model is opened
    numbers  the ids at their positions in the list
    decoded  the text that the ids decode to

    Signals:
        changed(): `read` is new; None if no model is open.
        busy_changed(): `is_busy` is new.
    """

    changed = Signal()
    busy_changed = Signal()

    def __init__(self, model: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.text = TextSession(parent=self)
        self.numbers = ListedSpans(self.text.document, model, self)
        self.decoded = ListedSpans(TextDocument(parent=self), model, self)
        self.read: ReadIds | None = None
        self._job = LatestJob[ReadIds](self, self._take)
        self._job.busy_changed.connect(self.busy_changed)
        self.text.document.edited.connect(self._read)
        model.vocabulary_changed.connect(self._reread)

    @property
    def is_busy(self) -> bool:
        """Whether the list is newer than `read`."""
        return self._job.is_busy

    def stop(self) -> None:
        self._job.wait()
        self.text.close()

    def _reread(self) -> None:
        self.read = None
        self.numbers.show(NO_TOKENS, self.text.document.text())
        self.decoded.show(NO_TOKENS, b"")
        self.changed.emit()
        self._read()

    def _read(self) -> None:
        if (vocabulary := self._model.vocabulary) is not None:
            self._job.start(partial(_read, vocabulary, self.text.document.text()))

    def _take(self, read: ReadIds) -> None:
        self.read = read
        self.numbers.show(read.numbers, self.text.document.text())
        self.decoded.show(read.tokens, read.text)
        self.changed.emit()


def _read(vocabulary: Vocabulary, written: bytes, progress: Progress) -> ReadIds:
    text = written.decode("utf-8", "surrogateescape")
    listed, error = [], ""
    try:
        for each in listed_ids(text, len(vocabulary)):
            listed.append(each)
    except IdsError as caught:
        error = str(caught)
        listed.append(ListedId(NO_ID, caught.start, caught.end))
    ids, starts, ends = np.array(listed, np.int64).reshape(-1, 3).T
    offsets = _byte_offsets(text)
    numbers = FragmentTokens(ids.astype(np.int32), offsets[starts], offsets[ends])
    token_ids = numbers.ids[: len(listed) - bool(error)]
    progress(0.5)
    return _decoded(vocabulary, token_ids, numbers, error)


def _decoded(
    vocabulary: Vocabulary, token_ids: NDArray[np.int32], numbers: FragmentTokens, error: str
) -> ReadIds:
    lengths = np.diff(vocabulary.token_bytes_table[1])[token_ids]
    is_text = np.flatnonzero((vocabulary.attributes[token_ids] & Attribute.CONTROL.value) == 0)
    first, last = (int(is_text[0]), int(is_text[-1]) + 1) if len(is_text) else (len(token_ids),) * 2
    lengths[:first] = lengths[last:] = 0
    ends = np.cumsum(lengths)
    n_bytes = int(ends[-1]) if len(ends) else 0
    if n_bytes > LARGEST_TEXT_BYTES:
        error = f"These ids decode to {in_bytes(n_bytes)} of text, which is too much to show. Paste fewer."
        return ReadIds(token_ids[:0], numbers, b"", NO_TOKENS, error)
    text = vocabulary.decoder.decode(token_ids[first:last], n_bytes).tobytes()
    return ReadIds(token_ids, numbers, text, FragmentTokens(token_ids, ends - lengths, ends), error)


def _byte_offsets(text: str) -> NDArray[np.int64]:
    """int64[n + 1]: the byte offsets at which the characters of a text begin, and its size."""
    if text.isascii():
        return np.arange(len(text) + 1)
    return np.append(0, np.cumsum(sizes_in_bytes(code_points(text))))
