"""The bars around the tree: the controls of the picture, and the greedy walk through it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QColor, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QToolButton

from guiapp.analysis.tree.coloring import COLORINGS
from guiapp.core.text.numbers_in_words import counted, elided
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.widgets.controls import SEARCH_PX, SearchField, tool_button
from guiapp.kit.widgets.labels import TEXT_MARGIN_PX, FittedLabel, Span, StyledText
from guiapp.kit.widgets.layouts import Part, in_column, in_row
from guiapp.kit.widgets.menu_button import ChoiceButton, IconButton, MenuButton
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    set_role,
)
from guiapp.pages.tree.model import MORE_SIGN, SHAPES, TreeModel, TreeSearch, TreeWalk

ABOUT = (
    "A simple encoder: go down the tree byte by byte as far as possible, take that token, start again.",
    "Goes down the tree byte by byte as far as possible, and takes that token.",
    "Takes the longest token each time.",
)
HINT = "Play it from the selected token, or go one byte at a time."
PLAY, PAUSE = "Play", "Pause"
N_LINES, MORE_LINES = 1, 2  # height of the walk's sentence in a wide and in a narrow bar
SENTENCE = 68  # characters
TALL = 4  # extra pixels for lines with characters from other fonts
NAME_PX = 80
BUTTON_PX = 28
HEIGHT_PX = 44
SEPARATOR = " › "
LONGEST_LABEL = 24
NARROW_PX = 1080  # from this width on there is room for the path and the full search field
NARROWER_PX = 850
SHORT_SEARCH_PX, LEAST_SEARCH_PX = 170, 120
LEAST_PATH_PX = 120
SHAPE_WORDS = {
    "sunburst": ("Sunburst", "Rings: longer tokens are farther out"),
    "icicle": ("Icicle", "Rows: longer tokens are farther down"),
}


class TreeBar(QFrame):
    """The controls of the picture."""

    def __init__(
        self, model: TreeModel, search: TreeSearch, theme_source: ThemeSource, exports: Sequence[QAction]
    ) -> None:
        super().__init__()
        self._model = model
        self._search = search
        self._theme_source = theme_source
        set_role(self, "bar")
        self.setFixedHeight(HEIGHT_PX)
        back, forward, fit = model.go_back, model.go_forward, model.fit
        self.back = IconButton(theme_source, "back", back, tip="Back (Alt+Left)")
        self.forward = IconButton(theme_source, "forward", forward, tip="Forward (Alt+Right)")
        self.fit = IconButton(theme_source, "fit", fit, text="Whole tree", tip="Show the whole tree (Home)")
        self.shapes = {name: self._shape_button(name) for name in SHAPES}
        self.breadcrumb = Breadcrumb(model, theme_source)
        colorings = {coloring.title: coloring.name for coloring in COLORINGS}
        self.coloring = ChoiceButton(theme_source, "Colour by: ", colorings, "What the colours show")
        self.coloring.fix_width()
        self.export = MenuButton(theme_source, "Export")
        self.export.new_menu().addActions(exports)
        self.query = SearchField(search)
        self._build_layout()
        model.history_changed.connect(self._on_history_changed)
        model.shape_changed.connect(self._on_shape_changed)
        search.request_changed.connect(self._on_search_changed)
        self.coloring.chosen.connect(model.set_coloring)
        model.evaluating.changed.connect(self._on_coloring_changed)
        self._on_coloring_changed()
        self._on_history_changed()
        self._on_shape_changed()

    def _build_layout(self) -> None:
        path: tuple[Part, ...] = self.back, self.forward, self.fit, GAP_PX, *self.shapes.values()
        appearance: tuple[Part, ...] = GAP_PX, self.coloring, self.export, GAP_PX
        right: tuple[Part, ...] = (self.breadcrumb, 1), GAP_PX, self.query
        in_row(*path, *appearance, *right, on=self, margins=(GAP_PX, 0, GAP_PX, 0), spacing=UNIT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the “Whole tree” button and the search field if the bar is narrow."""
        super().resizeEvent(event)
        is_narrow = self.width() < NARROW_PX
        words = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        self.fit.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly if is_narrow else words)
        short_px = SHORT_SEARCH_PX if self.width() >= NARROWER_PX else LEAST_SEARCH_PX
        self.query.setFixedWidth(short_px if is_narrow else SEARCH_PX)

    def _shape_button(self, name: str) -> QToolButton:
        title, tip = SHAPE_WORDS[name]
        choose = partial(self._model.set_shape, name)
        button = IconButton(self._theme_source, name, choose, text=title, tip=tip)
        button.setCheckable(True)
        button.setAutoExclusive(True)
        return button

    def _on_coloring_changed(self) -> None:
        self.coloring.show_choice(self._model.coloring)

    def _on_history_changed(self) -> None:
        self.back.setEnabled(self._model.can_go_back)
        self.forward.setEnabled(self._model.can_go_forward)

    def _on_shape_changed(self) -> None:
        for name, button in self.shapes.items():
            button.setChecked(name == self._model.shape)

    def _on_search_changed(self) -> None:
        self.query.show_query(self._search.query)


