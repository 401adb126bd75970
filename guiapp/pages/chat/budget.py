"""The cost of a prompt: a bar of shares by origin, and the total."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy

from guiapp.analysis.chat.chat import Budget
from guiapp.analysis.compare.comparison import context_length_of
from guiapp.core.text.numbers_in_words import percent
from guiapp.kit.prompt.shown import hue_of
from guiapp.kit.prompt.view import VEIL_ALPHA
from guiapp.kit.spans.painter import faded
from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, fill, width_of, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    Theme,
    ThemeSource,
)
from guiapp.pages.chat.model import ChatModel

HEIGHT_PX = 64
BAR_TOP_PX, BAR_PX = 14, 12
SEAM_PX = 2
LEAST_PX = 3
FIGURES_PX = 190


NO_BUDGET = Budget(0, 0, 0, {}, ())


class Share(NamedTuple):
    """The tokens of an origin; `hue` of its role, -1 for text of the template."""

    name: str
    n_tokens: int
    hue: int = -1


class BudgetStrip(Painted):
    """A bar of shares with their numbers below, and the total at the right."""

    ground = "panel"

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Tokens by origin")
        self._model = model
        self.setFixedHeight(HEIGHT_PX)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        model.result_changed.connect(self._refresh)
        model.late_changed.connect(self.update)
        self._refresh()

    def _refresh(self) -> None:
        shares = _shares_of(self._budget)
        self.setAccessibleDescription(", ".join(f"{share.n_tokens:,} {share.name}" for share in shares))
        self.setToolTip(self.accessibleDescription())
        self.update()

    @property
    def _budget(self) -> Budget:
        return NO_BUDGET if self._model.chat is None else self._model.chat.budget

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.fillRect(QRectF(0, HEIGHT_PX - 1, self.width(), 1), theme.line)
        budget, left = self._budget, float(MARGIN_PX)
        shares, width = _shares_of(budget), self.width() - 2 * MARGIN_PX - FIGURES_PX
        if not shares:
            fill(painter, QRectF(left, BAR_TOP_PX, width, BAR_PX), theme.line, 5)
        labels = list[tuple[Share, float, float]]()  # with their edges
        for number, share in enumerate(shares):
            wide = max(width * share.n_tokens / budget.n_tokens - SEAM_PX, LEAST_PX)
            color = theme.line if share.hue < 0 else theme.roles[share.hue]
            is_end = number in (0, len(shares) - 1)
            fill(painter, QRectF(left, BAR_TOP_PX, wide, BAR_PX), color, 5 if is_end else 2)
            labels.append((share, left, left + wide))
            left += wide + SEAM_PX
        taken = list[tuple[float, float]]()  # labels of the largest come first; others must not overlap them
        for share, left, right in sorted(labels, key=lambda label: -label[0].n_tokens):
            words_px = sum(_widths_of(share))
            for start in (min(left, MARGIN_PX + width - words_px), right - words_px - GAP_PX):
                end = start + words_px + GAP_PX
                if start >= MARGIN_PX and all(end <= other[0] or other[1] <= start for other in taken):
                    taken.append((start, end))
                    self._write_share(painter, theme, share, start)
                    break
        self._write_whole(painter, theme, budget)
        if self._model.is_late:
            painter.fillRect(self.rect(), faded(theme.panel, VEIL_ALPHA))

    def _write_share(self, painter: QPainter, theme: Theme, share: Share, left: float) -> None:
        rect = QRectF(left, BAR_TOP_PX + BAR_PX + 4, 400, 20)
        write(painter, rect, f"{share.n_tokens:,} ", theme.text, LEFT, Theme.mono_font(SMALL_FONT_PX))
        beside = rect.translated(_widths_of(share)[0], 0)
        write(painter, beside, share.name, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))

    def _write_whole(self, painter: QPainter, theme: Theme, budget: Budget) -> None:
        vocabulary, n_tokens = self._model.session.vocabulary, budget.n_tokens
        limit = None if vocabulary is None else context_length_of(vocabulary)
        right = QRectF(self.width() - FIGURES_PX - MARGIN_PX, 8, FIGURES_PX, 24)
        of, font = f" of {limit:,} tokens" if limit else " tokens", Theme.ui_font(SMALL_FONT_PX)
        write(painter, right, of, theme.dim, RIGHT, font)
        color = theme.warning if limit is not None and n_tokens > limit else theme.text
        number = right.adjusted(0, 0, -width_of(of, font), 0)
        write(painter, number, f"{n_tokens:,}", color, RIGHT, Theme.mono_font(18))
        share = f"{percent(budget.n_template / n_tokens)} from the template" if n_tokens else ""
        write(painter, right.translated(0, 24), share, theme.dim, RIGHT, font)


def _shares_of(budget: Budget) -> list[Share]:
    """The shares, from left to right."""
    own = [Share("template", budget.n_template), Share("added", budget.n_added)]
    roles = [Share(role, n_tokens, hue_of(role)) for role, n_tokens in budget.by_role.items()]
    return [share for share in (*own, *roles) if share.n_tokens]


def _widths_of(share: Share) -> tuple[float, float]:
    """The widths of a share's number and name, px."""
    number, name = Theme.mono_font(SMALL_FONT_PX), Theme.ui_font(SMALL_FONT_PX)
    return width_of(f"{share.n_tokens:,} ", number), width_of(share.name, name)
