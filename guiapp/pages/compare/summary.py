"""Counts of any number of models on the window's text or a folder of texts.

The models of the columns are open anyway.  The others are opened, counted with and closed one by one; a few
stay open, as their memory matters less than the time to open them again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.comparison import LONGEST_CONTEXT, Counts, ModelSide, names_apart
from guiapp.analysis.compare.texts import count_texts, text_files
from guiapp.analysis.compare.texts_report import Terms, count_tables, csv_text, svg_text
from guiapp.analysis.editing.token_store import Options
from guiapp.analysis.export.tables import page_of
from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import cached_name, lasting_name
from guiapp.core.text.numbers_in_words import percent
from guiapp.core.text.outside_json import read_as, read_json
from guiapp.kit.session.loader import Load, OpenModel, display_name, title_of
from guiapp.kit.state.background import LatestJob, Progress, later
from guiapp.kit.state.recent import InstalledModels
from guiapp.kit.state.saving import read_text
from guiapp.kit.state.settings import Settings
from guiapp.pages.compare.models import NO_MODEL

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.kit.session.model_session import ComparedModels, ModelSession

NamedTexts = Iterator[tuple[str, bytes]]
MOST_PRICE = 1e12
MOST_KEPT = 500  # models with their own price
OPENING_SHARE = 0.5  # of a row's progress
PAUSE_MS = 300  # without typing, before counting begins
KEPT_OPEN = 4  # of the models without a column; a large one takes 30 MB


class SummaryModel(QObject):
    """The rows: columns first, then the models that were added here.

    terms      prices and context
    texts      the texts to count; None until typing in the window has paused
    folder     the folder of these texts; None for the window's text
    failure    why a folder could not be counted

    Signals:
        changed(): rows or counts are new.
    """

    changed = Signal()

    def __init__(
        self,
        compared: ComparedModels,
        settings: Settings,
        load: Load = open_model,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._compared = compared
        self._load = load
        self.terms = SummaryTerms(settings, self)
        self.folder: Path | None = None
        self.failure = ""
        self._is_active = False
        self._columns: list[SummaryRow] = []
        self._others: list[SummaryRow] = []
        self._open: dict[SummaryRow, Tokenizer] = {}
        self.texts: SummaryTexts | None = None
        self._at_work: SummaryRow | None = None
        self._basis: Basis | None = None  # of the row being counted
        self._last_progress = ""
        self._job = LatestJob["tuple[Tokenizer, Counts]"](self, self._take, self._fail)
        self._job.progress_changed.connect(self._on_progress_changed)
        self._listing = LatestJob[tuple[Path, SummaryTexts]](self, self._take_folder, self._on_listing_failed)
        self._listing.busy_changed.connect(self.changed)
        self._pause = later(self, PAUSE_MS, self._go_on)
        self.installed = InstalledModels(self)
        self._adds_installed = False
        self.installed.looking_changed.connect(self._add_installed)
        self.terms.changed.connect(self.changed)
        self._document = compared.sessions[0].document
        self._document.edited.connect(self._on_text_changed)
        compared.sessions_changed.connect(self._on_sessions_changed)
        compared.models_changed.connect(self._on_models_changed)
        self._on_sessions_changed()

    def stop(self) -> None:
        self._pause.stop()
        for job in (self._job, self._listing):
            job.wait()
        self.installed.close()

    def watch(self, is_active: bool) -> None:
        self._is_active = is_active
        if is_active:
            self._go_on()
        else:
            self._at_work = None
            self._job.cancel()

    # Rows

    @property
    def rows(self) -> list[SummaryRow]:
        return [*self._columns, *self._others]

    @property
    def is_counting(self) -> bool:
        return self.is_listing or any(map(self.is_due, self.rows))

    def is_due(self, row: SummaryRow) -> bool:
        """Whether the row's counts are missing, or not of the present texts and options."""
        return row.model is not None and (self.texts is None or row.basis != self._basis_of(row, self.texts))

    def titles(self) -> list[str]:
        """Distinct names of the rows."""
        rows = self.rows
        pres = [row.model[1] if row.model is not None else None for row in rows]
        encoders = [row.session.options.encoder if row.session is not None else None for row in rows]
        chosen = [", ".join(filter(None, pair)) for pair in zip(pres, encoders, strict=True)]
        return names_apart([row.name for row in rows], chosen, [row.title for row in rows])

    def state_of(self, row: SummaryRow) -> str:
        """A message to show instead of counts, or "" if there are counts."""
        if row.failure and not self.is_due(row):
            return row.failure
        if row.counts is not None:
            return ""
        if row.model is None:
            is_loading = row.session is not None and row.session.loader.loading_name is not None
            return "Opening…" if is_loading else "No model is open here."
        if row is not self._at_work:
            return "Waiting"
        return f"Counting: {percent(self._job.progress)}"

    def add(self, name: str, pre: str | None = None) -> None:
        self.add_all([(name, pre)])

    def add_all(self, models: Iterable[tuple[str, str | None]]) -> None:
        there = {(lasting_name(row.name), row.model[1]) for row in self.rows if row.model is not None}
        for name, pre in models:
            if (key := (lasting_name(name), pre)) not in there:
                there.add(key)
                self._others.append(SummaryRow((name, pre), title_of(name)))
        self._go_on()
        self.changed.emit()

    def add_installed(self) -> None:
        self._adds_installed = True
        self.installed.scan()
        self.changed.emit()

    def can_remove(self, row: SummaryRow) -> bool:
        return row in self._others or row in self._columns[1:]

    def remove(self, row: SummaryRow) -> None:
        """Remove a model, also from the columns; the first column stays."""
        if row in self._others:
            self._others.remove(row)
            self._open.pop(row, None)
            if row is self._at_work:
                self._at_work = None
                self._job.cancel()
                self._go_on()
            self.changed.emit()
        elif row.session is not None and row in self._columns[1:]:
            self._compared.remove(row.session)

    def can_become_column(self, row: SummaryRow) -> bool:
        return row in self._others and not row.failure and self._compared.can_add

    def make_column(self, row: SummaryRow) -> None:
        if self.can_become_column(row) and row.model is not None:
            self.remove(row)
            self._compared.add(*row.model)

    # The texts to count

    @property
    def is_listing(self) -> bool:
        return self._listing.is_busy

    def count_folder(self, folder: Path) -> None:
        """Count the texts of a folder instead of the window's text, once they are listed."""
        self.failure = ""
        self._listing.start(lambda progress: (folder, texts_in(folder, progress)))

    def count_text(self) -> None:
        self._listing.cancel()
        self.failure, self.folder = "", None
        self._begin_again()

    def _take_folder(self, results: tuple[Path, SummaryTexts]) -> None:
        self.folder, self.texts = results
        self._count_again()

    def _on_listing_failed(self, why: str) -> None:
        self.failure = why
        self.changed.emit()

    def _on_text_changed(self) -> None:
        if self.folder is None:
            self._begin_again()

    def _begin_again(self) -> None:
        """Handle a new text, which may change again soon."""
        if self.texts is None:
            self._pause.start()
        else:
            self.texts = None
            self._count_again()

    def _count_again(self) -> None:
        """Cancel counting if its result would be outdated, and count the rows that are due."""
        if self._at_work is not None and self.is_due(self._at_work):
            self._at_work = None
            self._job.cancel()
        self._pause.start()
        self.changed.emit()

    # Following the columns

    def _on_sessions_changed(self) -> None:
        rows = {row.session: row for row in self._columns}
        self._columns = [rows.get(each) or self._column_of(each) for each in self._compared.sessions]
        self._on_models_changed()

    def _column_of(self, session: ModelSession) -> SummaryRow:
        session.options_changed.connect(self._count_again)
        return SummaryRow(None, NO_MODEL, session)

    def _on_models_changed(self) -> None:
        """Name the columns after the requested models, even those that do not open."""
        for row, loader in ((row, row.session.loader) for row in self._columns if row.session is not None):
            row.title = loader.title or NO_MODEL
            if (model := loader.model) is not None:
                row.model = model.name, model.tokenizer.vocabulary.chosen_pre or None
        self._count_again()

    # Counting

    def _basis_of(self, row: SummaryRow, texts: SummaryTexts) -> Basis:
        """The basis of a row's counts; models without a column use the window's options."""
        if row.session is not None:
            return Basis(texts, row.session.options, row.session.tokenizer)
        return Basis(texts, replace(self._compared.sessions[0].options, encoder=None), None)

    def _go_on(self) -> None:
        """Start counting the next row that is due, unless one is being counted or the user types."""
        if self._at_work is not None or self._pause.isActive() or not self._is_active:
            return
        texts = self.texts = self.texts or self._present_text()
        row = next(filter(self.is_due, self.rows), None)
        if row is None or row.model is None:
            return
        self._at_work, basis = row, self._basis_of(row, texts)
        tokenizer = basis.tokenizer or self._open.get(row)
        row.failure, self._basis = "", basis
        name = cached_name(row.name) if row.counts is not None else row.name
        self._job.start(partial(count, self._load, (name, row.model[1]), tokenizer, basis))
        self.changed.emit()

    def _present_text(self) -> SummaryTexts:
        path = self._compared.sessions[0].text.path
        return one_text("" if path is None else str(path), self._document.text())

    def _on_progress_changed(self) -> None:
        if self._at_work is not None and (state_text := self.state_of(self._at_work)) != self._last_progress:
            self._last_progress = state_text
            self.changed.emit()

    def _take(self, counted: tuple[Tokenizer, Counts]) -> None:
        row, self._at_work = self._at_work, None
        tokenizer, counts = counted
        if row is not None:
            row.counts, row.basis = counts, self._basis
            if row.session is None:
                row.title = display_name(OpenModel(row.name, tokenizer))
                if len(self._open) < KEPT_OPEN:
                    self._open[row] = tokenizer
        self._go_on()
        self.changed.emit()

    def _fail(self, why: str) -> None:
        row, self._at_work = self._at_work, None
        if row is not None:
            row.counts, row.failure, row.basis = None, why, self._basis
        self._go_on()
        self.changed.emit()

    def _add_installed(self) -> None:
        if self._adds_installed and not self.installed.is_looking:
            self._adds_installed = False
            good = (row for row in self.installed.rows if row.glance is None or not row.glance.problem)
            self.add_all((row.model.name, None) for row in good)

    @property
    def counted(self) -> list[tuple[SummaryRow, Counts]]:
        """The rows with counts of the present texts, which are named by the rows' titles."""
        return [
            (row, replace(row.counts, name=title))
            for row, title in zip(self.rows, self.titles(), strict=True)
            if row.counts is not None and not self.is_due(row)
        ]

    def report(self, ending: str) -> bytes:
        """The contents of a file with this ending, as the command line writes it."""
        counted = self.counted
        counts = [counts for _, counts in counted]
        terms = self.terms.for_models([row.name for row, _ in counted])
        n_texts = 1 if self.texts is None else self.texts.n_texts
        match ending:
            case ".csv":
                text = csv_text(counts, terms)
            case ".svg":
                text = svg_text(counts)
            case _:
                text = page_of(count_tables(counts, n_texts, terms), is_markdown=True) + "\n"
        return text.encode("utf-8", "surrogateescape")


