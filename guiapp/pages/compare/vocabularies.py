"""Model of the Vocabularies page: two of the compared models, the verdict, and the list of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.comparison import names_apart
from guiapp.analysis.compare.draft import answer, in_words, may_draft
from guiapp.analysis.compare.vocabularies import VocabularyComparison, compare_vocabularies, lists_merges
from guiapp.analysis.compare.vocabulary_report import csv_rows, page_text, record
from guiapp.analysis.compare.vocabulary_rows import GROUPS, PAIR_COLUMNS, PairRows, groups_of
from guiapp.analysis.export.tables import csv_blocks, json_text
from guiapp.analysis.vocabulary_list.filters import without
from guiapp.analysis.vocabulary_list.listing import ListColumn
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.state.background import Background, Progress
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.list_model import ListRequest, ShownRows, TokenListModel

ROLES, RULES = "roles", "rules"  # panels that show details of a part
MOST_NAMED = 3
FORMS = ("csv", "json", "markdown")
GroupRows = Mapping[str, PairRows]


class ComparedPair(NamedTuple):
    """A comparison with the data that the page derives from it.

    groups  the rows of each group of GROUPS
    """

    comparison: VocabularyComparison
    groups: GroupRows
    respects: tuple[Respect, ...]


class ComparedVocabularies(TokenListModel[PairRows]):
    """Compares the vocabularies in the files of two of the compared models.

    compared   None until the comparison is ready

    Signals:
        comparison_changed(): the pair, `comparison`, `is_busy` or `problem` is new.
    """

    comparison_changed = Signal()

    def __init__(
        self, models: ComparedModels, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(models.sessions[0].spelling, settings, "compared_columns", parent)
        self._models = models
        self._pair_of_now: list[Tokenizer | None] = []
        self._searched = ""
        self.compared: ComparedPair | None = None
        self.comparing = Background[ComparedPair](self, self._prepare)
        self.comparing.changed.connect(self._on_compared)
        models.models_changed.connect(self._on_models_changed)
        self._on_models_changed()

    # The pair of models

    @property
    def first(self) -> ModelSession:
        """A: the window's model."""
        return self._models.sessions[0]

    @property
    def second(self) -> ModelSession | None:
        """B; None if no other model was added."""
        return self._models.partner

    @property
    def _pair(self) -> list[ModelSession]:
        return [self.first, *([] if self.second is None else [self.second])]

    @property
    def others(self) -> Sequence[ModelSession]:
        return self._models.sessions[1:]

    @property
    def can_add(self) -> bool:
        return self._models.can_add

    def add_second(self, name: str, pre: str | None) -> None:
        """Open one more model as B, unless others have filled the columns in the meantime."""
        if self.can_add:
            self.choose_second(self._models.add(name, pre))

    def choose_second(self, session: ModelSession) -> None:
        self._models.choose_partner(session)

    @property
    def second_index(self) -> int:
        """The column of B, from 0."""
        return list(self._models.sessions).index(self.second) if self.second is not None else 1

    def set_active(self, is_active: bool) -> None:
        self.comparing.watch(is_active)

    def _on_models_changed(self) -> None:
        pair = [self.first.tokenizer, None if self.second is None else self.second.tokenizer]
        if pair != self._pair_of_now:
            self._pair_of_now = pair
            self.comparing.forget()
            self._take(None)
            self.comparing.refresh()
        self.comparison_changed.emit()

    @property
    def problem(self) -> str:
        """Why the models cannot be compared; "" if there is no problem, as while one is being opened."""
        if self.compared is not None:
            return ""
        problems = [each.loader.problem for each in self._pair]
        return next(filter(None, [*problems, self.comparing.problem]), "")

    # Comparing

    @property
    def comparison(self) -> VocabularyComparison | None:
        return None if self.compared is None else self.compared.comparison

    @property
    def is_waiting(self) -> bool:
        is_coming = any(each.loader.loading_name is not None for each in self._pair)
        return is_coming or (self.comparing.is_busy and None not in self._pair_of_now)

    def _prepare(self) -> Callable[[Progress], ComparedPair] | None:
        first, second = self._pair_of_now
        return None if first is None or second is None else partial(_compared, first, second)

    def _on_compared(self) -> None:
        if self.comparing.value is not self.compared:
            self._take(self.comparing.value)
        else:
            self.comparison_changed.emit()

    def _take(self, compared: ComparedPair | None) -> None:
        self.compared = compared
        difference = "all" if compared is None else first_difference(compared.respects)
        is_listed = difference in GROUPS and not self._searched
        self.request = ListRequest(self._searched, group=difference if is_listed else "all")
        self._set_chosen(None)
        self.comparison_changed.emit()
        self.request_changed.emit()
        self._list()

    def write_all(self, form: str, comparison: VocabularyComparison) -> Iterator[str]:
        """Write all differences in one of FORMS, as the command line prints them."""
        models = [each.loader.model for each in self._pair]
        first, second = (model.name for model in models if model is not None)
        one, other = names_apart(
            (first, second), [each.vocabulary.chosen_pre for each in comparison.tokenizers]
        )
        if form == "csv":
            return csv_blocks(csv_rows(comparison, (one, other)))
        if form == "json":
            return iter([json_text(record(comparison, (first, second))), "\n"])
        return iter([page_text(comparison, (one, other), is_markdown=True), "\n"])

    # Listing

    @property
    def source(self) -> PairRows | None:
        return None if self.compared is None else self.compared.groups[self.request.group]

    @property
    def column_table(self) -> Sequence[ListColumn[PairRows]]:
        return PAIR_COLUMNS

    @property
    def noun(self) -> str:
        return "merge rule" if GROUPS[self.shown.request.group].is_rules else "token"

    def list_rows(self, source: PairRows, request: ListRequest, progress: Progress) -> ShownRows[PairRows]:
        sort = self.sorting(request)
        return ShownRows(request, source, source.listed(request.query, sort, request.is_descending, progress))

    def show_group(self, group: str) -> None:
        """List one of GROUPS, with all scripts and lengths."""
        query = without(without(self.query, "script"), "length")
        self._set_group(self.request._replace(group=group, query=query))

    def show_part(self, part: int | None) -> None:
        """List the tokens that a part of a bar counts; for None, all tokens if rules are listed now."""
        group = "all" if GROUPS[self.request.group].is_rules else self.request.group
        self._set_group(self.request._replace(group=group if part is None else GROUP_OF_PART[part]))

    def _set_group(self, request: ListRequest) -> None:
        if request.group != self.request.group:
            self._set_chosen(None)
        self._request(request)

    def search_all(self, query: str) -> None:
        """Search all tokens, also in pairs that are compared later."""
        self._searched = query
        self._set_group(ListRequest(query))

    def set_query(self, query: str) -> None:
        self._searched = ""
        super().set_query(query)


