"""The window's text beside another one, or beside ids from elsewhere, in tokens of the window's model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.changes_report import ChangesReport, compare_ids
from guiapp.analysis.compare.id_changes import IdChange, IdChanges, changes_after_edits, id_changes, is_fast
from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.kit.document.live_spans import Job, TextCheck
from guiapp.kit.session.decode import NO_IDS
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.compare.texts_ids import PastedIds
from guiapp.pages.compare.texts_marks import MarkedSpans


class ComparedTexts(QObject):
    """What both sides have in common, live while either is edited.

    Nothing of the right side is written to a disk; both of its kinds stay while the other one is shown.

    first, second  the window's session; that of the other text, with the same model and options
    ids            a list of ids in place of the other text
    left           the window's text
    right          the other text
    numbers        the ids as they are written
    decoded        what they stand for
    outcome          the changes: near edits there may be more than need be until typing pauses
    current        which change people look at, None before they look at any

    Signals:
        changed(): `outcome`, `is_outdated` or `takes_ids` is new.
        report_changed(): `report` is new.
        current_changed(): `current` is new.
    """

    changed = Signal()
    report_changed = Signal()
    current_changed = Signal()

    def __init__(self, session: ModelSession) -> None:
        super().__init__()
        self.first = session
        self.second = ModelSession(
            TextSession(parent=self), session.options, parent=self, spelling=session.spelling
        )
        self.ids = PastedIds(session, self)
        self.takes_ids = False
        self.outcome = id_changes(NO_IDS, NO_IDS)
        self.current: int | None = None
        self._is_watching = self._is_stale = False
        self.left = MarkedSpans(session, self, self)
        self.right, self.numbers, self.decoded = (
            MarkedSpans(source, self, self, self.left)
            for source in (self.second, self.ids.numbers, self.ids.decoded)
        )
        self._checking = TextCheck[ChangesReport](self)
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
        """Give up work in the background, and wait for it."""
        self._checking.wait()
        self.ids.stop()
        self.second.close()
        self.second.text.close()

    def watch(self, is_watching: bool) -> None:
        """Compare from now on, or no longer: the page is shown or hidden."""
        self._is_watching = is_watching
        if is_watching and self._is_stale:
            self._compare()

    def take_ids(self, takes_ids: bool) -> None:
        """Compare with the list of ids, or with the other text."""
        if takes_ids != self.takes_ids:
            self.takes_ids = takes_ids
            self._compare()

    def copy_left(self) -> None:
        """Put the left text in place of the right one, to change it; undo brings that back."""
        self.second.text.show(self.first.document.text())

    # What is found

    @property
    def report(self) -> ChangesReport | None:
        """All that is told; None while somebody types."""
        return self._checking.result

    @property
    def is_outdated(self) -> bool:
        """Whether tokens of a side are still being found."""
        return self.first.is_encoding or (self.ids.is_busy if self.takes_ids else self.second.is_encoding)

    @property
    def sides(self) -> tuple[MarkedSpans, MarkedSpans]:
        """The texts that stand beside each other."""
        return self.left, self.decoded if self.takes_ids else self.right

    @property
    def names(self) -> tuple[str, str]:
        """What to call both sides; texts by their files."""
        paths = self.first.text.path, self.second.text.path
        first, second = (
            otherwise if path is None else path.name
            for path, otherwise in zip(paths, ("The first text", "the second text"), strict=True)
        )
        return first, "the list of ids" if self.takes_ids else second

    @property
    def has_second(self) -> bool:
        """Whether there is anything to compare with."""
        return (self.ids.text if self.takes_ids else self.second).document.size > 0

    @property
    def is_shown(self) -> bool:
        """Whether what is found is worth to be seen: there is another side, and it has tokens."""
        return self.has_second and (len(self.outcome.second) > 0 or not self.is_outdated)

    @property
    def n_changes(self) -> int:
        """How many changes there are to be seen."""
        return len(self.outcome.rows) if self.is_shown else 0

    # Which change people look at

    @property
    def current_change(self) -> IdChange | None:
        return None if self.current is None else self.change(self.current)

    def change(self, index: int) -> IdChange:
        return IdChange._make(self.outcome.rows[index].tolist())

    def go_to(self, index: int) -> None:
        """Look at a change, if it is still there."""
        if index < self.n_changes:
            self.current = index
            self.current_changed.emit()

    def step(self, by: int, side: int) -> None:
        """Look at the next change or the one before, round and round; begin at the caret of a side."""
        if self.n_changes:
            at = self._near_caret(by, self.sides[side]) if self.current is None else self.current + by
            self.go_to(at % self.n_changes)

    def _near_caret(self, by: int, side: MarkedSpans) -> int:
        token = side.tokens.first_ending_after(side.document.caret)
        before = int(self.outcome.rows[:, 2 * side.side].searchsorted(token))
        return before if by > 0 else before - 1

    # Following both sides

    def _on_model_changed(self) -> None:
        self._checking.forget()
        self._set_outcome(
            id_changes(NO_IDS, NO_IDS)
        )  # in other vocabularies those ids mean nothing, or are none
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
        """Find the changes, then tell of an edit of one side and of all marks, the edit first."""
        self._checking.forget()
        known_side = None if edited is None or self._is_stale else 1 - edited.side
        self._is_stale = not self._is_watching
        if not self._is_stale:
            first = self.outcome.first if known_side == 0 else self._ids(0)
            second = self.outcome.second if known_side == 1 else self._ids(1)
            if is_fast(first, second):
                self._set_outcome(id_changes(first, second))
            else:
                self._set_outcome(changes_after_edits(self.outcome, first, second))
            if not self.is_outdated and self.has_second:
                self._checking.check(self._comparing)
        if edited is not None:
            edited.notify(edit)
        if not self._is_stale:
            self._notify_marks(edited)

    def _ids(self, side: int) -> NDArray[np.int32]:
        """The tokens of a side as they are now."""
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
        if self.report is not None and not np.array_equal(self.report.outcome.rows, self.outcome.rows):
            self._set_outcome(self.report.outcome)
            self._notify_marks()
        self.report_changed.emit()

    def _set_outcome(self, outcome: IdChanges) -> None:
        before, at = self.outcome.rows, self.current
        self.outcome = outcome
        if at is not None and (
            len(outcome.rows) != len(before) or (outcome.rows[at, ::2] != before[at, ::2]).any()
        ):  # not the one that it was, or not where that was
            self.current = None
            self.current_changed.emit()

    def _notify_marks(self, but: MarkedSpans | None = None) -> None:
        for side in (self.left, *((self.numbers, self.decoded) if self.takes_ids else (self.right,))):
            if side is not but:
                side.notify()
        self.changed.emit()
