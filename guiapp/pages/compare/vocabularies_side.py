"""The column at the right: the row that is looked at, and roles and rules of both beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QStackedWidget, QWidget

from guiapp.analysis.compare.vocabularies import VocabularyComparison
from guiapp.analysis.compare.vocabulary_rows import Fact, PairRows
from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.text.visible_text import isolate, visible_runs, visible_text
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.spans.token_menu import offer_copying
from guiapp.kit.widgets.controls import SegmentedTabs, push_button
from guiapp.kit.widgets.labels import TEXT_MARGIN_PX, Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, card, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, Theme, ThemeSource, set_role
from guiapp.pages.compare.vocabularies import ROLES, RULES, ComparedVocabularies

PANELS = ("Details", "Special tokens", "Rules")
PANEL_OF = {ROLES: 1, RULES: 2}
NOTHING_CHOSEN = "Choose a token or a merge rule of the list to see what it is in both."
TOKEN_FONT_PX = 22
LONGEST_SETTING, LONGEST_TOKEN = 2000, 60  # characters
MOST_FACTS = 6
ALL_LINES = 1 << 20
NONE = "–"
WriteSpans = Callable[[VocabularyComparison, Spelling, Theme], Iterator[Span]]


class VocabulariesSide(QFrame):
    """Three panels, one at a time."""

    def __init__(self, model: ComparedVocabularies, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self.details = RowPanel(model, theme_source)
        self.roles = _TextPanel("Special tokens", model, theme_source, _role_spans)
        self.rules = _TextPanel("Rules", model, theme_source, _rule_spans)
        self.tabs = SegmentedTabs(PANELS)
        self.stack = QStackedWidget()
        for panel in (self.details, self.roles, self.rules):
            self.stack.addWidget(panel)
        in_column(self.tabs, (self.stack, 1), on=self, margins=(0, GAP_PX, 0, 0), spacing=0)
        self.tabs.chosen.connect(self.stack.setCurrentIndex)
        model.chosen_changed.connect(self._show_details)
        self._model = model
        self.setMinimumWidth(270)

    def show_target(self, target: str) -> None:
        self.tabs.choose(PANEL_OF[target])

    def _show_details(self) -> None:
        if self._model.chosen is not None:
            self.tabs.choose(0)


class RowPanel(QScrollArea):
    """One token or merge rule in both vocabularies.

    Signals:
        tree_wanted(int): show this token of A in the tree.
    """

    tree_wanted = Signal(object)

    def __init__(self, model: ComparedVocabularies, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._theme_source = theme_source
        self._empty = set_role(QLabel(NOTHING_CHOSEN, wordWrap=True), "dim")
        self._token = StyledText(Theme.mono_font(TOKEN_FONT_PX), 3)
        self._token.setAccessibleName("Token text")
        font = Theme.mono_font(SMALL_FONT_PX)
        self._facts = [(QLabel(), StyledText(font, 4), StyledText(font, 4)) for _ in range(MOST_FACTS)]
        self._shared = StyledText(Theme.mono_font(SMALL_FONT_PX), 8)
        self._shared.setAccessibleName("In both")
        self.tree = push_button("Show in tree", self._want_tree, role="raised")
        self.copy_button = push_button("Copy", self.copy, role="quiet", tip="Copy all that is said here")
        self._build_layout()
        offer_copying(self, "Copy details", self.copy)
        model.chosen_changed.connect(self._show)
        for changed in (model.comparison_changed, model.spelling.changed, theme_source.changed):
            changed.connect(self._show)
        self._show()

    def copy(self) -> None:
        """Put all of it on the clipboard, one fact a line."""
        pairs, row, spelling = self._model.source, self._model.chosen, self._model.spelling.now
        if pairs is not None and row is not None:
            lines = [f"text\t{' / '.join(map(visible_text, pairs.shown(row, spelling)))}", "\tA\tB"]
            facts = pairs.facts(row, spelling)
            lines += [f"{fact.name}\t{fact.first or NONE}\t{fact.second or NONE}" for fact in facts]
            lines += [f"{name}\t{value}" for name, value in pairs.shared(row, spelling)]
            QGuiApplication.clipboard().setText("\n".join(lines) + "\n")

    def _build_layout(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(GAP_PX)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for column, letter in enumerate("AB", 1):
            grid.addWidget(set_role(QLabel(letter), "dim"), 0, column)
        for row, (name, *values) in enumerate(self._facts, 1):
            name.setFont(Theme.ui_font(SMALL_FONT_PX))
            name.setContentsMargins(0, TEXT_MARGIN_PX, 0, 0)  # level with its values
            set_role(name, "dim")
            grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            for column, value in enumerate(values, 1):
                grid.addWidget(value, row, column, Qt.AlignmentFlag.AlignTop)
        buttons = in_row(self.tree, self.copy_button, STRETCH)
        self._all = QWidget()
        in_column(card(self._token, grid, self._shared), buttons, on=self._all, spacing=GAP_PX)
        scroll_down(self, framed(in_column(self._empty, self._all, STRETCH, margins=MARGIN_PX), "panel"))

    def _show(self) -> None:
        pairs, row = self._model.source, self._model.chosen
        is_chosen = pairs is not None and row is not None
        self._empty.setVisible(not is_chosen)
        if pairs is not None and row is not None:
            self._fill(pairs, row)
        self._all.setVisible(is_chosen)

    def _fill(self, pairs: PairRows, row: int) -> None:
        theme, spelling = self._theme_source.theme, self._model.spelling.now
        self._token.set_spans(_written(pairs.shown(row, spelling), theme))
        facts: list[Fact | None] = [*pairs.facts(row, spelling)]
        for (name, *values), fact in zip_longest(self._facts, facts):
            for part in (name, *values):
                part.setVisible(fact is not None)
            if fact is not None:
                name.setText(f"{fact.name}  ≠" if fact.differs else fact.name)
                for value, text, side in zip(values, (fact.first, fact.second), "AB", strict=True):
                    value.setAccessibleName(f"{fact.name} in {side}")
                    color = theme.text if text else theme.dim
                    value.set_spans([Span(isolate(text) or NONE, color, None, fact.differs)])
        self._shared.set_spans(_lines(pairs.shared(row, spelling), theme))
        self.tree.setVisible(bool(pairs.tokens[row, 0] >= 0))

    def _want_tree(self) -> None:
        if self._model.source is not None and self._model.chosen is not None:
            self.tree_wanted.emit(int(self._model.source.tokens[self._model.chosen, 0]))


class _TextPanel(QScrollArea):
    """Something about both vocabularies to read and to copy."""

    def __init__(
        self, name: str, model: ComparedVocabularies, theme_source: ThemeSource, spans: WriteSpans
    ) -> None:
        super().__init__()
        self._model = model
        self._theme_source = theme_source
        self._spans = spans
        self.text = StyledText(Theme.mono_font(SMALL_FONT_PX), ALL_LINES)
        self.text.setAccessibleName(name)
        scroll_down(self, framed(in_column(self.text, STRETCH, margins=MARGIN_PX), "panel"))
        for changed in (model.comparison_changed, model.spelling.changed, theme_source.changed):
            changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        comparison, theme = self._model.comparison, self._theme_source.theme
        spelling = self._model.spelling.now
        self.text.set_spans([] if comparison is None else self._spans(comparison, spelling, theme))


def _written(spellings: tuple[bytes, ...], theme: Theme) -> Iterator[Span]:
    for number, data in enumerate(spellings):
        yield Span(" / " if number else "", theme.dim)
        yield from (Span(run.text, theme.dim if run.is_symbol else theme.text) for run in visible_runs(data))


def _lines(rows: list[tuple[str, str]], theme: Theme) -> Iterator[Span]:
    for number, (name, value) in enumerate(rows):
        yield Span(f"{chr(10) if number else ''}{name}  ", theme.dim)
        yield Span(isolate(value), theme.text)


def _pair(first: str, second: str, theme: Theme) -> Iterator[Span]:
    for side, text in (("A", first), ("B", second)):
        yield Span(f"\n{side}  ", theme.dim)
        yield Span(isolate(text), theme.text)


def _role_spans(comparison: VocabularyComparison, spelling: Spelling, theme: Theme) -> Iterator[Span]:
    roles = sorted(comparison.roles, key=lambda role: not role.differs)
    if not roles:
        yield Span("Neither names any special token.", theme.dim)
    for number, role in enumerate(roles):
        yield Span("\n\n" if number else "", theme.dim)
        yield _marker(not role.differs, theme)
        yield Span(role.name.upper().replace("_", " "), theme.text, is_bold=True)
        ids = zip(comparison.tokenizers, (role.first, role.second), strict=True)
        first, second = (_token(each.vocabulary, token_id, spelling) for each, token_id in ids)
        yield from _pair(first, second, theme)


def _token(vocabulary: Vocabulary, token_id: int | None, spelling: Spelling) -> str:
    if token_id is None:
        return "none"
    if not 0 <= token_id < len(vocabulary):
        return f"{token_id}  not among its tokens"
    return f"{token_id}  {spelling.token(vocabulary, token_id, LONGEST_TOKEN)}"


def _rule_spans(comparison: VocabularyComparison, _: Spelling, theme: Theme) -> Iterator[Span]:
    """Those that differ, those that cannot be compared, and then the others with what both say."""
    order = {False: 0, None: 1, True: 2}
    settings = sorted(comparison.settings, key=lambda each: order[each.is_equal])
    for number, setting in enumerate(settings):
        yield Span("\n\n" if number else "", theme.dim)
        yield _marker(setting.is_equal, theme)
        yield Span(setting.name, theme.text, is_bold=True)
        if setting.is_equal:
            yield Span(f"\n{_cut(setting.first)}", theme.dim)
        else:
            yield from _pair(_cut(setting.first), _cut(setting.second), theme)


def _marker(is_equal: bool | None, theme: Theme) -> Span:
    if is_equal is None:
        return Span("?  ", theme.dim)
    return Span("✓  ", theme.good) if is_equal else Span("≠  ", theme.warning)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SETTING else f"{text[: LONGEST_SETTING - 1]}…"