class Basis(NamedTuple):
    """What counts depend on; texts and tokenizers compare by identity."""

    texts: SummaryTexts
    options: Options
    tokenizer: Tokenizer | None


@dataclass(eq=False)
class SummaryRow:
    """One model and its counts.

    model    the name it is opened by, and the pre-tokenizer chosen by hand; None for a column without a model
    session  a column's session; None for other rows
    counts   None until counted; of older texts until there are new counts
    failure  why it could not be counted
    """

    model: tuple[str, str | None] | None
    title: str
    session: ModelSession | None = None
    counts: Counts | None = None
    failure: str = ""
    basis: Basis | None = None  # of the counts, or of the failure

    @property
    def name(self) -> str:
        return "" if self.model is None else self.model[0]


def count(
    load: Load,
    model: tuple[str, str | None],
    tokenizer: Tokenizer | None,
    basis: Basis,
    progress: Progress,
) -> tuple[Tokenizer, Counts]:
    """Open a model if it is not open yet, and count with it."""

    def reading(share: float) -> None:
        progress(OPENING_SHARE + (1 - OPENING_SHARE) * share)

    tokenizer = tokenizer or load(*model, lambda share: progress(OPENING_SHARE * share))
    options = basis.options
    side = ModelSide(model[0], tokenizer, options.encoder, options.add_special, options.parse_special)
    return tokenizer, count_texts(side, basis.texts.read(reading))


