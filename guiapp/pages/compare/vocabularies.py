"""What the Vocabularies page shows: two of the compared models, the verdict, and what is listed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QMetaObject, QObject, Signal

from guiapp.analysis.compare.comparison import names_apart
from guiapp.analysis.compare.vocabularies import VocabularyComparison, compare_vocabularies, lists_merges
from guiapp.analysis.compare.vocabulary_report import Names, csv_text, page_text, record
from guiapp.analysis.export.tables import json_text
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working, later
from guiapp.kit.state.settings import SharedSpelling
from guiapp.pages.compare.vocabulary_rows import (
    GROUPS,
    NO_ROWS,
    Describer,
    FilteredRows,
    RowDetails,
    RowFilter,
    listed,
)

ROLES, RULES = "roles", "rules"  # panels that show what a part is about
MOST_NAMED = 3
PAUSE_MS = 120  # a search begins when typing pauses
FORMS = ("csv", "json", "markdown")


class ComparedPair(NamedTuple):
    """A comparison with all that the page says of it.

    sizes  how many rows each of GROUPS has
    """

    comparison: VocabularyComparison
    describer: Describer
    respects: tuple[Respect, ...]
    sizes: dict[str, int]


def exported(
    comparison: VocabularyComparison, form: str, names: Names, opened: Names, progress: Progress
) -> bytes:
    """What the command line prints in one of FORMS; JSON names models by what they were `opened` by."""
    match form:
        case "csv":
            text = csv_text(comparison, names, progress)
        case "json":
            text = json_text(record(comparison, opened)) + "\n"
        case _:
            text = page_text(comparison, names, is_markdown=True) + "\n"
    return text.encode("utf-8", "surrogateescape")


class ComparedVocabularies(Working):
    """Two of the compared models beside each other, by what their files say.

    compared   None until both are
    problem    why they could not be
    shown      what is listed, and by which filter; follows `filter`
    spelling   how tokens are written
    chosen     which of the rows that are shown is looked at, None for none

    Signals:
        pair_changed(): `first`, `second` or what of them is open is new.
        comparison_changed(): `comparison`, `is_busy` or `problem` is new.
        filter_changed(): `filter` is new.
        shown_changed(): `shown` is new.
        chosen_changed(): `chosen` is new.
    """

    pair_changed = Signal()
    comparison_changed = Signal()
    filter_changed = Signal()
    shown_changed = Signal()
    chosen_changed = Signal()

    def __init__(self, models: ComparedModels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._models = models
        self.spelling = models.sessions[0].spelling
        self._choice: ModelSession | None = None
        self._links: list[QMetaObject.Connection] = []
        self._failures: dict[ModelSession, str] = {}
        self._compared_pair: tuple[Tokenizer, Tokenizer] | None = None
        self._is_active = False
        self._searched = ""
        self.compared: ComparedPair | None = None
        self.problem = ""
        self.filter = RowFilter()
        self.shown = FilteredRows(RowFilter(), NO_ROWS)
        self.chosen: int | None = None
        self.job = LatestJob[ComparedPair](self, self._take, self._fail)
        self.listing = LatestJob[FilteredRows](self, self._show)
        self._pause = later(self, PAUSE_MS, self._list)
        models.sessions_changed.connect(self._on_sessions_changed)
        self._on_sessions_changed()

    # Which two

    @property
    def first(self) -> ModelSession:
        """A: the window's own."""
        return self._models.sessions[0]

    @property
    def second(self) -> ModelSession | None:
        """B: the one that was chosen, else the first that was added; None where there is none."""
        others = self.choices
        if self._choice in others:
            return self._choice
        return others[0] if others else None

    @property
    def _pair(self) -> list[ModelSession]:
        return [self.first, *([] if self.second is None else [self.second])]

    @property
    def choices(self) -> Sequence[ModelSession]:
        return self._models.sessions[1:]

    @property
    def can_add(self) -> bool:
        return self._models.can_add

    def add_second(self, name: str, pre: str | None) -> None:
        """Open one more model, and take it for B; not where others came while people chose."""
        if self.can_add:
            self.choose_second(self._models.add(name, pre))

    def choose_second(self, session: ModelSession) -> None:
        """Take one of the choices for B."""
        if session is not self.second:
            self._choice = session
            self._on_sessions_changed()

    @property
    def second_index(self) -> int:
        """Which column B is, from 0."""
        return list(self._models.sessions).index(self.second) if self.second is not None else 1

    def export(self, form: str) -> Callable[[Progress], bytes]:
        """What makes the comparison in one of FORMS, for a job."""
        models = [each.loader.model for each in self._pair]
        assert self.comparison is not None
        first, second = (model.name for model in models if model is not None)
        pre = [each.vocabulary.chosen_pre for each in self.comparison.tokenizers]
        one, other = names_apart((first, second), pre)
        return partial(exported, self.comparison, form, (one, other), (first, second))

    def set_active(self, is_active: bool) -> None:
        self._is_active = is_active
        self._compare()

    def _on_sessions_changed(self) -> None:
        for link in self._links:
            QObject.disconnect(link)
        self._failures = {each: why for each, why in self._failures.items() if each in self._pair}
        self._links = [
            link
            for session in self._pair
            for link in (
                session.vocabulary_changed.connect(self._on_models_changed),
                session.loader.loading_changed.connect(self._on_models_changed),
                session.loader.refused_changed.connect(self._on_models_changed),
                session.loader.failed.connect(partial(self._fail_to_open, session)),
            )
        ]
        self._on_models_changed()

    def _on_models_changed(self) -> None:
        for session in self._pair:
            if session.loader.loading_name is not None:
                self._failures.pop(session, None)
        self._compare()
        self.pair_changed.emit()

    def _fail_to_open(self, session: ModelSession, _name: str, failure: str) -> None:
        self._failures[session] = failure
        if self.comparison is None:
            self._fail(failure)

    def _why_not_open(self) -> str:
        """Why one of both is not open; "" where it is on its way, or nobody wants it."""
        refused = [each.loader.refused for each in self._pair]
        reasons = [each.reason for each in refused if each is not None]
        return next(filter(None, [*reasons, *map(self._failures.get, self._pair)]), "")

    # Comparing

    @property
    def comparison(self) -> VocabularyComparison | None:
        return None if self.compared is None else self.compared.comparison

    @property
    def is_waiting(self) -> bool:
        return self.job.is_busy or any(each.loader.loading_name is not None for each in self._pair)

    def _compare(self) -> None:
        """Compare what is open now, where that was not done yet."""
        first, second = self.first.tokenizer, None if self.second is None else self.second.tokenizer
        if first is None or second is None:
            self._forget()
        elif self._is_active and self._compared_pair != (first, second):
            self._forget()
            self._compared_pair = first, second
            self.job.start(partial(_compared, first, second, self.spelling))
            self.comparison_changed.emit()

    def _forget(self) -> None:
        self.job.cancel()
        self._compared_pair = None
        self._take(None)

    def _take(self, compared: ComparedPair | None) -> None:
        self.compared, self.problem = compared, "" if compared is not None else self._why_not_open()
        difference = "all" if compared is None else first_difference(compared.respects)
        is_listed = difference in GROUPS and not self._searched
        self.filter = RowFilter(difference if is_listed else "all", query=self._searched)
        self.choose(None)
        self.comparison_changed.emit()
        self.filter_changed.emit()
        self._list()

    def _fail(self, problem: str) -> None:
        self.problem = problem
        self.comparison_changed.emit()

    # Listing

    def show_group(self, group: str) -> None:
        """List one of GROUPS, of all scripts and lengths."""
        self.set_filter(self.filter._replace(group=group, script=None, length=None))

    @property
    def query(self) -> str:
        return self.filter.query

    def set_query(self, query: str) -> None:
        """Search when typing pauses; nothing for ""."""
        if query != self.filter.query:
            self._searched = ""
            self.set_filter(self.filter._replace(query=query), pauses=bool(query))

    def search_all(self, query: str) -> None:
        """Search all tokens, also of pairs that are compared later."""
        self._searched = query
        self.set_filter(RowFilter(query=query))

    def end(self) -> None:
        self.set_query("")

    def set_filter(self, requested: RowFilter, pauses: bool = False) -> None:
        if requested == self.filter:
            return
        self.filter = requested
        self.filter_changed.emit()
        if pauses:
            self._pause.start()
        else:
            self._list()

    def _list(self) -> None:
        self._pause.stop()
        if self.comparison is None:
            self.listing.cancel()
            self._show(FilteredRows(self.filter, NO_ROWS))
        else:
            self.listing.start(partial(listed, self.comparison, self.filter))

    def _show(self, shown: FilteredRows) -> None:
        self.choose(None)
        self.shown = shown
        self.shown_changed.emit()

    # Choosing

    @property
    def details(self) -> RowDetails | None:
        if self.compared is None or self.chosen is None:
            return None
        first, second = self.shown.rows[self.chosen].tolist()
        return self.compared.describer.describe(GROUPS[self.shown.filter.group], (first, second))

    def choose(self, index: int | None) -> None:
        if index != self.chosen:
            self.chosen = index
            self.chosen_changed.emit()

    def step(self, by: int) -> None:
        n_rows = len(self.shown.rows)
        if n_rows:
            first = 0 if by > 0 else n_rows - 1
            self.choose(first if self.chosen is None else (self.chosen + by) % n_rows)


