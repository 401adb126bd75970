"""The detail column: a token, its facts, the tree of its merges, and its position in the token tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from operator import attrgetter
from types import MappingProxyType
from typing import Protocol

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, SignalInstance
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPen,
    QResizeEvent,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QLabel, QScrollArea, QWidget

from guiapp.analysis.explain.merge_tree import MergeNode, MergeTree
from guiapp.core.text.visible_text import isolate, visible_runs, visible_text
from guiapp.kit.session.token_details import FACTS, TokenDetails, WrittenPath
from guiapp.kit.spans.token_menu import copy_action, offer_copying
from guiapp.kit.widgets.event_filters import TextZoom, TipWatch
from guiapp.kit.widgets.labels import TEXT_MARGIN_PX, Span, StyledText
from guiapp.kit.widgets.layouts import (
    CARD_MARGIN_PX,
    STRETCH,
    Part,
    WrappingRow,
    card,
    framed,
    in_column,
    scroll_down,
)
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.painting import CENTER, Painted, bold, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
    sentence,
    set_role,
)

MOST_LINES = 4
FEWEST_COLUMNS = 20  # characters of a value next to its name
NAME_GAP_PX = 3 * UNIT_PX
CODE_AND_SIGN = re.compile(r"(U\+[0-9A-F]+) ")
LEVEL_PX = 46
LABEL_PX = 20
BRANCH_GAP_PX = 16
ROOT_GAP_PX = 36
LABEL_LIMIT = 24
Write = Callable[[bytes, int], str]
"""Returns the display text of some bytes, up to so many characters."""
SMALLEST_SCALE = 0.8
RANK_FONT_PX = 11
MOST_SHOWN = 60  # characters
PADDING_PX = 3 * UNIT_PX
TOKEN_FONT_PX = 24
TITLE, BUILDING, PATH = "Token", "How it is built", "Path in the tree"
SIDE_BY_SIDE_PX = 660  # from this width on, the sections with trees are side by side
PREPARING = "Preparing the merges of this vocabulary …"
EMPTY_TEXT = "Select a token in the text or in its ids to see its details."


FACT_TIPS = {
    "id": "the number that the model reads for it",
    "bytes": "its bytes, in hexadecimal",
    "begins": "the part of a character that it begins",
    "kind": "its kind in the model file",
    "role": "what the model uses it for",
    "score": "the logarithm of its probability; a higher score is more likely",
    "merge rank": "the rank of the merge that makes it; lower ranks go first",
    "depth": "the number of tokens on the path from the root, including this one",
    "children": "tokens directly below it",
    "below it": "all longer tokens that begin with it",
    "in this text": "how often it occurs in the text",
}


class Described(Protocol):
    """Has the details of one token, or None, and formats bytes."""

    @property
    def details(self) -> TokenDetails | None: ...

    @property
    def details_changed(self) -> SignalInstance: ...

    def part(self, data: bytes, limit: int) -> str: ...


class TokenCard(QScrollArea):
    """A token, its merges and its position in the token tree; side by side if there is room.

    about  explanations under the headings of sections
    more   widgets with sections of their own, by heading
    """

    def __init__(
        self,
        model: Described,
        theme_source: ThemeSource,
        zoom: TextZoom | None = None,
        facts: Sequence[str] = FACTS,
        empty: str = EMPTY_TEXT,
        buttons: Sequence[QWidget] = (),
        about: Mapping[str, str] = MappingProxyType({}),
        more: Mapping[str, QWidget] = MappingProxyType({}),
        tint_of: Callable[[TokenDetails], int] = attrgetter("tint"),
    ) -> None:
        """`buttons` are below the facts; `tint_of(details)` is the colour of the token."""
        super().__init__()
        self._zoom = zoom or TextZoom(self)
        self._model = model
        self._title = heading(TITLE)
        self._empty = set_role(QLabel(empty, wordWrap=True), "dim")
        self._sections: _Sections | None = None
        self._make = partial(_Sections, model, theme_source, self._zoom, facts, buttons, about, more, tint_of)
        self._sections_column = in_column(spacing=0)
        column = in_column(
            self._title, self._empty, self._sections_column, (STRETCH, 1), margins=MARGIN_PX, spacing=GAP_PX
        )
        scroll_down(self, framed(column, "panel"))
        self.setMinimumWidth(260)
        offer_copying(self, "Copy details", self.copy)
        model.details_changed.connect(self.show_details)
        theme_source.changed.connect(self.show_details)
        self._zoom.changed.connect(self._on_zoom_changed)
        if buttons or more:
            self._prepare()
        self.show_details()

    def copy(self) -> None:
        """Copy all facts and merges to the clipboard, one per line."""
        details = self._model.details
        if details is not None:
            lines = [f"{name}\t{value}".replace("\n", "; ") for name, value in details.facts]
            text = "\n".join([*lines, self._prepare().tree.as_text()]).rstrip() + "\n"
            copy_text(self, text, "details and merges of the token")

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._zoom.take(event):
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._sections is not None:
            self._sections.fit_into(self.width())

    def show_details(self) -> None:
        details = self._model.details
        if details is None:
            self._title.setText(TITLE.upper())
        else:
            position = "" if details.index is None else f" {details.index + 1:,} OF {details.n_tokens:,}"
            self._title.setText(f"{TITLE.upper()}{position}")
            self._prepare().show_details(details)
        self._empty.setVisible(details is None)
        if self._sections is not None:
            self._sections.setVisible(details is not None)  # after all is set: only one layout

    def _on_zoom_changed(self) -> None:
        if self._sections is not None:
            self._sections.set_fonts()
            self._sections.fit_into(self.width())
        self.show_details()

    def _prepare(self) -> _Sections:
        """The sections, created for the first token: this makes a window open faster."""
        if self._sections is None:
            self._sections = self._make()
            self._sections.setVisible(False)
            self._sections_column.addWidget(self._sections)
            self._sections.fit_into(self.width())
        return self._sections


class _Sections(QWidget):
    """The token with its facts, its merges, its position in the token tree, and more."""

    def __init__(
        self,
        model: Described,
        theme_source: ThemeSource,
        zoom: TextZoom,
        facts: Sequence[str],
        buttons: Sequence[QWidget],
        about: Mapping[str, str],
        more: Mapping[str, QWidget],
        tint_of: Callable[[TokenDetails], int],
    ) -> None:
        super().__init__()
        self._zoom, self._model = zoom, model
        self._theme_source, self._tint_of = theme_source, tint_of
        self._token = StyledText(Theme.mono_font(TOKEN_FONT_PX), 3, "Token text")
        self._token.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self._facts = FactTable(facts, zoom)
        self.tree = MergeTreeView(theme_source, zoom)
        self._tree_area = _WideDrawing(self.tree)
        self._tree_area.setAccessibleName(BUILDING)
        self._remark = plain_label("dim", wraps=True)
        self._path = StyledText(Theme.mono_font(SMALL_FONT_PX), 6, PATH)
        self._trees = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._build_layout([WrappingRow([*buttons])] if buttons else [], about, more)
        self.set_fonts()

    def _build_layout(
        self, buttons: Sequence[QWidget], about: Mapping[str, str], more: Mapping[str, QWidget]
    ) -> None:
        sections = {BUILDING: card(self._tree_area, self._remark), PATH: card(self._path)}
        sections |= {title: card(inside) for title, inside in more.items()}
        self._about = {title: sentence(text) for title, text in about.items()}
        for title, section in sections.items():
            under: list[Part] = [self._about[title]] if title in about else []
            column = in_column(heading(title), *under, section, (STRETCH, 1), spacing=GAP_PX)
            self._trees.addLayout(column, 1)
        self._trees.setSpacing(MARGIN_PX)
        in_column(card(self._token, self._facts), *buttons, GAP_PX, self._trees, on=self)

    def set_fonts(self) -> None:
        """Apply the font sizes of the current zoom."""
        self._token.set_font(self._zoom.mono_font(TOKEN_FONT_PX))
        self._path.set_font(self._zoom.mono_font(SMALL_FONT_PX))

    def fit_into(self, width_px: int) -> None:
        """Arrange by the card's width; the inner width changes with the scroll bar, and so with the facts."""
        directions = QBoxLayout.Direction
        is_wide = width_px >= SIDE_BY_SIDE_PX
        self._trees.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        self._facts.fit_into(width_px - 2 * MARGIN_PX - 2 * CARD_MARGIN_PX)

    def show_details(self, details: TokenDetails) -> None:
        self._token.set_spans(self._token_spans(details))
        self._facts.show_facts(dict(details.facts), self._theme_source.theme.text)
        tree = details.tree or MergeTree((), PREPARING)
        self.tree.set_roots(tree.roots, self._model.part)
        self._tree_area.setVisible(bool(tree.roots))
        if BUILDING in self._about:
            self._about[BUILDING].setVisible(len(tree.roots) > 1 or any(each.parts for each in tree.roots))
        self._tree_area.fit_height()
        self._remark.setText(tree.note)
        self._remark.setVisible(bool(tree.note))
        self._path.set_spans(() if details.path is None else self._path_spans(details.path))

    def _token_spans(self, details: TokenDetails) -> Iterator[Span]:
        theme = self._theme_source.theme
        yield Span(details.name, theme.text)
        background = None if details.is_special else theme.tint_color(self._tint_of(details))
        color = theme.control if background is None else theme.text_on(background)
        for run in visible_runs(details.shown):
            yield Span(run.text, theme.dim if run.is_symbol else color, background)

    def _path_spans(self, path: WrittenPath) -> Iterator[Span]:
        theme = self._theme_source.theme
        for prefix in path.prefixes:
            yield Span(isolate(prefix), theme.text)
            yield Span(" › ", theme.dim)
        yield Span(isolate(path.own), theme.accent, is_bold=True)
        for number, continuation in enumerate(path.continuations):
            yield Span(", " if number else " › ", theme.dim)
            yield Span(isolate(continuation), theme.dim)
        if more := path.n_continuations - len(path.continuations):
            yield Span(f" and {more:,} more", theme.dim)


