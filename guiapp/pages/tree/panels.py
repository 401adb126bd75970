"""The column next to the tree: details of the chosen node, with its three trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPen

from guiapp.analysis.explain.merge_tree import Explainer, MergeTree
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import TreePicture
from guiapp.analysis.tree.reports import PrefixTree, merge_rules_of
from guiapp.analysis.tree.trials import begun_characters
from guiapp.core.text.numbers_in_words import counted, times
from guiapp.core.vocabulary.merges import PairMerging
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import FACTS, SHOWN_BYTES, TokenDetails, WrittenPath, describe_alone
from guiapp.kit.state.background import later
from guiapp.kit.widgets.painting import Painted, bold, write
from guiapp.kit.widgets.theme import Theme, ThemeSource
from guiapp.kit.widgets.token_card import BUILDING, PATH, TokenCard
from guiapp.pages.tree.model import TreeModel, TreeWalk

ROW_PX = 17
INDENT_PX = 12
PREFIX_SETTLE_MS = 60
FONT_PX = 12
NOTHING = "Select a part of the tree, or a token in the text."
PREFIXES = "Prefixes of the text"
ABOUT = {
    BUILDING: (
        "Each merge joins two shorter tokens into a longer one. The number is its rank, where lower goes "
        "first, or the score of the new token, where higher goes first."
    ),
    PATH: "The shorter tokens it begins with, and the longer ones that begin with it.",
    PREFIXES: (
        "If the text is cut after a byte, this is its last token, shown below the token before it. "
        "Bold: the tokens of the whole text."
    ),
}
TREE_FACTS = ("begins", "depth", "children", "below it", "in this text")
CHILDREN_SHOWN = 12
SETTLE_MS = 40  # during quick moves, details follow after a pause


def node_card(
    model: TreeModel, walk: TreeWalk, session: ModelSession, theme_source: ThemeSource
) -> TokenCard:
    """The chosen node: its facts, its merges, its continuations, and the prefixes of the text."""
    prefixes = PrefixTreeView(walk, model, session, theme_source)
    facts = tuple(dict.fromkeys((*FACTS[:-3], *TREE_FACTS)))
    details, more = TreeDetails(model, session, model), {PREFIXES: prefixes}
    return TokenCard(details, theme_source, facts=facts, empty=NOTHING, about=ABOUT, more=more)


class TreeDetails(QObject):
    """The details of the chosen node.

    details  None if no node is chosen

    Signals:
        details_changed(): `details` is new.
    """

    details_changed = Signal()

    def __init__(self, model: TreeModel, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model, self._session = model, session
        self.details: TokenDetails | None = None
        settled = later(self, SETTLE_MS, self._describe)
        for changed in (model.chosen_changed, model.picture_changed, model.counts_changed):
            changed.connect(settled.start)
        model.spelling.changed.connect(self._describe)

    def part(self, data: bytes, limit: int) -> str:
        return self._model.part(data, limit)

    def _describe(self) -> None:
        model, tokenizer = self._model, self._session.tokenizer
        self.details = None
        if model.picture is not None and model.explainer is not None and model.chosen is not None:
            merging = None if tokenizer is None else tokenizer.merging
            self.details = node_details(
                model.picture, model.chosen, model.explainer, merging, model.counts, model.spelling.now
            )
        self.details_changed.emit()


class PrefixTreeView(Painted):
    """One row for each prefix: its last token, drawn below the previous prefix of its tokens.

    The rows of the tokens of the whole text are bold; a click shows a token in the tree.
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
        """Drop the tokens of a closed vocabulary, which are not in the next picture."""
        if self._model.picture is None:
            self._tree = None
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        tree = self._tree
        if tree is None or self._model.picture is None:
            write(painter, self.rect(), "Select a token in the text.", theme.dim, Qt.AlignmentFlag.AlignLeft)
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


def node_details(
    picture: TreePicture,
    node: int,
    explainer: Explainer,
    merging: PairMerging | None = None,
    counts: NDArray[np.int64] | None = None,
    spelling: Spelling = Spelling.SIGNS,
) -> TokenDetails:
    """The details of a node; `merging` adds the number of merge rules that make its token."""
    token, tree, below = picture.token(node), picture.tree, counted(picture.n_below(node), "token")
    if token is None:
        return _group_details(picture, node, below, spelling)
    facts = (
        begun_characters(tree.token_bytes(token)),
        str(int(tree.columns.depths[token])),
        f"{len(tree.children(token)):,}",
        below,
        "counting …" if counts is None else times(int(counts[token])),
    )
    details = describe_alone(explainer, spelling, token, zip(TREE_FACTS, facts, strict=True))
    n_rules = 0 if merging is None else len(merge_rules_of(merging, token))
    if n_rules < 2 or details.tree is None or not details.tree.roots:
        return details
    rules = f"{n_rules} merge rules make it; texts use this one."
    return replace(details, tree=replace(details.tree, note=f"{rules} {details.tree.note}".rstrip()))


def _group_details(picture: TreePicture, node: int, below: str, spelling: Spelling) -> TokenDetails:
    name = "all tokens" if picture.parent(node) is None else picture.script(node)
    children, names = picture.children(node), []
    for child in children[:CHILDREN_SHOWN]:
        token = picture.token(child)
        names.append(
            picture.script(child) if token is None else spelling.token(picture.vocabulary, token, SHOWN_BYTES)
        )
    return TokenDetails(
        index=None,
        n_tokens=len(picture.tree),
        token_id=-1,
        shown=b"",
        tint=0,
        is_special=False,
        facts=(("children", f"{len(children):,}"), ("below it", below)),
        tree=MergeTree((), "No merges here."),
        path=WrittenPath((), name, tuple(names), len(children)),
        name=name,
    )


def glance(
    picture: TreePicture, node: int, counts: NDArray[np.int64] | None, spelling: Spelling
) -> tuple[str, tuple[str, ...]]:
    """The name of a node, and short lines for the card next to the pointer."""
    token, n_below = picture.token(node), picture.n_below(node)
    if token is None:
        if picture.parent(node) is None:
            return "all tokens", (counted(n_below, "token"),)
        return picture.script(node), (counted(n_below, "token"), "a group, not a token")
    token_bytes = picture.tree.token_bytes(token)
    below = counted(n_below, "longer token") if n_below else "no longer tokens"
    verb = "begins" if n_below == 1 else "begin"
    facts = [f"id {token} · {counted(len(token_bytes), 'byte')}", f"{below} {verb} with it"]
    if counts is not None:
        n_used = int(counts[token])
        facts.append(f"{times(n_used)} in this text" if n_used else "not in this text")
    return spelling.token(picture.vocabulary, token), tuple(facts)
