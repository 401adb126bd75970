"""Inspect › Compare › Models: one text with the tokens of up to four models, side by side."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from guiapp.viewmodels.compare.figures import ComparedFigures
from guiapp.viewmodels.compare.models import ModelsComparison
from guiapp.widgets.compare.columns import ColumnsArea
from guiapp.widgets.shared.layouts import in_column, in_splitter
from guiapp.widgets.window.pages import Page, PageSetting

DETAILS_PX = 320


class ComparePage(Page):
    """Puts columns, summary and details together."""

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self.comparison = ModelsComparison(setting.compared, self)
        self._figures = ComparedFigures(self.comparison, self)
        self.columns = ColumnsArea(self.comparison, self._figures, setting.requests, setting.theme_source)
        self.summary_splitter = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        in_splitter(self.summary_splitter, self.columns, sizes=(600,))
        self.details = QWidget()
        in_splitter(self.splitter, self.summary_splitter, self.details, sizes=(1100, DETAILS_PX))
        in_column(self.splitter, on=self)
        self.setFocusProxy(self.columns.columns[0].editor)

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        return [column.editor for column in self.columns.columns]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"compare": self.splitter, "compare_summary": self.summary_splitter}

    @property
    def is_ready(self) -> bool:
        return self.comparison.is_ready and self.columns.is_painted

    def set_text_size(self, size_px: int) -> None:
        self.columns.set_font_px(size_px)

    def stop(self) -> None:
        self.comparison.close()


def make_page(setting: PageSetting) -> ComparePage:
    return ComparePage(setting)
