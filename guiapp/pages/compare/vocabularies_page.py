"""Compare › Vocabularies: what two models have in common, and how they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QMenu,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from guiapp.analysis.compare.draft import in_words
from guiapp.analysis.compare.vocabularies import VocabularyComparison, choices
from guiapp.analysis.compare.vocabulary_report import samples_verdict
from guiapp.analysis.compare.vocabulary_rows import FACTS as OWN_FACTS
from guiapp.analysis.compare.vocabulary_rows import GROUPS
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.vocabulary_list.listing import Write
from guiapp.core.text.numbers_in_words import elided, percent
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.charts.bars import PartColor
from guiapp.kit.session.choice import about, joined, summary
from guiapp.kit.session.token_details import FACTS
from guiapp.kit.side_by_side.head import LETTERS, SideButton, list_models
from guiapp.kit.token_table.histograms import Bars, TokenHistograms
from guiapp.kit.token_table.list_model import ChosenDetails
from guiapp.kit.token_table.table_view import CSV, JSON, MARKDOWN, TEXT, ListForm, TokenTable
from guiapp.kit.widgets.controls import SegmentedTabs, push_button, tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import (
    STRETCH,
    Contents,
    FittingRow,
    clear,
    framed,
    in_column,
    in_row,
    in_splitter,
    scroll_down,
)
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.painting import color_of
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    plain_label,
    set_role,
)
from guiapp.kit.widgets.token_card import TokenCard
from guiapp.pages.compare.vocabularies import (
    FORMS,
    ROLES,
    RULES,
    ComparedVocabularies,
    Respect,
    VerdictPart,
    drafting,
    first_difference,
    verdict_summary,
    verdict_title,
)

LEFT_PX = 430
MOST_LEFT_SHARE = 0.36
NARROW_PX = 1150
PART_PADDING_PX = 13  # distance of a button's text from its edges
SHORT = 30  # characters that always have room
SIGNS = {
    True: ("✓", "the same", "good"),
    False: ("≠", "not the same", "warning"),
    None: ("?", "not fully compared", "dim"),
}
"""Symbol, words and colour of a respect that is equal, is not, or cannot be compared."""
DRAFT_ANSWERS = {
    True: ("✓", "yes", "good"),
    False: ("✗", "no", "warning"),
    None: ("?", "not known", "dim"),
}
"""The same for whether one model may draft for the other."""
PARTS = ("in both", "only in A", "only in B")
PICTURE_PX, LIST_PX, SIDE_PX = 300, 660, 320
ROOM_FOR_PICTURE_PX = 1000
NO_MODEL = "Open a model, then add another one to compare."
NO_SECOND = "Add a model to compare with: another file of this model, or a different model."
PANELS = ("Details", "Special tokens", "Rules")
PANEL_OF = {ROLES: 1, RULES: 2}
NOTHING_CHOSEN = "Select a token or a merge rule in the list to see it in both models."
TOKEN_FONT_PX = 22
LONGEST_SETTING, LONGEST_TOKEN = 2000, 60  # characters
ALL_LINES = 1 << 20
NONE = "–"
WriteSpans = Callable[[VocabularyComparison, Spelling, Theme], Iterator[Span]]


class VocabulariesPage(Page):
    """Head, picture, list and details; or instructions if there are not two models."""

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self._requests, theme_source = setting.requests, setting.theme_source
        self.model = model = ComparedVocabularies(setting.compared, setting.settings, self)
        self.head = PairHead(model, self._requests, theme_source)
        self.groups = MenuButton(theme_source, tip="Choose which tokens or merge rules to list")
        self.groups.new_menu().triggered.connect(self._choose_group)
        all_forms = (
            ListForm(f"{form.title} of all differences", form.ending, self._writer(name), can_be_copied=False)
            for name, form in zip(FORMS, (CSV, JSON, MARKDOWN), strict=True)
        )
        self.list = TokenTable(
            model,
            theme_source,
            "Tokens",
            "vocabularies",
            forms=(CSV, JSON, MARKDOWN, TEXT, *all_forms),
            field_px=None,
            counts=False,
        )
        choices_row = in_row(self.groups, (self.list.field, 1), spacing=GAP_PX)
        buttons = self.list.columns, self.list.export
        counts_row = in_row(self.list.count, (self.list.note, 1), *buttons, spacing=GAP_PX)
        above = in_column(choices_row, counts_row, margins=(MARGIN_PX, GAP_PX), spacing=UNIT_PX)
        listed = framed(in_column(above, (self.list, 1), spacing=0))
        self.saving = self.list.saving
        self.picture = TokenHistograms(
            model,
            theme_source,
            PARTS,
            lambda theme: part_colors(theme, model.second_index),
            self._bars,
            (model.comparison_changed,),
            model.show_part,
            is_shared_out=True,
        )
        self.side = VocabulariesSide(self.model, self._requests, theme_source)
        self.add = push_button("Add model…", self._ask_model, role="primary")
        sizes = PICTURE_PX, LIST_PX, SIDE_PX
        self.splitter = in_splitter(self.picture, listed, self.side, sizes=sizes, grows=(1,))
        self.contents = Contents(self, self.splitter, self.add)
        in_column(self.head, (self.contents, 1), on=self, spacing=0)
        self.model.comparison_changed.connect(self._on_comparison_changed)
        self.model.shown_changed.connect(self._on_shown_changed)
        self.model.request_changed.connect(self._on_request_changed)
        self.head.chosen.connect(self._show_target)
        self.list.field.come_by_keys(self)
        self.watched.connect(self.model.set_active)
        self._on_comparison_changed()

    @property
    def panels(self) -> list[QWidget]:
        if self.model.comparison is None:
            return [self.add]
        side = self.side.stack.currentWidget()
        picture = [] if self.picture.isHidden() else [self.picture.scripts]
        around = [self.head.second, *picture, *([] if side is None else [side])]
        return [self.list.view, self.list.field, *around]

    @property
    def is_ready(self) -> bool:
        return not self.model.is_waiting and self.model.is_up_to_date

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"compare_vocabularies": self.splitter}

    def stop(self) -> None:
        self.saving.close()
        self.model.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.picture.setVisible(self.width() >= ROOM_FOR_PICTURE_PX)  # else the list is too narrow

    def _ask_model(self) -> None:
        take = self.model.first.loader.open if self.model.first.tokenizer is None else self.model.add_second
        self._requests.model_wanted.emit(self.add, take)

    def _show_target(self, target: str) -> None:
        if target in GROUPS:
            self.model.show_group(target)
        else:
            self.side.show_target(target)

    def _choose_group(self, action: QAction) -> None:
        self.model.show_group(action.data())

    def _on_request_changed(self) -> None:
        self.groups.check(self.model.request.group)

    def _on_shown_changed(self) -> None:
        group, source = GROUPS[self.model.shown.request.group], self.model.shown.source
        self.groups.setText(f"{group.title} · {0 if source is None else len(source):,}")
        self.groups.setAccessibleName(f"Listed: {self.groups.text()}")

    def _bars(self) -> Bars:
        """The number of tokens of each bar that both models have, and that only one has."""
        comparison = self.model.comparison
        if comparison is None:
            return ()
        return list(zip(comparison.histograms, (comparison.by_script, comparison.by_length), strict=True))

    def _writer(self, form: str) -> Write:
        return lambda shown: self.model.write_all(form, shown.figures.comparison)

    def _on_comparison_changed(self) -> None:
        model, compared = self.model, self.model.compared
        self.add.setText("Open model…" if model.first.tokenizer is None else "Add model…")
        self.head.setVisible(model.second is not None)
        if compared is None:
            self.contents.show_message(self._message(), helps=not model.is_waiting)
        else:
            groups = {f"{GROUPS[name].title} · {len(rows):,}": name for name, rows in compared.groups.items()}
            self.groups.list_choices({title: name for title, name in groups.items() if compared.groups[name]})
            self._on_request_changed()
            self.contents.show_inside(self.list.view)
            target = first_difference(compared.respects)
            self.side.tabs.choose(0) if target in GROUPS else self.side.show_target(target)

    def _message(self) -> str:
        model = self.model
        if model.is_waiting:
            return "Comparing …" if model.comparing.is_busy else "Opening …"
        return model.problem or (NO_MODEL if model.first.tokenizer is None else NO_SECOND)


make_page = VocabulariesPage


def part_colors(theme: Theme, column_of_b: int) -> list[PartColor]:
    """Colours of PARTS: grey for both, solid for A, hatched for B."""
    return [(theme.faint, False), (color_of(0, theme), False), (color_of(column_of_b, theme), True)]


class PairHead(QFrame):
    """Both models and the verdict at the left; the compared respects at the right.

    Signals:
        chosen(str): the target of a part that was clicked.
    """

    chosen = Signal(str)

    def __init__(
        self, model: ComparedVocabularies, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self._model, self._requests = model, requests
        set_role(self, "bar")
        self._title = set_role(QLabel(), "title")
        self._summary = plain_label("dim", wraps=True)
        self.sides = [SideButton(theme_source, letter) for letter in LETTERS]
        first, self.second = (side.button for side in self.sides)
        first.clicked.connect(self._ask_for_first)
        self.second.fill_on_open(self._list_choices)
        self._respects = QGridLayout()
        self._build_layout()
        model.comparison_changed.connect(self._on_comparison_changed)
        model.request_changed.connect(self._on_filter_changed)
        self._on_comparison_changed()

    def _build_layout(self) -> None:
        left = self._left = QWidget()
        self._said = in_column(self._title, (self._summary, 1), spacing=UNIT_PX)
        self._both = in_column(*self.sides, spacing=UNIT_PX)
        in_column(self._said, self._both, STRETCH, on=left, spacing=UNIT_PX)
        self._respects.setHorizontalSpacing(GAP_PX)
        self._respects.setVerticalSpacing(0)
        self._respects.setColumnStretch(2, 1)
        right = in_column(self._respects, STRETCH)
        margins = MARGIN_PX, 3 * UNIT_PX, MARGIN_PX, 3 * UNIT_PX
        self._halves = in_row(left, (right, 1), margins=margins, spacing=GAP_PX)
        self.setLayout(self._halves)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """If it is narrow, put the models above the respects, and their names next to each other."""
        ways, is_narrow = QBoxLayout.Direction, self.width() < NARROW_PX
        for layout, is_column in ((self._said, False), (self._both, False), (self._halves, True)):
            layout.setDirection(ways.TopToBottom if is_column is is_narrow else ways.LeftToRight)
        most = min(LEFT_PX, round(MOST_LEFT_SHARE * self.width()))
        self._left.setFixedWidth(self.width() - 2 * MARGIN_PX if is_narrow else most)
        super().resizeEvent(event)

    def _list_choices(self, menu: QMenu) -> None:
        model = self._model
        list_models(menu, model.others, model.second, model.choose_second)
        menu.addSeparator()
        title = "Another model…" if model.can_add else "Another model: first remove one in Models"
        menu.addAction(title, self._ask_for_second).setEnabled(model.can_add)

    def _ask_for_first(self) -> None:
        self._requests.model_wanted.emit(self.sides[0].button, self._model.first.loader.open)

    def _ask_for_second(self) -> None:
        self._requests.model_wanted.emit(self.second, self._model.add_second)

    def _show_sides(self) -> None:
        comparison, model = self._model.comparison, self._model
        self.sides[1].marker.show_number(model.second_index)
        for side, session, other in zip(self.sides, (model.first, model.second), "BA", strict=True):
            opened = None if session is None else session.loader.model
            words = "" if opened is None else about(opened)
            shorter: list[str] = []
            if comparison is not None and opened is not None:
                share = percent(len(comparison.both) / max(1, len(opened.tokenizer.vocabulary)))
                share = f"{share} also in {other}"
                shorter = [joined(words, share), joined(summary(opened), share), share]
            name = "No model" if session is None else session.loader.title or "No model"
            side.show_side(name, *(shorter or [words]), tip=joined(name, words))

    def _on_comparison_changed(self) -> None:
        compared = self._model.compared
        self._show_sides()
        clear(self._respects)
        if compared is None:
            self._title.setText("")
            self._summary.setText("")
            return
        self._title.setText(verdict_title(compared.comparison))
        set_role(self._title, "good title" if compared.comparison.is_identical else "title")
        comparison, names = compared.comparison, ("A", "B")
        sentences = (
            verdict_summary(compared.respects),
            *choices(comparison, names),
            samples_verdict(comparison),
        )
        self._summary.setText(" ".join(sentences))
        for row, respect in enumerate(compared.respects):
            self._add(row, respect, *SIGNS[respect.is_equal])
        draft = drafting(compared.comparison)
        self._add(len(compared.respects), draft, *DRAFT_ANSWERS[draft.is_equal])
        self._on_filter_changed()

    def _add(self, row: int, respect: Respect, text: str, words: str, role: str) -> None:
        sign = set_role(QLabel(text), role)
        sign.setAccessibleName(f"{respect.name}: {words}")
        parts = FittingRow(list(map(self._part, respect.parts)))
        for column, widget in enumerate((sign, set_role(QLabel(respect.name), "strong"), parts)):
            self._respects.addWidget(widget, row, column)

    def _part(self, part: VerdictPart) -> QWidget:
        if not part.target:
            label = plain_label("dim")
            label.setText(part.text)
            label.setContentsMargins(PART_PADDING_PX, UNIT_PX, PART_PADDING_PX, UNIT_PX)
            return label
        button = tool_button(part.text, self._on_part_clicked, role="part", is_checkable=True)
        if part.tip or len(part.text) > SHORT:  # it may be elided
            button.setToolTip(plain_tip(part.tip or part.text))
        button.setProperty("target", part.target)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _on_part_clicked(self) -> None:
        self.chosen.emit(self.sender().property("target"))
        self._on_filter_changed()

    def _on_filter_changed(self) -> None:
        for button in self.findChildren(QToolButton):
            if (target := button.property("target")) is not None:
                button.setChecked(target == self._model.request.group)


# The column at the right: the chosen row, and roles and rules of both models


class VocabulariesSide(QFrame):
    """Three panels, one of which is shown."""

    def __init__(
        self, model: ComparedVocabularies, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        set_role(self, "panel")
        self.tree = push_button("Show in tree", self._show_in_tree, role="raised")
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
        self._model, self._requests = model, requests
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
        """The chosen token in A and in B, -1 for none."""
        pairs, row = self._model.source, self._model.chosen
        if pairs is None or row is None:
            return -1, -1
        first, second = pairs.tokens[row].tolist()
        return first, second

    def _show_in_tree(self) -> None:
        """Show the token of A in the tree; or else open B as the window's model and show that of B."""
        (first, second), other = self._tokens, self._model.second
        if first >= 0:
            self._requests.token_wanted.emit(first)
        elif second >= 0 and other is not None and other.loader.model is not None:
            self._model.first.loader.share(other.loader.model)
            self._requests.token_wanted.emit(second)