@dataclass(frozen=True)
class ChosenTerms:
    """Prices of a million tokens, and a context length.

    price    for all models; None if none is set
    own      by the names that models are opened by, prices that replace `price`
    context  in tokens; None for the value in each model's file
    """

    price: float | None = None
    own: Mapping[str, float] = field(default_factory=dict)
    context: int | None = None


class SummaryTerms(QObject):
    """The terms that the user chose, now or in an earlier session.

    Signals:
        changed(): `chosen` is new.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.chosen = ChosenTerms()
        with suppress(ValueError):  # the settings are invalid
            self.chosen = read_as(ChosenTerms, read_json(settings.compare_terms))

    def set_price(self, price: float | None) -> None:
        self._set(replace(self.chosen, price=price))

    def set_context(self, context: int | None) -> None:
        self._set(replace(self.chosen, context=context))

    def set_own_price(self, model: str, price: float | None) -> None:
        """Set the price of one model; None restores the price for all."""
        own = {name: old for name, old in self.chosen.own.items() if name != lasting_name(model)}
        if price is not None:
            own[lasting_name(model)] = price
        self._set(replace(self.chosen, own=dict(list(own.items())[-MOST_KEPT:])))

    def own_price(self, model: str) -> float | None:
        return self.chosen.own.get(lasting_name(model))

    def for_models(self, models: Sequence[str]) -> Terms:
        """The terms of these models, in order; no prices if none has one."""
        prices = tuple(self.chosen.own.get(lasting_name(model), self.chosen.price) for model in models)
        return Terms(self.chosen.context or None, prices if any(each is not None for each in prices) else ())

    def _set(self, chosen: ChosenTerms) -> None:
        if chosen != self.chosen:
            self.chosen = chosen
            self._settings.compare_terms = json.dumps(asdict(chosen))
            self.changed.emit()


def price_in(text: str) -> float | None:
    """A typed price; None if it is empty or invalid."""
    with suppress(ValueError):
        return price if 0 <= (price := float(text)) <= MOST_PRICE else None
    return None


def context_in(text: str) -> int | None:
    """A typed number of tokens, perhaps with grouped digits; None if it is empty or invalid."""
    digits = "".join(text.replace(",", "").split())
    context = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 16 else 0
    return context if 0 < context <= LONGEST_CONTEXT else None


@dataclass(frozen=True, eq=False)
class SummaryTexts:
    """Texts with their names, to be read once for each model.

    n_others  number of other files in the folder, which are not text
    """

    n_texts: int
    n_others: int
    read: Callable[[Progress], NamedTexts]


def one_text(name: str, text: bytes) -> SummaryTexts:
    """A single text; the ending of its name is its file type."""
    return SummaryTexts(1, 0, lambda progress: iter([(name, text)]))


def texts_in(folder: Path, progress: Progress) -> SummaryTexts:
    """The texts of a folder, as `tokenloupe compare -f` takes them.  Raises TextFolderError."""
    files = text_files(folder)

    def read(progress: Progress) -> NamedTexts:
        for number, path in enumerate(files.paths):
            progress(number / len(files.paths))
            yield str(path), read_text(path)

    return SummaryTexts(len(files.paths), files.n_others, read)
