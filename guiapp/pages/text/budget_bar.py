"""How much of a budget of tokens the text uses: a number, a bar, and in the text a line where it ends."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QHideEvent, QPainter, QRegularExpressionValidator, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit

from guiapp.core.text.figures import counted
from guiapp.kit.document.statistics import MOST_BUDGET, TokenBudget
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.painting import Painted, fill
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource, heading, set_role

FIELD_PX = 110
NUMBER = "[1-9][0-9,]{0,15}"
BAR_PX = 10


class _Bar(Painted):
    """All of the budget, or of the text if that is longer; amber is what does not fit."""

    ground = "panel"

    def __init__(self, budget: TokenBudget, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Share of the budget that is used")
        self._budget = budget
        self.setFixedHeight(BAR_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        most, used = self._budget.n_most, self._budget.n_used
        scale = self.width() / max(most, used)
        radius = BAR_PX / 2
        fill(painter, self.rect(), theme.raised, radius)
        if used > most:
            fill(painter, QRectF(0, 0, used * scale, BAR_PX), theme.warning, radius)
            painter.fillRect(QRectF(most * scale, 0, 2, BAR_PX), theme.text)
        within = min(used, most) * scale
        if within:
            fill(painter, QRectF(0, 0, max(within, BAR_PX), BAR_PX), theme.faint, radius)
            if used > most:  # a straight end where the budget ends
                painter.fillRect(QRectF(max(within - radius, 0), 0, min(radius, within), BAR_PX), theme.faint)


class BudgetBar(QFrame):
    """`BUDGET 651 of [8,192]  context length of the model …  7,541 tokens left`."""

    def __init__(self, budget: TokenBudget, editor: SpanEditor, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self._budget = budget
        self._editor = editor
        self._used = set_role(QLabel(), "number")
        self.field = QLineEdit()
        self.field.setAccessibleName("Budget in tokens")
        self.field.setValidator(QRegularExpressionValidator(NUMBER, self.field))
        self.field.setFixedWidth(FIELD_PX)
        self._source = set_role(FittedLabel(), "dim")
        self.of_model = push_button("", self._use_model, role="quiet")
        self._left = set_role(QLabel(), "dim")
        self._bar = _Bar(budget, theme_source)
        parts = heading("Budget"), self._used, QLabel("of"), self.field, self._source, self.of_model
        row = in_row(*parts, STRETCH, self._left, spacing=GAP_PX)
        in_column(row, self._bar, on=self, margins=(MARGIN_PX, GAP_PX), spacing=GAP_PX)
        self.field.editingFinished.connect(self._use_own)
        budget.changed.connect(self._refresh)
        theme_source.changed.connect(self._bar.update)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._editor.set_mark(None)

    def _use_own(self) -> None:
        if self.field.isModified():
            self.field.setModified(False)
            self._budget.choose(min(int(self.field.text().replace(",", "")), MOST_BUDGET))

    def _use_model(self) -> None:
        self._budget.choose(None)

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        budget = self._budget
        self._editor.set_mark(budget.cut)
        self._used.setText(f"{budget.n_used:,}")
        if not self.field.isModified():
            self.field.setText(f"{budget.n_most:,}")
        model = budget.of_model
        of_file = "context length of the model" if model else "tokens; the model's file says nothing"
        self._source.set_texts(["tokens of your own" if budget.own else of_file, ""])
        self.of_model.setText(f"Use the model's {model:,}" if model else "")
        self.of_model.setVisible(budget.own is not None and model is not None)
        left = budget.n_most - budget.n_used
        over = f"{counted(-left, 'token')} too many: cut off at the line"
        self._left.setText(f"{counted(left, 'token')} left" if left >= 0 else over)
        self._bar.update()