class _TextPanel(QScrollArea):
    """A text about both vocabularies, to read and to copy."""

    def __init__(
        self, name: str, model: ComparedVocabularies, theme_source: ThemeSource, spans: WriteSpans
    ) -> None:
        super().__init__()
        self._model = model
        self._theme_source = theme_source
        self._spans = spans
        self.text = StyledText(Theme.mono_font(SMALL_FONT_PX), ALL_LINES, name)
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
        yield Span("Neither model has special tokens.", theme.dim)
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
        return f"id {token_id}, not in the vocabulary"
    return f"{spelling.token(vocabulary, token_id, LONGEST_TOKEN)}  id {token_id}"


def _rule_spans(comparison: VocabularyComparison, _: Spelling, theme: Theme) -> Iterator[Span]:
    """Whether B may draft for A; then the rules: first different, then incomparable, then equal ones."""
    for verdict in comparison.drafting:
        yield _marker(verdict.may_draft, theme, DRAFT_ANSWERS)
        head, reason = in_words(verdict).partition(". ")[::2]
        yield Span(head, theme.text, is_bold=True)
        yield Span(f"\n{reason}\n\n", theme.dim)
    order = {False: 0, None: 1, True: 2}
    settings = sorted(comparison.settings, key=lambda each: order[each.is_equal])
    for number, setting in enumerate(settings):
        yield Span("\n\n" if number else "", theme.dim)
        yield _marker(setting.is_equal, theme)
        yield Span(setting.name, theme.text, is_bold=True)
        if setting.is_equal:
            yield Span(f"\n{elided(setting.first, LONGEST_SETTING)}", theme.dim)
        else:
            first, second = (elided(text, LONGEST_SETTING) for text in (setting.first, setting.second))
            yield from _pair(first, second, theme)


def _marker(
    is_equal: bool | None, theme: Theme, legend: Mapping[bool | None, tuple[str, str, str]] = SIGNS
) -> Span:
    text, _, color = legend[is_equal]
    return Span(f"{text}  ", getattr(theme, color))