def _compared(
    first: Tokenizer, second: Tokenizer, spelling: SharedSpelling, progress: Progress
) -> ComparedPair:
    comparison = compare_vocabularies(first, second)
    progress(0.5)
    for tokenizer in comparison.tokenizers:
        tokenizer.vocabulary.token_tree  # noqa: B018  # what scripts, searches and ranks need
        progress(0.7)
    comparison.by_script, comparison.by_length  # noqa: B018
    if comparison.merges is not None:
        comparison.listed_rules  # noqa: B018
    sizes = {name: len(group.rows(comparison)) for name, group in GROUPS.items()}
    return ComparedPair(comparison, Describer(comparison, spelling), respects(comparison), sizes)


class VerdictPart(NamedTuple):
    """A few words; `target` is the group of GROUPS that they count, or ROLES or RULES, "" for neither."""

    text: str
    target: str = ""


class Respect(NamedTuple):
    """One respect in which both are compared; `is_equal` is None where files cannot be compared in it."""

    name: str
    is_equal: bool | None
    parts: tuple[VerdictPart, ...]


def respects(comparison: VocabularyComparison) -> tuple[Respect, ...]:
    return _tokens(comparison), _merges(comparison), _special(comparison), _rules(comparison)


def verdict_title(comparison: VocabularyComparison) -> str:
    """In a word or two."""
    if comparison.is_identical:
        return "Identical"
    return "Not identical" if any(comparison.counts.values()) else "No difference found"


