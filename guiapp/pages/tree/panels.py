"""The column beside the tree: the chosen node in words, with its three trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QMouseEvent, QPainter, QPainterPath, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QLayout, QScrollArea, QWidget

from guiapp.analysis.explain.merge_tree import MergeNode, MergeTree, merge_tree, why_not_merged
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import TreePicture
from guiapp.analysis.tree.reports import PrefixTree, merge_rules_of
from guiapp.analysis.tree.trials import begun_characters
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted, times
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.vocabulary import SCORED, VocabType, Vocabulary, special_role
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import hex_bytes
from guiapp.kit.spans.token_menu import offer_copying
from guiapp.kit.state.background import later
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, card, in_column, scroll_down
from guiapp.kit.widgets.painting import Painted, bold, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    sentence,
    set_role,
)
from guiapp.kit.widgets.token_card import FactTable, MergeTreeView
from guiapp.pages.tree.model import MORE_SIGN, TreeModel, TreeWalk

MOST_MERGED = 48  # bytes of a token whose merges are drawn
ROW_PX = 17
INDENT_PX = 12
PREFIX_SETTLE_MS = 60
FONT_PX = 12
TOKEN_FONT_PX = 22
NOTHING = "Choose a part of the tree, or a token of the text."
ABOUT_TOKEN = "What the model knows of the chosen token."
ABOUT_PLACE = "The shorter tokens it begins with, and the longer ones that begin with it."
ABOUT_MERGES = (
    "Two shorter tokens were joined, again and again. The number tells when in training: text is joined in "
    "the same order, low numbers first."
)
ABOUT_PREFIXES = (
    "Cut the text behind each byte: with this token it then ends, below the one that comes before. "
    "Bold: the tokens of the whole text."
)
FACT_TIPS = {
    "id": "the number that the model is given for it",
    "bytes": "what it stands for, in hexadecimal digits",
    "begins": "the part of a character that it begins",
    "type": "what the model file says it is for",
    "role": "what the model uses it for",
    "score": "how likely it is: the logarithm of a probability, higher is likelier",
    "merge rank": "which merge makes it; those with low numbers come first",
    "depth": "how many tokens lie on the way from the root, itself included",
    "children": "tokens right below it",
    "below it": "all longer tokens that begin with it",
    "in this text": "how often it is one of the tokens of the text",
}
NODE_FACTS = tuple(FACT_TIPS)
CHILDREN_SHOWN = 12
SIDE_BY_SIDE_PX = 660  # from this width on the three trees lie beside each other
SETTLE_MS = 40  # while somebody walks, details follow when the walk pauses


class NodePanel(QScrollArea):
    """The chosen node: what it is, how it is merged, what follows it, and the prefixes of the text."""

    def __init__(
        self, model: TreeModel, walk: TreeWalk, session: ModelSession, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self._model = model
        self._session = session
        self._theme_source = theme_source
        self._text = StyledText(Theme.mono_font(TOKEN_FONT_PX), 3)
        self._text.setAccessibleName("Token text")
        self._table = FactTable(NODE_FACTS, TextZoom(self))
        for name, value in self._table.values.items():
            value.setToolTip(FACT_TIPS[name])
        self._about = sentence(ABOUT_TOKEN)
        self._empty = StyledText(Theme.ui_font())
        self._place = StyledText(Theme.mono_font(SMALL_FONT_PX), 6)
        self._place.setAccessibleName("Path in the tree")
        self._merges = MergeTreeView(theme_source)
        self._remark = StyledText(Theme.ui_font(SMALL_FONT_PX), 4)
        self._remark.setAccessibleName("Remark")
        self._prefixes = PrefixTreeView(walk, model, session, theme_source)
        self._build_layout()
        self.setMinimumWidth(260)
        offer_copying(self, "Copy details", self.copy)
        self._facts: dict[str, str] = {}
        self._settled = later(self, SETTLE_MS, self._show)
        self._fitting = later(self, 0, self._fit_sections)
        for changed in (model.chosen_changed, model.picture_changed, model.counts_changed):
            changed.connect(self._settled.start)
        for changed in (theme_source.changed, model.spelling.changed):
            changed.connect(self._show)
        self._show()

    def copy(self) -> None:
        lines = [f"{name}\t{value}" for name, value in self._facts.items()]
        QGuiApplication.clipboard().setText("\n".join([*lines, self._merges.as_text()]).rstrip() + "\n")

    def _build_layout(self) -> None:
        inside = self._inside = QFrame()
        set_role(inside, "panel")
        self._sections: list[QWidget] = [self._about, card(self._text, self._table)]
        self._trees = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        self._trees.setSpacing(MARGIN_PX)
        self._merge_area = self._merge_scroll()
        self._add_tree("Place in the token tree", ABOUT_PLACE, self._place)
        merging = self._merge_area, self._remark
        self._about_merges = self._add_tree("How merging builds it", ABOUT_MERGES, *merging)
        self._add_tree("Prefixes of the text", ABOUT_PREFIXES, self._prefixes)
        told = in_column(*self._sections[:2], spacing=GAP_PX)
        parts = self._empty, told, UNIT_PX, self._trees, STRETCH
        layout = in_column(*parts, on=inside, margins=MARGIN_PX)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetMinimumSize)
        scroll_down(self, inside)

    def _merge_scroll(self) -> QScrollArea:
        merges = QScrollArea(widgetResizable=True)
        merges.setWidget(self._merges)
        merges.setFrameShape(QFrame.Shape.NoFrame)
        merges.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        merges.viewport().setAutoFillBackground(False)
        self._merges.setAutoFillBackground(False)
        return merges

    def _add_tree(self, title: str, about: str, *contents: QWidget) -> QLabel:
        told = sentence(about)
        parts = heading(title), told, card(*contents)
        self._sections += parts
        self._trees.addLayout(in_column(*parts, (STRETCH, 1), spacing=GAP_PX), 1)
        return told

    @property
    def is_side_by_side(self) -> bool:
        return self._trees.direction() is QBoxLayout.Direction.LeftToRight

    def resizeEvent(self, event: QResizeEvent) -> None:
        is_wide = self.width() >= SIDE_BY_SIDE_PX
        directions = QBoxLayout.Direction
        self._trees.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        super().resizeEvent(event)
        self._fitting.start()

    def _show(self) -> None:
        picture, node, theme = self._model.picture, self._model.chosen, self._theme_source.theme
        tokenizer = self._session.tokenizer
        self._facts = {}
        text, note = "", ""
        place: list[Span] = []
        story_tree: tuple[MergeNode, ...] = ()
        if picture is not None and node is not None and node < len(picture):
            spelling, token = self._model.spelling.now, picture.token(node)
            text, self._facts = describe_node(picture, node, tokenizer, self._model.counts, spelling)
            place = self._place_spans()
            if token is not None:
                story = merge_story(picture.vocabulary, tokenizer, token)
                story_tree, note = story.roots, story.note
        is_chosen = bool(self._facts)
        self._empty.set_spans([Span(NOTHING, theme.dim)])
        self._empty.setVisible(not is_chosen)
        for section in self._sections:
            section.setVisible(is_chosen)
        self._text.set_spans([Span(isolate(text), theme.text)])
        self._table.show_facts(self._facts, theme.text)
        self._place.set_spans(place)
        self._merges.set_roots(story_tree, self._model.part)
        self._merge_area.setVisible(bool(story_tree))
        self._about_merges.setVisible(bool(story_tree))
        self._merge_area.setFixedHeight(self._merges.sizeHint().height() + 3 * UNIT_PX)
        note = note or ("" if story_tree else "Nothing is merged here.")
        self._remark.set_spans([Span(note, theme.dim)])
        self._remark.setVisible(bool(note))
        self._fitting.start()

    def _fit_sections(self) -> None:
        """Give the cards room for their texts, whose heights are known when they have their width."""
        for part in (*self._sections, self._inside):
            if (layout := part.layout()) is not None:
                layout.invalidate()
                layout.activate()

    def _place_spans(self) -> list[Span]:
        picture, theme = self._model.picture, self._theme_source.theme
        path = self._model.chosen_path
        assert picture is not None
        spans = []
        for node in path[1:]:
            is_last = node == path[-1]
            color = theme.accent if is_last else theme.text
            spans += [Span(isolate(self._name(node)), color, is_bold=is_last), Span(" › ", theme.dim)]
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
            return self._model.label(node).partition(MORE_SIGN)[0]
        return self._model.written(token, 40)


class PrefixTreeView(Painted):
    """One row for each prefix: its last token, hanging under the prefix before it.

    The rows of the tokens of the whole text are bold; a click looks at a token in the tree.
    """

    def __init__(
        self, walk: TreeWalk, model: TreeModel, session: ModelSession, theme_source: ThemeSource
    ) -> None:
        super().__init__(theme_source, "Last token of each prefix")
        self._walk = walk
        self._model = model
        self._tree: PrefixTree | None = None
        self._depths: list[int] = []
        self._chosen: set[int] = set()
        self._settled = later(self, PREFIX_SETTLE_MS, self._refresh)
        session.tokens_changed.connect(self._refresh_soon)
        session.selected_token_changed.connect(self._settled.start)
        model.picture_changed.connect(self._on_picture_changed)
        model.spelling.changed.connect(self.update)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(200, ROW_PX * max(1, len(self._depths) - 1))

    def _refresh_soon(self) -> None:
        self._settled.start()

    def _refresh(self) -> None:
        tree = self._tree = self._walk.prefix_tree()
        self._depths = []
        self._chosen = set() if tree is None else set(tree.chosen())
        for parent in () if tree is None else tree.parents.tolist():
            self._depths.append(0 if parent < 0 else self._depths[parent] + 1)
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def _on_picture_changed(self) -> None:
        """Forget the tokens of another vocabulary, which are none of the next picture."""
        if self._model.picture is None:
            self._tree = None
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        tree = self._tree
        if tree is None or self._model.picture is None:
            write(painter, self.rect(), "Select a token of the text.", theme.dim, Qt.AlignmentFlag.AlignLeft)
            return
        for end in range(1, len(tree.parents)):
            self._paint_row(painter, theme, tree, end)

    def _paint_row(self, painter: QPainter, theme: Theme, tree: PrefixTree, end: int) -> None:
        parent, token = int(tree.parents[end]), int(tree.token_ids[end])
        if token < 0:
            return
        is_chosen = end in self._chosen
        y, x = (end - 0.5) * ROW_PX, 8 + self._depths[end] * INDENT_PX
        color = QColor(theme.accent if is_chosen else theme.faint)
        painter.setPen(QPen(color, 2 if is_chosen else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if parent > 0:
            path = QPainterPath(QPointF(x - INDENT_PX, (parent - 0.5) * ROW_PX + 5))
            path.lineTo(x - INDENT_PX, y - 4)
            path.quadTo(x - INDENT_PX, y, x - 2, y)
            painter.drawPath(path)
        painter.setBrush(color)
        painter.drawEllipse(QPointF(x, y), 2.2, 2.2)
        painter.setFont(bold(Theme.mono_font(FONT_PX), is_chosen))
        painter.setPen(theme.text if is_chosen else theme.dim)
        box = QRectF(x + 8, y - ROW_PX / 2, self.width() - x - 8, ROW_PX)
        text = self._model.written(token, 24)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        end = int(event.position().y() // ROW_PX) + 1
        if self._tree is not None and 0 < end < len(self._tree.token_ids):
            token = int(self._tree.token_ids[end])
            if token >= 0:
                self._model.show_token(token)


def describe_node(
    picture: TreePicture,
    node: int,
    tokenizer: Tokenizer | None,
    counts: NDArray[np.int64] | None,
    spelling: Spelling = Spelling.SIGNS,
) -> tuple[str, dict[str, str]]:
    """How a node is written, and names of NODE_FACTS with what there is to say about it."""
    token, children = picture.token(node), len(picture.children(node))
    n_below = counted(picture.n_below(node), "token")
    if token is None:
        title = "all tokens" if picture.parent(node) is None else picture.script(node)
        return title, {"children": f"{children:,}", "below it": n_below}
    vocabulary = picture.vocabulary
    is_ranked = vocabulary.type is VocabType.BPE
    values = {
        "id": str(token),
        "bytes": hex_bytes(picture.tree.token_bytes(token)),
        "begins": begun_characters(picture.tree.token_bytes(token)),
        "type": vocabulary.kind(token),
        "role": special_role(vocabulary, token),
        "score": f"{vocabulary.score(token):,.6g}" if vocabulary.type in SCORED else "",
        "merge rank": _rank(merge_story(vocabulary, tokenizer, token).worth) if is_ranked else "",
        "depth": str(int(picture.tree.columns.depths[token])),
        "children": f"{len(picture.tree.children(token)):,}",
        "below it": n_below,
        "in this text": times(0 if counts is None else int(counts[token])),
    }
    return spelling.token(vocabulary, token), {name: value for name, value in values.items() if value}


def glance(
    picture: TreePicture, node: int, counts: NDArray[np.int64] | None, spelling: Spelling
) -> tuple[str, tuple[str, ...]]:
    """What a node stands for, and the little that fits beside the pointer, a few words a line."""
    token, n_below = picture.token(node), picture.n_below(node)
    if token is None:
        if picture.parent(node) is None:
            return "all tokens", (counted(n_below, "token"),)
        return picture.script(node), (counted(n_below, "token"), "a group, itself no token")
    token_bytes = picture.tree.token_bytes(token)
    below = counted(n_below, "longer token") if n_below else "no longer token"
    verb = "begins" if n_below in (0, 1) else "begin"
    n_used = 0 if counts is None else int(counts[token])
    used = f"{times(n_used)} in this text" if n_used else "not in this text"
    return spelling.token(picture.vocabulary, token), (
        f"id {token} · {counted(len(token_bytes), 'byte')}",
        f"{below} {verb} with it",
        used,
    )


def merge_story(vocabulary: Vocabulary, tokenizer: Tokenizer | None, token: int) -> MergeTree:
    """How a token is merged from its symbols, and a remark on the rules that its encoder follows."""
    merging = None if tokenizer is None else tokenizer.merging
    note = why_not_merged(vocabulary, token)
    if note or merging is None:
        return MergeTree((), note)
    if len(vocabulary.token_bytes(token)) > MOST_MERGED:
        return MergeTree((), "Too long to draw here.")
    tree = merge_tree(vocabulary, merging, token)
    n_rules = len(merge_rules_of(merging, token))
    if n_rules > 1:
        rules = f"{n_rules} merge rules make it; this is the one that text leads to."
        return replace(tree, note=f"{rules} {tree.note}")
    return tree


def _rank(worth: float | None) -> str:
    return "" if worth is None else f"{worth:,.0f}"
