"""Prices and context, asked for in a small panel."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QLabel, QLineEdit, QWidget

from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.popover import Popover
from guiapp.kit.widgets.style_sheet import heading, set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX
from guiapp.pages.compare.summary import SummaryModel
from guiapp.pages.compare.summary_rows import SummaryRow
from guiapp.pages.compare.summary_terms import context_in, price_in

FIELD_PX = 130


class TermsPopover(Popover):
    """A price for all, another for the selected row, and a context; what is no number is not taken."""

    def __init__(self, summary: SummaryModel, row: SummaryRow | None, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._terms = summary.terms
        self._row = row
        self.setAccessibleName("Cost and context")
        self.price, self.own, self.context = QLineEdit(), QLineEdit(), QLineEdit()
        form = QFormLayout()
        form.setHorizontalSpacing(MARGIN_PX)
        form.setVerticalSpacing(GAP_PX)
        rows = [("Price of a million tokens", self.price), ("Tokens that fit", self.context)]
        if row is not None:
            rows.insert(1, (f"Price of {title}", self.own))
        for name, field in rows:
            label = set_role(QLabel(name), "dim")
            label.setTextFormat(Qt.TextFormat.PlainText)
            field.setAccessibleName(name)
            field.setFixedWidth(FIELD_PX)
            form.addRow(label, field)
        self.context.setPlaceholderText("as the files say")
        self.price.setPlaceholderText("none")
        self.own.setPlaceholderText("that of all")
        layout = in_column(heading("Cost and context"), form, on=self, margins=MARGIN_PX)
        if row is None:
            layout.addWidget(set_role(QLabel("Select a row to give a model its own price."), "dim"))
        self._show()
        self.price.editingFinished.connect(self._take_price)
        self.own.editingFinished.connect(self._take_own)
        self.context.editingFinished.connect(self._take_context)
        self.setFocusProxy(self.price)

    def _take_price(self) -> None:
        self._terms.set_price(price_in(self.price.text()))
        self._show()

    def _take_own(self) -> None:
        if self._row is not None:
            self._terms.set_own_price(self._row.name, price_in(self.own.text()))
            self._show()

    def _take_context(self) -> None:
        self._terms.set_context(context_in(self.context.text()))
        self._show()

    def _show(self) -> None:
        own = None if self._row is None else self._terms.own_price(self._row.name)
        for field, value in ((self.price, self._terms.price), (self.own, own)):
            field.setText("" if value is None else f"{value:.12g}")
        context = self._terms.context
        self.context.setText("" if context is None else f"{context:,}")