class Breadcrumb(QLabel):
    """The path from the root to the chosen node, as links; a click shows that part of the tree."""

    def __init__(self, model: TreeModel, theme_source: ThemeSource) -> None:
        super().__init__(textFormat=Qt.TextFormat.RichText)
        self._model = model
        self._theme_source = theme_source
        self.setAccessibleName("Path in the tree")
        self.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.linkActivated.connect(self._go)
        for changed in (model.chosen_changed, model.picture_changed, model.spelling.changed):
            changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    def _refresh(self) -> None:
        theme, path = self._theme_source.theme, self._model.chosen_path
        nodes = self._fitting(path) if self.width() >= LEAST_PATH_PX else []
        links = [self._link(node, theme.accent if node == path[-1] else theme.text) for node in nodes]
        links = links if len(nodes) in (0, len(path)) else ["…", *links]
        self.setText(f'<span style="color:{theme.faint.name()}">{SEPARATOR}</span>'.join(links))

    def _link(self, node: int, color: QColor) -> str:
        style = f"color:{color.name()}; text-decoration:none"
        return f'<a href="{node}" style="{style}">{escape(isolate(self._text(node)))}</a>'

    def _fitting(self, path: list[int]) -> list[int]:
        """The last nodes of the path, as many as fit."""
        width_of = self.fontMetrics().horizontalAdvance
        room, shown = self.width() - width_of("…" + SEPARATOR), 0
        for node in reversed(path):
            room -= width_of(self._text(node) + SEPARATOR)
            if room < 0 and shown:
                break
            shown += 1
        return path[len(path) - shown :]

    def _text(self, node: int) -> str:
        text = self._model.label(node).partition(MORE_SIGN)[0] if self._model.picture else ""
        return elided(text, LONGEST_LABEL)

    def _go(self, node: str) -> None:
        self._model.choose(int(node))
        self._model.show(int(node))


class Detail(NamedTuple):
    """The detail of the walk's sentence: bytes of context, longest read text or name, and names."""

    context: int
    longest: int
    n_names: int


DETAILS = (Detail(18, 60, 3), Detail(18, 30, 3), Detail(12, 24, 2), Detail(6, 16, 1), Detail(0, 12, 1))


class WalkBar(QFrame):
    """Buttons to step back, play or pause, and step on, and a description of the current step."""

    def __init__(self, walk: TreeWalk, model: TreeModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._walk = walk
        self._model = model
        self._theme_source = theme_source
        self._is_low = False
        set_role(self, "panel")
        self._play = tool_button(PAUSE, walk.play, tip="Play or pause the walk")
        self._play.setMinimumWidth(self._play.fontMetrics().horizontalAdvance(PAUSE) + 2 * GAP_PX)
        self._story = StyledText(Theme.mono_font(SMALL_FONT_PX), MORE_LINES, "Greedy walk")
        back = tool_button("‹ Back", partial(walk.move, -1), tip="One byte back")
        on = tool_button("On ›", partial(walk.move, 1), tip="One byte forward")
        about = set_role(FittedLabel(elides=True), "dim")
        about.setFont(Theme.ui_font(SMALL_FONT_PX))
        about.set_texts(list(ABOUT))
        head = in_row(heading("Greedy walk"), back, self._play, on, (about, 1), spacing=GAP_PX)
        in_column(head, self._story, on=self, margins=(MARGIN_PX, UNIT_PX), spacing=0)
        for button in (back, self._play, on):
            button.setFixedHeight(BUTTON_PX)
        walk.changed.connect(self._refresh)
        model.spelling.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adjust the height to the sentence, so that the text below does not move while the walk plays."""
        super().resizeEvent(event)
        self._refresh()

    def set_low(self, is_low: bool) -> None:
        """Hide the empty sentence until the walk begins, to leave more room for the picture."""
        self._is_low = is_low
        self._refresh()

    def _story_px(self) -> int:
        metrics = self._story.fontMetrics()
        room = self.width() - 2 * MARGIN_PX - 2 * TEXT_MARGIN_PX
        n_lines = N_LINES if room >= metrics.horizontalAdvance("0" * SENTENCE) else MORE_LINES
        return n_lines * (metrics.lineSpacing() + TALL) + 2 * TEXT_MARGIN_PX

    def _refresh(self) -> None:
        self._play.setText(PAUSE if self._walk.is_playing else PLAY)
        has_story = not self._is_low or self._walk.step is not None
        self._story.setVisible(has_story)
        self.setFixedHeight(BUTTON_PX + has_story * self._story_px() + 2 * UNIT_PX)
        for detail in self._details():
            self._story.set_spans(self._spans(detail))
            if self._story.document().size().height() <= self._story_px():
                break

    def _details(self) -> list[Detail]:
        most = DETAILS[0]._replace(n_names=self._story.width() // NAME_PX)
        return [most, *DETAILS] if most.n_names > DETAILS[0].n_names else list(DETAILS)

    def _spans(self, detail: Detail) -> list[Span]:
        theme, step, picture = self._theme_source.theme, self._walk.step, self._model.picture
        if step is None or picture is None:
            return [Span(HINT, theme.dim)]

        def name(token: int) -> str:
            return isolate(self._model.written(token, detail.longest))

        reached = step.offset + 1
        before = self._walk.read(step.start, max(0, step.start - detail.context))
        seen = self._walk.read(reached, max(step.start, reached - detail.longest))
        spans = [
            Span(visible_text(before), theme.faint),
            Span(visible_text(seen), theme.span_text, theme.span_colors[0], is_bold=True),
            Span(visible_text(self._walk.read(reached + detail.context, reached)), theme.dim),
        ]
        if step.taken is not None:
            spans += [Span("   takes ", theme.dim), Span(name(step.taken), theme.accent, is_bold=True)]
            if step.n_children:
                longer = counted(step.n_children, "longer token")
                spans.append(Span(f": no match among {longer}", theme.dim))
        elif step.n_children:
            names = [name(child) for child in step.continuations[: detail.n_names]]
            more = f" … of {step.n_children:,}" if step.n_children > len(names) else ""
            spans.append(Span(f"   may continue with {', '.join(names)}{more}", theme.dim))
        return spans
