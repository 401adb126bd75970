"""The column beside the tree: the chosen node and its three trees, what was found, and the figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QModelIndex, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from guiapp.core.explain.merge_tree import MergeNode
from guiapp.core.explain.visible_text import isolate, visible_text
from guiapp.viewmodels.found_table import FoundTableModel
from guiapp.viewmodels.text_files import write_text
from guiapp.viewmodels.tree_details import NODE_FACTS, describe_node, merge_story
from guiapp.viewmodels.tree_findings import TreeFindings
from guiapp.viewmodels.tree_model import COUNT_SIGN, TreeModel
from guiapp.viewmodels.tree_search import TreeSearch
from guiapp.viewmodels.tree_walk import TreeWalk
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.merge_tree_view import MergeTreeView
from guiapp.widgets.prefix_tree_view import PrefixTreeView
from guiapp.widgets.style_sheet import heading, set_role
from guiapp.widgets.styled_text import Span, StyledText
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.token_actions import copy_action

TOKEN_FONT_PX = 22
NOTHING = "Choose a part of the tree, or a token of the text."
CHILDREN_SHOWN = 12
SETTLE_MS = 40  # while somebody walks, details follow when the walk pauses
COLUMN_WIDTHS_PX = (76, 130, 60, 150)


class NodePanel(QScrollArea):
    """The chosen node: what it is, how it is merged, what follows it, and the prefixes of the text."""

    def __init__(
        self,
        model: TreeModel,
        walk: TreeWalk,
        workspace: Workspace,
        theme_source: ThemeSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._workspace = workspace
        self._theme_source = theme_source
        self._text = StyledText(Theme.mono_font(TOKEN_FONT_PX), 3)
        self._text.setAccessibleName("Token text")
        self._names = {name: QLabel(name) for name in NODE_FACTS}
        self._values = {name: StyledText(Theme.mono_font(SMALL_FONT_PX), 3) for name in NODE_FACTS}
        self._empty = StyledText(Theme.ui_font())
        self._place = StyledText(Theme.mono_font(SMALL_FONT_PX), 6)
        self._place.setAccessibleName("Path in the tree")
        self._merges = MergeTreeView(theme_source)
        self._remark = StyledText(Theme.ui_font(SMALL_FONT_PX), 4)
        self._remark.setAccessibleName("Remark")
        self._prefixes = PrefixTreeView(walk, model, workspace, theme_source)
        self._lay_out()
        self.setMinimumWidth(260)
        self.addAction(copy_action(self, "Copy details", self.copy, QKeySequence.StandardKey.Copy))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._facts: dict[str, str] = {}
        self._settled = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._settled.timeout.connect(self._show)
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_sections)
        for changed in (model.chosen_changed, model.picture_changed, model.counts_changed):
            changed.connect(self._settled.start)
        theme_source.changed.connect(self._show)
        self._show()

    def copy(self) -> None:
        """Put what is known about the node on the clipboard, one fact a line."""
        lines = [f"{name}\t{value}" for name, value in self._facts.items()]
        QGuiApplication.clipboard().setText("\n".join([*lines, self._merges.as_text()]).rstrip() + "\n")

    def _lay_out(self) -> None:
        inside = self._inside = QFrame()
        set_role(inside, "panel")
        column = QVBoxLayout(inside)
        column.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
        column.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        column.setSpacing(GAP_PX)
        facts = QGridLayout()
        facts.setHorizontalSpacing(3 * UNIT_PX)
        facts.setVerticalSpacing(2)
        facts.setColumnStretch(1, 1)
        for row, name in enumerate(NODE_FACTS):
            set_role(self._names[name], "dim")
            self._names[name].setFont(Theme.ui_font(SMALL_FONT_PX))
            self._values[name].setAccessibleName(name)
            facts.addWidget(self._names[name], row, 0, Qt.AlignmentFlag.AlignTop)
            facts.addWidget(self._values[name], row, 1)
        merges = QScrollArea(widgetResizable=True)
        merges.setWidget(self._merges)
        merges.setFrameShape(QFrame.Shape.NoFrame)
        merges.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        merges.viewport().setAutoFillBackground(False)
        self._merges.setAutoFillBackground(False)
        self._merge_area = merges
        column.addWidget(self._empty)
        self._sections: list[QWidget] = [_card(self._text, facts)]
        column.addWidget(self._sections[0])
        for title, contents in (
            ("Place in the token tree", [self._place]),
            ("How merging builds it", [merges, self._remark]),
            ("Last token of each prefix of the text", [self._prefixes]),
        ):
            column.addSpacing(UNIT_PX)
            self._sections += [heading(title), _card(*contents)]
            column.addWidget(self._sections[-2])
            column.addWidget(self._sections[-1])
        column.addStretch()
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _show(self) -> None:
        picture, node, theme = self._model.picture, self._model.chosen, self._theme_source.theme
        tokenizer = self._workspace.tokenizer
        self._facts = {}
        text, remark = "", ""
        place: list[Span] = []
        story_tree: tuple[MergeNode, ...] = ()
        if picture is not None and node is not None and node < len(picture):
            details = describe_node(picture, node, tokenizer, self._model.counts)
            self._facts, text = dict(details.facts), details.text
            place = self._place_spans()
            if details.token is not None:
                story = merge_story(picture.vocabulary, tokenizer, details.token)
                story_tree, remark = story.tree.roots, story.remark
        is_chosen = bool(self._facts)
        self._empty.set_spans([Span(NOTHING, theme.dim)])
        self._empty.setVisible(not is_chosen)
        for section in self._sections:
            section.setVisible(is_chosen)
        self._text.set_spans([Span(isolate(text), theme.text)])
        for name in NODE_FACTS:
            self._names[name].setVisible(name in self._facts)
            self._values[name].setVisible(name in self._facts)
            self._values[name].set_spans([Span(self._facts.get(name, ""), theme.text, is_bold=name == "id")])
        self._place.set_spans(place)
        self._merges.set_roots(story_tree)
        self._merge_area.setVisible(bool(story_tree))
        self._merge_area.setFixedHeight(self._merges.sizeHint().height() + 3 * UNIT_PX)
        remark = remark or ("" if story_tree else "Nothing is merged here.")
        self._remark.set_spans([Span(remark, theme.dim)])
        self._remark.setVisible(bool(remark))
        self._fitting.start()

    def _fit_sections(self) -> None:
        """Give the cards room for their texts, whose heights are known when they have their width."""
        for part in (*self._sections, self._inside):
            if (layout := part.layout()) is not None:
                layout.invalidate()
                layout.activate()

    def _place_spans(self) -> list[Span]:
        """The path, and what can follow."""
        picture, theme = self._model.picture, self._theme_source.theme
        path = self._model.chosen_path
        assert picture is not None
        spans = []
        for node in path[1:]:
            is_last = node == path[-1]
            spans.append(
                Span(isolate(self._name(node)), theme.accent if is_last else theme.text, is_bold=is_last)
            )
            spans.append(Span(" › ", theme.dim))
        children = picture.children(path[-1])
        shown = [isolate(self._name(child)) for child in children[:CHILDREN_SHOWN]]
        spans.append(Span(", ".join(shown) or "nothing longer", theme.dim))
        if len(children) > CHILDREN_SHOWN:
            spans.append(Span(f" and {len(children) - CHILDREN_SHOWN:,} more", theme.dim))
        return spans

    def _name(self, node: int) -> str:
        picture = self._model.picture
        token = None if picture is None else picture.token(node)
        if picture is None or token is None:
            return self._model.label(node).partition(COUNT_SIGN)[0]
        return visible_text(picture.tree.token_bytes(token), 40)


class FoundPanel(QWidget):
    """Tokens in a table, to go to, copy and save."""

    def __init__(
        self,
        model: TreeModel,
        search: TreeSearch,
        ask_where: Callable[[str, str], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._search = search
        self._ask_where = ask_where
        self._table = FoundTableModel(self)
        self._title = heading("Found")
        self.view = QTableView()
        self._set_looks()
        save = QPushButton("Save…")
        save.setToolTip("Save all rows as lines with tabs")
        save.clicked.connect(self.save)
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN_PX, GAP_PX, MARGIN_PX, GAP_PX)
        layout.addLayout(head)
        layout.addWidget(self.view, 1)
        self.addAction(copy_action(self, "Copy rows", self.copy, QKeySequence.StandardKey.Copy))
        self.view.selectionModel().currentRowChanged.connect(self._go)
        search.found_changed.connect(self._follow_search)
        search.current_changed.connect(self._follow_current)
        self._follow_search()

    def show_tokens(self, title: str, tokens: np.ndarray[tuple[int], np.dtype[np.int32]]) -> None:
        """List some tokens under a title."""
        self._title.setText(f"{title} · {len(tokens):,}".upper())
        self._table.show(self._model.picture, tokens)

    def copy(self) -> None:
        """Put the selected rows on the clipboard."""
        rows = sorted({index.row() for index in self.view.selectionModel().selectedRows()})
        QGuiApplication.clipboard().setText(self._table.as_text(rows))

    def save(self) -> None:
        if path := self._ask_where("Save tokens", "tokens.tsv"):
            write_text(Path(path), self._table.as_text(range(self._table.rowCount())).encode())

    def _set_looks(self) -> None:
        view = self.view
        view.setModel(self._table)
        view.setFont(Theme.mono_font(SMALL_FONT_PX))
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setFrameShape(QFrame.Shape.NoFrame)
        view.setTabKeyNavigation(False)
        view.setAccessibleName("Found tokens")
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.verticalHeader().hide()
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        view.verticalHeader().setDefaultSectionSize(view.fontMetrics().height() + 2 * UNIT_PX)
        view.horizontalHeader().setHighlightSections(False)
        view.horizontalHeader().setStretchLastSection(True)
        for column, width in enumerate(COLUMN_WIDTHS_PX):
            view.setColumnWidth(column, width)

    def _go(self, current: QModelIndex) -> None:
        if current.isValid() and self.view.hasFocus():
            self._model.choose_token(self._table.token(current.row()))

    def _follow_search(self) -> None:
        picture = self._model.picture
        if picture is not None:
            self.show_tokens("Found", picture.arrays.tokens[self._search.found_nodes])

    def _follow_current(self) -> None:
        if self._search.current is not None and self._search.current < self._table.rowCount():
            self.view.selectRow(self._search.current)


class FindingsPanel(QScrollArea):
    """Figures about the tree; a click on one lists its tokens."""

    def __init__(
        self,
        findings: TreeFindings,
        show_tokens: Callable[[str, np.ndarray[tuple[int], np.dtype[np.int32]]], None],
        theme_source: ThemeSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._findings = findings
        self._show_tokens = show_tokens
        self._theme_source = theme_source
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        findings.changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        inside = QFrame()
        set_role(inside, "panel")
        column = QVBoxLayout(inside)
        column.setContentsMargins(MARGIN_PX, MARGIN_PX, MARGIN_PX, MARGIN_PX)
        statistics = self._findings.statistics
        if statistics is None:
            waiting = QLabel("Counting …")
            set_role(waiting, "dim")
            column.addWidget(waiting)
        else:
            for finding in statistics.findings:
                row = QPushButton(f"{finding.value:>9}  {finding.name}")
                set_role(row, "quiet")
                row.setFont(Theme.mono_font(SMALL_FONT_PX))
                row.setStyleSheet("text-align: left;")
                row.setToolTip(finding.remark)
                row.setEnabled(bool(len(finding.tokens)))
                row.clicked.connect(_Shower(self._show_tokens, finding.name, finding.tokens, row).show)
                column.addWidget(row)
            for title, counts, first in (
                ("Tokens at each depth", statistics.depths, [str(n + 1) for n in range(99)]),
                ("Tokens with so many children", statistics.fan_outs, FAN_OUT_NAMES),
            ):
                column.addSpacing(GAP_PX)
                column.addWidget(heading(title))
                column.addWidget(BarChart(counts, first, self._theme_source))
        column.addStretch()
        self.setWidget(inside)


FAN_OUT_NAMES = ["0", "1", *(f"{1 << n}–{(2 << n) - 1}" for n in range(1, 24))]


class _Shower(QWidget):
    """Remembers what one figure counts; lives as long as its row."""

    def __init__(self, show: Callable[..., None], name: str, tokens: object, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self._show_tokens, self._name, self._tokens = show, name, tokens

    def show(self) -> None:
        self._show_tokens(self._name, self._tokens)


class BarChart(QWidget):
    """Counts as bars on a logarithmic scale, each with its figure."""

    ROW_PX = 17
    NAME_PX = 74

    def __init__(
        self,
        counts: np.ndarray[tuple[int], np.dtype[np.int64]],
        names: list[str],
        theme_source: ThemeSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._rows = [(names[at], int(count)) for at, count in enumerate(counts) if count][:40]
        self._theme_source = theme_source
        self.setFixedHeight(self.ROW_PX * len(self._rows) + 4)
        self.setAccessibleDescription(", ".join(f"{name}: {count:,}" for name, count in self._rows))
        theme_source.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme_source.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(Theme.mono_font(11))
        most = np.log1p(max((count for _, count in self._rows), default=1))
        room = self.width() - self.NAME_PX - 70
        for row, (name, count) in enumerate(self._rows):
            y = row * self.ROW_PX
            painter.setPen(theme.dim)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y, self.NAME_PX - 10, self.ROW_PX), right, name)
            width = max(2.0, room * float(np.log1p(count) / most))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.contenders[0])
            painter.drawRoundedRect(QRectF(self.NAME_PX, y + 3, width, self.ROW_PX - 6), 3, 3)
            painter.setPen(theme.text)
            painter.drawText(QPointF(self.NAME_PX + width + 6, y + self.ROW_PX - 5), f"{count:,}")


def _card(*contents: QWidget | QGridLayout) -> QFrame:
    card = QFrame()
    set_role(card, "card")
    column = QVBoxLayout(card)
    column.setContentsMargins(3 * UNIT_PX, 3 * UNIT_PX, 3 * UNIT_PX, 3 * UNIT_PX)
    column.setSpacing(GAP_PX)
    for content in contents:
        if isinstance(content, QWidget):
            column.addWidget(content)
        else:
            column.addLayout(content)
    return card