def verdict_summary(compared: tuple[Respect, ...]) -> str:
    """In a sentence which respects are the same and which are not."""
    groups = {
        is_equal: [each.name.lower() for each in compared if each.is_equal is is_equal]
        for is_equal in (True, False, None)
    }
    if len(groups[True]) == len(compared):
        return "Tokens, merge rules, special tokens and rules are all the same."
    sentences = [
        f"{_listing(names).capitalize()} {words}."
        for names, words in (
            (groups[False], "differ"),
            (groups[True], "are the same"),
            (groups[None], "cannot be compared in all"),
        )
        if names
    ]
    return " ".join(sentences)


def first_difference(compared: tuple[Respect, ...]) -> str:
    """The target of the first part that tells of a difference; all tokens where none does."""
    for respect in compared:
        if respect.is_equal is not True:
            return next(part.target for part in respect.parts if part.target not in ("both", "merges"))
    return "all"


def _listing(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _tokens(comparison: VocabularyComparison) -> Respect:
    differing = [
        VerdictPart(f"{len(comparison.only[0]):,} only in A", "first"),
        VerdictPart(f"{len(comparison.only[1]):,} only in B", "second"),
        VerdictPart(f"{int(comparison.other_id.sum()):,} with another id", "id"),
        VerdictPart(f"{int(comparison.other_kind.sum()):,} of another kind", "kind"),
        VerdictPart(f"{int(comparison.other_search.sum()):,} searched for otherwise", "search"),
        VerdictPart(f"{int(comparison.other_score.sum()):,} with another score", "score"),
    ]
    return _counted("Tokens", len(comparison.both), "both", differing, comparison)


def _merges(comparison: VocabularyComparison) -> Respect:
    merges = comparison.merges
    if merges is None:
        first, second = map(lists_merges, comparison.tokenizers)
        if not first and not second:
            return Respect("Merge rules", True, (VerdictPart("neither lists any"),))
        return Respect("Merge rules", None, (VerdictPart("B lists none" if first else "A lists none"),))
    differing = [
        VerdictPart(f"{len(merges.only[0]):,} only in A", "merges first"),
        VerdictPart(f"{len(merges.only[1]):,} only in B", "merges second"),
        VerdictPart(f"{int(merges.moved.sum()):,} in another order", "moved"),
    ]
    return _counted("Merge rules", len(merges.both), "merges", differing, comparison)


def _counted(
    name: str, n_both: int, target: str, differing: list[VerdictPart], comparison: VocabularyComparison
) -> Respect:
    """Parts of groups that are empty are left out."""
    kept = tuple(part for part in differing if len(GROUPS[part.target].rows(comparison)))
    if kept:
        return Respect(name, False, (VerdictPart(f"{n_both:,} in both", target), *kept))
    return Respect(name, True, (VerdictPart(f"all {n_both:,} are the same", target),))


def _special(comparison: VocabularyComparison) -> Respect:
    n_special = len(GROUPS["special"].rows(comparison))
    tokens = VerdictPart(counted(n_special, "special token"), "special")
    differing = [role.name for role in comparison.roles if role.differs]
    n_roles = counted(len(differing or comparison.roles), "role")
    if differing:
        words = f"{n_roles} {_differ(differing)}: {_first_of(differing)}"
    else:
        words = f"{n_roles} {'is' if len(comparison.roles) == 1 else 'are'} the same"
    return Respect("Special tokens", not differing, (VerdictPart(words, ROLES), tokens))


def _rules(comparison: VocabularyComparison) -> Respect:
    differing = [each.name for each in comparison.other_settings]
    unknown = [each.name for each in comparison.incomparable_settings]
    is_equal = False if differing else None if unknown else True
    n_equal = len(comparison.settings) - len(differing) - len(unknown)
    words = [f"all {n_equal} are the same" if is_equal else f"{n_equal} are the same"]
    if unknown:
        words.insert(0, f"said in different ways: {_first_of(unknown)}")
    if differing:
        words.insert(0, f"{len(differing)} {_differ(differing)}: {_first_of(differing)}")
    return Respect("Rules", is_equal, tuple(VerdictPart(each, RULES) for each in words))


def _differ(names: list[str]) -> str:
    return "differs" if len(names) == 1 else "differ"


def _first_of(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def session_name(session: ModelSession) -> str:
    """What to call the model of a session, also while it is being opened."""
    return session.loader.title or "No model"