GROUP_OF_PART = ("both", "first", "second")


def _compared(first: Tokenizer, second: Tokenizer, progress: Progress) -> ComparedPair:
    comparison = compare_vocabularies(first, second)
    progress(0.5)
    for tokenizer in comparison.tokenizers:
        tokenizer.vocabulary.token_tree  # noqa: B018  # needed by scripts, searches and ranks
        progress(0.7)
    comparison.by_script, comparison.by_length, comparison.histograms, comparison.drafting  # noqa: B018
    comparison.differing_samples  # noqa: B018
    groups = groups_of(comparison)
    return ComparedPair(comparison, groups, respects(comparison, groups))


class VerdictPart(NamedTuple):
    """A part of the verdict; `target` is the group of GROUPS that it counts, or ROLES, RULES, or "".

    tip  the full text, if `text` is shortened
    """

    text: str
    target: str = ""
    tip: str = ""


class Respect(NamedTuple):
    """One respect in which both are compared; `is_equal` is None if the files cannot be compared in it."""

    name: str
    is_equal: bool | None
    parts: tuple[VerdictPart, ...]


def respects(comparison: VocabularyComparison, groups: GroupRows) -> tuple[Respect, ...]:
    merges = _counted("Merge rules", "merges", groups)
    if comparison.merges is None:
        first, second = map(lists_merges, comparison.tokenizers)
        words = "B has none" if first else "A has none" if second else "neither has any"
        is_equal = None if first or second else True
        merges = Respect("Merge rules", is_equal, (VerdictPart(words),))
    return _counted("Tokens", "both", groups), merges, _special(comparison, groups), _rules(comparison)


def drafting(comparison: VocabularyComparison) -> Respect:
    """Whether B may draft for A, with each program's reason if not."""
    parts = (
        VerdictPart(
            f"{each.program}: {', '.join(filter(None, (answer(each.may_draft), each.cause)))}",
            RULES,
            in_words(each),
        )
        for each in comparison.drafting
    )
    return Respect("B drafts for A", may_draft(comparison.drafting), tuple(parts))


def verdict_title(comparison: VocabularyComparison) -> str:
    """The verdict in a few words."""
    if comparison.is_identical:
        return "Identical"
    return "Not identical" if any(comparison.counts.values()) else "No difference found"


def verdict_summary(compared: tuple[Respect, ...]) -> str:
    """The verdict in sentences: which respects are the same and which differ."""
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
            (groups[None], "cannot be fully compared"),
        )
        if names
    ]
    return " ".join(sentences)


def first_difference(compared: tuple[Respect, ...]) -> str:
    """The target of the first part that shows a difference; "all" if there is none."""
    for respect in compared:
        if respect.is_equal is not True:
            return next(part.target for part in respect.parts if part.target not in ("both", "merges"))
    return "all"


def _listing(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


COUNTED = {
    "both": ("first", "second", "id", "kind", "search", "score"),
    "merges": ("merges first", "merges second", "moved"),
}
"""The groups of differences, by the group that both have in common."""


def _counted(name: str, both: str, groups: GroupRows) -> Respect:
    """A respect from the sizes of groups; empty groups are left out."""
    n_both = len(groups[both])
    differing = tuple(
        VerdictPart(f"{len(groups[group]):,} {GROUPS[group].title.removeprefix(f'{name} ')}", group)
        for group in COUNTED[both]
        if len(groups[group])
    )
    if differing:
        return Respect(name, False, (VerdictPart(f"{n_both:,} in both", both), *differing))
    return Respect(name, True, (VerdictPart(f"all {n_both:,} are the same", both),))


def _special(comparison: VocabularyComparison, groups: GroupRows) -> Respect:
    tokens = VerdictPart(counted(len(groups["special"]), "special token"), "special")
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
        words.insert(0, f"written differently: {_first_of(unknown)}")
    if differing:
        words.insert(0, f"{len(differing)} {_differ(differing)}: {_first_of(differing)}")
    return Respect("Rules", is_equal, tuple(VerdictPart(each, RULES) for each in words))


def _differ(names: list[str]) -> str:
    return "differs" if len(names) == 1 else "differ"


def _first_of(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
