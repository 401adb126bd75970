"""The model of the Data page: the records of a file, examined in the background."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.analysis.data.batches import DataBatch, batches
from guiapp.analysis.data.examined import DataExaminer, DataOptions
from guiapp.analysis.data.findings import DataFinding
from guiapp.analysis.data.records import Records, open_records
from guiapp.analysis.data.rows import COLUMNS, FINDING, DataRows, check_query, listed_rows
from guiapp.analysis.data.summary import Packing, TrainingData, packing_of
from guiapp.analysis.vocabulary_list.filters import without
from guiapp.analysis.vocabulary_list.listing import Flags, ListColumn
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Background, LatestJob, Progress
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.list_model import ListRequest, ShownRows, TokenListModel, rows_where

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

FIRST_TICK_MS, TICK_MS = 30, 400  # how often the inbox is emptied: the first time, then repeatedly
BATCH_SIZES = 1, 2, 4, 8, 16, 32, 64
USUAL_BATCH, USUAL_LENGTH = 8, 4096
Inbox = deque[TrainingData | DataBatch]


class DataModel(TokenListModel[DataRows]):
    """The records of a file, and the results of examining them so far.

    path     the file, or None
    options  how records are read and masked
    data     None until the first records are examined; computed with the last valid options
    problem  why examining stopped, as a message for the user; "" if nothing is wrong
    packing  of the examined records, once no more arrive

    Signals:
        options_changed(): `options` or `path` is new.
        data_changed(): `data`, `problem` or `is_running` is new, or more records are examined.
        token_wanted(int): show this token of the chosen record.
    """

    options_changed = Signal()
    data_changed = Signal()
    token_wanted = Signal(object)

    def __init__(
        self, session: ModelSession, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(session.spelling, settings, "data_columns", parent)
        self.session = session
        self.path: Path | None = None
        self.options = DataOptions()
        self.data: TrainingData | None = None
        self.problem, self.batch_size = "", USUAL_BATCH
        self._records: Records | None = None  # of `path`, once it has been opened
        self._rows: DataRows | None = None
        self._texts = dict[str, Flags]()  # texts that were searched for in the file
        self._inbox = Inbox()
        self._is_watched, self._is_due = False, False
        self._job = LatestJob[None](self, self._finish, self._fail)
        self._ticks = QTimer(self)
        self._ticks.timeout.connect(self._take_arrived)
        self.packing = Background[Packing](self, self._prepare_packing)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)
        self.listing.changed.connect(self._catch_up)

    # The file and the options

    def open(self, path: Path) -> None:
        """Examine another file. The options stay, except for the shape of the records."""
        self.path, self._records, self.data, self._rows = path, None, None, None
        self.options, self._texts = replace(self.options, shape=None), {}
        self.set_query("")
        self._set_chosen(None)
        self._list()
        self.options_changed.emit()
        self._begin()

    def set_options(self, options: DataOptions) -> None:
        if options != self.options:
            self.options = options
            self.options_changed.emit()
            self._begin()

    def set_max_length(self, most: int | None) -> None:
        self.set_options(replace(self.options, max_length=most))

    def set_batch_size(self, size: int) -> None:
        self.batch_size = size
        self.packing.refresh()

    @property
    def row_length(self) -> int:
        """The number of tokens in one packed row."""
        return self.options.max_length or USUAL_LENGTH

    # Examining

    @property
    def is_running(self) -> bool:
        return self._job.is_busy

    @property
    def is_complete(self) -> bool:
        """Whether all records have been examined."""
        data = self.data
        return data is not None and data.source.is_complete and data.n_records == len(data.source)

    def set_active(self, is_active: bool) -> None:
        """Start pending work once the page is visible. A running job continues when the page is hidden."""
        self._is_watched = is_active
        if is_active and self._is_due:
            self._begin()

    def stop(self) -> None:
        """Stop examining and keep the results so far."""
        self._job.cancel()
        self._take_arrived()
        self._ticks.stop()
        self._pack()
        self.data_changed.emit()

    def go_on(self) -> None:
        """Examine the remaining records."""
        if self.data is not None and not self.is_running:
            self._run(partial(_examined, self._new_inbox(), self.data, self.data.n_records))

    def _begin(self) -> None:
        """Examine the whole file with the current options, as soon as the page is visible."""
        tokenizer = self.session.tokenizer
        self._is_due = not self._is_watched
        if self.path is None or tokenizer is None or self._is_due:
            return
        source = self._records or self.path
        self._run(partial(_opened, self._new_inbox(), tokenizer, self.options, source))

    def _new_inbox(self) -> Inbox:
        self._inbox = Inbox()
        return self._inbox

    def _run(self, work: Callable[[Progress], None]) -> None:
        self.problem = ""
        self.packing.watch(False)
        self._ticks.start(FIRST_TICK_MS)
        self._job.start(work)
        self.data_changed.emit()

    def _on_vocabulary_changed(self) -> None:
        self._job.cancel()
        self.options = replace(self.options, template=None)
        self.data, self._rows = None, None
        self._list()
        self.options_changed.emit()
        self._begin()
        self.data_changed.emit()

    def _take_arrived(self) -> None:
        """Add the batches that the job has put into the inbox."""
        inbox, has_new = self._inbox, False
        while inbox:
            arrived = inbox.popleft()
            has_new = True
            if isinstance(arrived, TrainingData):
                self.data, self._records = arrived, arrived.source
            elif self.data is not None:
                self.data.add(arrived)
                self._ticks.setInterval(TICK_MS)
        if has_new and self.data is not None:
            self._rows = DataRows.of(self.data, self._texts)
            if self.chosen is None and len(self._rows):
                self._set_chosen(0)
            self._catch_up()
            self.data_changed.emit()

    def _finish(self, _: None) -> None:
        self._ticks.stop()
        self._take_arrived()
        self._pack()
        self.data_changed.emit()

    def _fail(self, problem: str) -> None:
        self._ticks.stop()
        self._take_arrived()
        self.problem = problem
        self.data_changed.emit()

    def _pack(self) -> None:
        """Compute what packing saves, after all records have been examined."""
        self.packing.refresh()
        self.packing.watch(True)

    def _prepare_packing(self) -> Callable[[Progress], Packing] | None:
        if self.data is None or not self.data.n_records:
            return None
        lengths, most, size = self.data.lengths, self.row_length, self.batch_size
        return lambda progress: packing_of(lengths, most, size)

    # The list

    @property
    def source(self) -> DataRows | None:
        return self._rows

    @property
    def column_table(self) -> Sequence[ListColumn[DataRows]]:
        return COLUMNS

    @property
    def noun(self) -> str:
        return "record"

    @property
    def is_up_to_date(self) -> bool:
        return super().is_up_to_date and not self.is_running

    def check_query(self, query: str) -> None:
        check_query(query)

    def list_rows(self, source: DataRows, request: ListRequest, progress: Progress) -> ShownRows[DataRows]:
        sort = self.sorting(request)
        if not request.query and sort is None:
            return ShownRows(request, source, range(len(source)))
        flags = listed_rows(source, request.query, progress)
        return ShownRows(request, source, rows_where(source, flags, sort, request.is_descending))

    def _catch_up(self) -> None:
        """List the records that arrived since the last listing, unless a listing is still running."""
        if not self.listing.is_busy and self.shown.source is not self._rows:
            self._list()

    def choose_finding(self, finding: DataFinding) -> None:
        """List the records that have this finding, and select the first."""
        self.set_query(f"{without(self.query, FINDING)} {FINDING}:{finding.code}".strip())
        self.choose(finding.record - 1)
        self.token_wanted.emit(finding.token)


def _opened(
    inbox: Inbox, tokenizer: Tokenizer, options: DataOptions, source: Path | Records, progress: Progress
) -> None:
    examiner = DataExaminer(tokenizer, options)
    data = TrainingData(examiner, open_records(source))
    inbox.append(data)
    _examined(inbox, data, 0, progress)


def _examined(inbox: Inbox, data: TrainingData, start: int, progress: Progress) -> None:
    """Put batches into the inbox. The code that empties it adds them to `data`."""
    with closing(batches(data.examiner, data.source, start=start)) as examined:
        for batch in examined:
            inbox.append(batch)
            progress(0.0)  # raises if the job was cancelled
