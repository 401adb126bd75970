"""The column at the right: the row that is looked at, and roles and rules of both beside each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget

from guiapp.analysis.compare.vocabularies import VocabularyComparison
from guiapp.analysis.compare.vocabulary_rows import FACTS as OWN_FACTS
from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.session.token_details import FACTS
from guiapp.kit.token_table.list_model import ChosenDetails
from guiapp.kit.widgets.controls import SegmentedTabs, push_button
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, scroll_down
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, Theme, ThemeSource, set_role
from guiapp.kit.widgets.token_card import TokenCard
from guiapp.pages.compare.vocabularies import ROLES, RULES, ComparedVocabularies

PANELS = ("Details", "Special tokens", "Rules")
PANEL_OF = {ROLES: 1, RULES: 2}
NOTHING_CHOSEN = "Choose a token or a merge rule of the list to see what it is in both."
TOKEN_FONT_PX = 22
LONGEST_SETTING, LONGEST_TOKEN = 2000, 60  # characters
ALL_LINES = 1 << 20
NONE = "–"
WriteSpans = Callable[[VocabularyComparison, Spelling, Theme], Iterator[Span]]


class VocabulariesSide(QFrame):
    """Three panels, one at a time.

    Signals:
        tree_wanted(int): show this token of A in the tree.
        second_wanted(int): open B as the window's model, and show this token of it in the tree.
    """

    tree_wanted = Signal(object)
    second_wanted = Signal(object)

    def __init__(self, model: ComparedVocabularies, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self.tree = push_button("Show in tree", self._want_tree, role="raised")
        chosen = ChosenDetails(model, self._facts, (model.comparison_changed,))
        facts = tuple(dict.fromkeys((*OWN_FACTS, *FACTS)))
        buttons = (self.tree,)
        self.details = TokenCard(chosen, theme_source, facts=facts, empty=NOTHING_CHOSEN, buttons=buttons)
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
            first, second = self._tokens
            self.tree.setVisible(max(first, second) >= 0)
            self.tree.setText("Show in tree" if first >= 0 else "Open B and show in tree")

    def _facts(self, row: int) -> Iterable[tuple[str, str]]:
        return () if self._model.source is None else self._model.source.facts(row, self._model.spelling.now)

    @property
    def _tokens(self) -> tuple[int, int]:
        """The chosen one in A and in B, -1 where there is none."""
        pairs, row = self._model.source, self._model.chosen
        if pairs is None or row is None:
            return -1, -1
        first, second = pairs.tokens[row].tolist()
        return first, second

    def _want_tree(self) -> None:
        first, second = self._tokens
        if first >= 0:
            self.tree_wanted.emit(first)
        elif second >= 0:
            self.second_wanted.emit(second)


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
        return f"id {token_id}, which is not among its tokens"
    return f"{spelling.token(vocabulary, token_id, LONGEST_TOKEN)}  id {token_id}"


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
