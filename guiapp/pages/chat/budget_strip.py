"""Above the prompt: how many tokens are from the template, and from each role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy

from guiapp.analysis.compare.comparison import context_length_of
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, fill, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    TEXT_FONT_PX,
    Theme,
    ThemeSource,
    set_role,
)
from guiapp.pages.chat.model import ChatModel
from guiapp.pages.chat.spans import ChatSpans
from guiapp.pages.chat.token_tints import hue_of
from guiapp.pages.chat.words import line_of, places

LINE_PX = 46
MOST_SHOWN = 32
NOTHING = "Choose a token to see where it is from."
HEIGHT_PX = 64
BAR_TOP_PX, BAR_PX = 14, 12
SEAM_PX = 2
LEAST_PX = 3
FIGURES_PX = 190


class Share(NamedTuple):
    """So many tokens under a name; `hue` of a role, -1 for what nobody said."""

    name: str
    n_tokens: int
    hue: int = -1


class BudgetStrip(Painted):
    """A bar of shares with their numbers below, and the whole at the right."""

    ground = "panel"

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Tokens by origin")
        self._model = model
        self.setFixedHeight(HEIGHT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        model.result_changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT_PX)

    @property
    def shares(self) -> list[Share]:
        """From left to right."""
        chat = self._model.chat
        if chat is None:
            return []
        budget = chat.budget
        own = [Share("template", budget.n_template), Share("added", budget.n_added)]
        roles = [Share(role, count, hue_of(role)) for role, count in budget.by_role.items()]
        return [share for share in (*own, *roles) if share.n_tokens]

    def _refresh(self) -> None:
        self.setVisible(self._model.chat is not None)
        self.setAccessibleDescription(", ".join(f"{share.n_tokens:,} {share.name}" for share in self.shares))
        self.setToolTip(self.accessibleDescription())
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.fillRect(QRectF(0, HEIGHT_PX - 1, self.width(), 1), theme.line)
        shares, chat = self.shares, self._model.chat
        if chat is None:
            return
        width = self.width() - 2 * MARGIN_PX - FIGURES_PX
        n_tokens, left = sum(share.n_tokens for share in shares), float(MARGIN_PX)
        places = list[tuple[float, float]]()  # of the words: where they would begin and end
        for number, share in enumerate(shares):
            wide = max(width * share.n_tokens / n_tokens - SEAM_PX, LEAST_PX)
            color = theme.line if share.hue < 0 else theme.roles[share.hue]
            is_end = number in (0, len(shares) - 1)
            fill(painter, QRectF(left, BAR_TOP_PX, wide, BAR_PX), color, 5 if is_end else 2)
            places.append((left, left + sum(_widths_of(share)) + 2 * GAP_PX))
            left += wide + SEAM_PX
        for number in labelled_shares([share.n_tokens for share in shares], places):
            self._write_share(painter, theme, shares[number], places[number][0])
        self._write_whole(painter, theme, chat.budget.n_tokens, chat.budget.n_template + chat.budget.n_added)

    def _write_share(self, painter: QPainter, theme: Theme, share: Share, left: float) -> None:
        place = QRectF(left, BAR_TOP_PX + BAR_PX + 4, 400, 20)
        write(painter, place, f"{share.n_tokens:,} ", theme.text, LEFT, Theme.mono_font(SMALL_FONT_PX))
        beside = place.translated(_widths_of(share)[0], 0)
        write(painter, beside, share.name, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))

    def _write_whole(self, painter: QPainter, theme: Theme, n_tokens: int, n_own: int) -> None:
        tokenizer = self._model.session.tokenizer
        limit = None if tokenizer is None else context_length_of(tokenizer.vocabulary)
        right = QRectF(self.width() - FIGURES_PX - MARGIN_PX, 8, FIGURES_PX, 24)
        font = Theme.ui_font(SMALL_FONT_PX)
        of = f" of {limit:,}" if limit else " tokens"
        write(painter, right, of, theme.dim, RIGHT, font)
        wide = QFontMetricsF(font).horizontalAdvance(of)
        is_over = limit is not None and n_tokens > limit
        color = theme.warning if is_over else theme.text
        write(painter, right.adjusted(0, 0, -wide, 0), f"{n_tokens:,}", color, RIGHT, Theme.mono_font(18))
        share = f"{n_own / n_tokens:.0%} is template" if n_tokens else ""
        write(painter, right.translated(0, 24), share.replace("%", " %"), theme.dim, RIGHT, font)


def _widths_of(share: Share) -> tuple[float, float]:
    """Of the number and of the name of a share, px."""
    fonts = Theme.mono_font(SMALL_FONT_PX), Theme.ui_font(SMALL_FONT_PX)
    texts = f"{share.n_tokens:,} ", share.name
    number, name = (
        QFontMetricsF(font).horizontalAdvance(text) for font, text in zip(fonts, texts, strict=True)
    )
    return number, name


def labelled_shares(sizes: Sequence[int], places: Sequence[tuple[float, float]]) -> list[int]:
    """Which shares there is room to write about: the largest before those that their words would cover."""
    chosen = list[int]()
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        start, end = places[number]
        if all(end <= places[other][0] or places[other][1] <= start for other in chosen):
            chosen.append(number)
    return sorted(chosen)


class TokenLine(QFrame):
    """`· log   1515   message 2, user · bytes 12–16 of its text   written by line 17   Show in tree`."""

    def __init__(
        self, model: ChatModel, spans: ChatSpans, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        set_role(self, "status")
        self.setAccessibleName("Selected token")
        self._model, self._spans, self._requests = model, spans, requests
        self.setFixedHeight(LINE_PX)
        self.token, self.id = QLabel(), set_role(QLabel(), "number")
        self.token.setFont(Theme.mono_font(TEXT_FONT_PX))
        self.where, self.line = set_role(FittedLabel(), "dim"), set_role(FittedLabel(), "dim")
        self.where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.tree = tool_button("Show in tree", self._show_in_tree, tip="Show this token in the token tree")
        in_row(
            self.token,
            self.id,
            (self.where, 1),
            self.line,
            self.tree,
            on=self,
            margins=(MARGIN_PX, 0),
            spacing=MARGIN_PX,
        )
        model.selected_changed.connect(self._refresh)
        model.result_changed.connect(self._refresh)
        model.session.spelling.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        index, encoding = self._model.selected_token, self._model.encoding
        is_there = index is not None and encoding is not None
        self.setVisible(encoding is not None)
        for part in (self.token, self.id, self.tree):
            part.setVisible(is_there)
        if index is None or encoding is None:
            self.where.set_texts([NOTHING])
            self.line.set_texts([""])
            return
        token_id = int(encoding.token_ids[index])
        self.token.setText(isolate(self._spans.label_of(token_id)[:MOST_SHOWN]))
        self.id.setText(f"{token_id}")
        origin = self._model.origins[index]
        self.where.set_texts(places(origin))
        self.line.set_texts([line_of(origin), f"line {origin.line}" if origin.line else ""])

    def _show_in_tree(self) -> None:
        index, encoding = self._model.selected_token, self._model.encoding
        if index is not None and encoding is not None:
            self._requests.token_wanted.emit(int(encoding.token_ids[index]))