class _WideDrawing(QScrollArea):
    """A scroll area for a drawing that may be too wide; high enough never to scroll vertically."""

    def __init__(self, inside: MergeTreeView) -> None:
        super().__init__()
        self._inside = inside
        self.setViewport(QWidget())
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside.setAutoFillBackground(False)

    def fit_height(self) -> None:
        self.setFixedHeight(self._inside.heightForWidth(self.viewport().width()) + 3 * UNIT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_height()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)


class MergeTreeView(Painted):
    """Draws merge trees side by side, scaled down if wider than the widget, and scrolled beyond that."""

    def __init__(self, theme_source: ThemeSource, zoom: TextZoom | None = None) -> None:
        super().__init__(theme_source, "How the token is built")
        TipWatch(self, self._tool_tip)
        self._zoom = zoom or TextZoom(self)
        self._roots: tuple[MergeNode, ...] = ()
        self._write: Write = visible_text
        self._layout = MergeTreeLayout((), 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(copy_action(self, "Copy merges", self.copy))
        self._zoom.changed.connect(self._resize)

    def set_roots(self, roots: tuple[MergeNode, ...], write: Write = visible_text) -> None:
        layout = layout_of(roots, QFontMetrics(self._label_font(True)).horizontalAdvance, write)
        if layout == self._layout:
            return
        self._roots, self._write, self._layout = roots, write, layout
        self.setAccessibleDescription(self.as_text())
        self._resize()

    def as_text(self) -> str:
        """The merges, one per line, in the order of the drawing: `·York = ·Y + ork (4100)`."""
        lines = []
        for layout in self._layout.nodes:
            if parts := layout.node.parts:
                joined = " + ".join(self._write(part.shown, MOST_SHOWN) for part in parts)
                lines.append(f"{layout.label} = {joined} ({layout.node.worth:g})")
        return "\n".join(lines)

    def copy(self) -> None:
        copy_text(self, self.as_text(), "the merges")

    def heightForWidth(self, width: int) -> int:
        return round(self._layout.height * self._scale(width))

    def _resize(self) -> None:
        width = round(self._zoom.scaled(self._layout.width) * SMALLEST_SCALE) + 2 * PADDING_PX
        self.setMinimumWidth(width if self._roots else 0)
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.translate(self._origin())
        scale = self._scale(self.width())
        painter.scale(scale, scale)
        painter.setPen(QPen(theme.faint, 1))
        gap = QFontMetrics(self._label_font()).height() + 1
        for layout in self._layout.nodes:
            if layout.parent >= 0:
                above = self._layout.nodes[layout.parent]
                painter.drawLine(QPointF(above.x, above.y + gap), QPointF(layout.x, layout.y - 1))
        for layout in self._layout.nodes:
            self._paint_node(painter, theme, layout)

    def _paint_node(self, painter: QPainter, theme: Theme, layout: NodeLayout) -> None:
        is_root = layout.parent < 0
        center = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.setFont(self._label_font(is_root))
        painter.setPen(theme.text)
        painter.drawText(QRectF(layout.x - 400, layout.y, 800, LEVEL_PX), center, isolate(layout.label))
        if layout.node.worth is None:
            return
        painter.setFont(Theme.mono_font(RANK_FONT_PX))
        rank = f"{layout.node.worth:,.6g}"
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(rank) + UNIT_PX
        top = layout.y + QFontMetrics(self._label_font()).height() + 5
        box = QRectF(layout.x - width / 2, top, width, metrics.height())
        painter.fillRect(box, theme.raised)
        write(painter, box, rank, theme.dim, CENTER)

    def _label_font(self, is_root: bool = False) -> QFont:
        return bold(Theme.mono_font(UI_FONT_PX if is_root else SMALL_FONT_PX), is_root)

    def _scale(self, width: int) -> float:
        room = width - 2 * PADDING_PX
        zoom = self._zoom.factor
        return max(SMALLEST_SCALE * zoom, min(zoom, room / self._layout.width)) if self._layout.width else 1.0

    def _origin(self) -> QPointF:
        free = self.width() - self._layout.width * self._scale(self.width())
        return QPointF(max(PADDING_PX, free / 2), 0)

    def _tool_tip(self, position: QPoint) -> str:
        at = (QPointF(position) - self._origin()) / self._scale(self.width())
        for layout in self._layout.nodes:
            if abs(at.x() - layout.x) <= GAP_PX * 2 and layout.y <= at.y() <= layout.y + LEVEL_PX / 2:
                text = escape(isolate(self._write(layout.node.shown, MOST_SHOWN)))
                return f"<qt>{text}&nbsp; {layout.node.shown[:32].hex(' ').upper()}</qt>"
        return ""


@dataclass(frozen=True)
class NodeLayout:
    """A node with its label; `x` is its centre, `y` the top of its level, `parent` an index or -1."""

    node: MergeNode
    label: str
    x: float
    y: int
    parent: int


@dataclass(frozen=True)
class MergeTreeLayout:
    """All nodes of a drawing; parents come before their parts."""

    nodes: tuple[NodeLayout, ...]
    width: int
    height: int


def layout_of(
    roots: tuple[MergeNode, ...], label_width: Callable[[str], int], write: Write = visible_text
) -> MergeTreeLayout:
    """Arrange the trees side by side; `label_width` measures a label in pixels."""
    layouts: list[NodeLayout] = []
    left = 0.0
    for root in roots:
        left = _arrange_node(root, left, 0, -1, layouts, write, label_width) + ROOT_GAP_PX
    depth = max((node.y for node in layouts), default=-LABEL_PX) + LABEL_PX
    return MergeTreeLayout(tuple(layouts), max(0, round(left) - ROOT_GAP_PX), depth)


def _arrange_node(
    node: MergeNode,
    left: float,
    level: int,
    parent: int,
    layouts: list[NodeLayout],
    write: Write,
    label_width: Callable[[str], int],
) -> float:
    """Arrange a node and its subtree from `left` on; return the right edge."""
    label = write(node.shown, LABEL_LIMIT)
    half = label_width(label) / 2
    at = len(layouts)
    layouts.append(NodeLayout(node, label, left + half, level * LEVEL_PX, parent))
    if not node.parts:
        return left + 2 * half
    right, middles = left - BRANCH_GAP_PX, []
    for part in node.parts:
        first = len(layouts)
        right = _arrange_node(part, right + BRANCH_GAP_PX, level + 1, at, layouts, write, label_width)
        middles.append(layouts[first].x)
    x = max(sum(middles) / 2, left + half)
    layouts[at] = replace(layouts[at], x=x)
    return max(right, x + half)


class FactTable(QWidget):
    """A table with a row for each name that has a value; values can be selected and copied.

    is_stacked  whether values are below their names
    """

    def __init__(self, names: Sequence[str], zoom: TextZoom) -> None:
        super().__init__()
        self._zoom = zoom
        self.is_stacked = False
        self._names = {name: QLabel(name) for name in names}
        self.values = {name: StyledText(zoom.mono_font(SMALL_FONT_PX), MOST_LINES) for name in names}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(NAME_GAP_PX)
        self._grid.setColumnStretch(1, 1)
        for name in names:
            set_role(self._names[name], "dim")
            self.values[name].setAccessibleName(name)
            self.values[name].setToolTip(FACT_TIPS.get(name, ""))
        self._arrange()
        zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def fit_into(self, width_px: int) -> None:
        """Put values next to their names only if a table of this width has room for both."""
        metrics = next(iter(self.values.values())).fontMetrics()
        columns_px = FEWEST_COLUMNS * metrics.horizontalAdvance("0")
        labels = self._names.values()
        names_px = max(each.sizeHint().width() - each.contentsMargins().left() for each in labels)
        is_stacked = width_px - names_px - NAME_GAP_PX < columns_px
        if is_stacked != self.is_stacked:
            self.is_stacked = is_stacked
            self._arrange()

    def show_facts(self, facts: Mapping[str, str], color: QColor) -> None:
        """Show these values, the id in bold, and hide all other names."""
        for name, value in self.values.items():
            self._names[name].setVisible(name in facts)
            value.setVisible(name in facts)
            text = CODE_AND_SIGN.sub("\\1\N{NO-BREAK SPACE}", facts.get(name, ""))
            value.set_spans([Span(text, color, is_bold=name == "id")])

    def _on_zoom_changed(self) -> None:
        for name, value in self.values.items():
            value.set_font(self._zoom.mono_font(SMALL_FONT_PX))
            self._names[name].setFont(self._zoom.ui_font(SMALL_FONT_PX))

    def _arrange(self) -> None:
        self._grid.setVerticalSpacing(0 if self.is_stacked else UNIT_PX)
        left_px, above_px = (TEXT_MARGIN_PX, GAP_PX) if self.is_stacked else (0, TEXT_MARGIN_PX)
        for row, (name, value) in enumerate(self.values.items()):
            label = self._names[name]
            label.setContentsMargins(left_px, above_px, 0, 0)  # aligned with its value
            if self.is_stacked:
                self._grid.addWidget(label, 2 * row, 0, 1, 2)
                self._grid.addWidget(value, 2 * row + 1, 0, 1, 2)
            else:
                self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
                self._grid.addWidget(value, row, 1)
