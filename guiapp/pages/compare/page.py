"""Compare › Models: one text with the tokens of up to four models, side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QSplitter, QWidget

from guiapp.kit.session.model_session import MOST_COMPARED, ComparedModels
from guiapp.kit.side_by_side.grid import ROW_PX
from guiapp.kit.side_by_side.walk import DifferenceWalk
from guiapp.kit.spans.legend import LegendLabel
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import WalkButtons, push_button, tool_button
from guiapp.kit.widgets.layouts import STRETCH, FittingRow, in_column, in_row, in_splitter
from guiapp.kit.widgets.notices import NoticeArea
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX, ThemeSource, set_role
from guiapp.pages.compare.columns import ColumnsArea
from guiapp.pages.compare.details import LEGEND, SHORT_LEGEND, DifferencePanel, ReasonLine
from guiapp.pages.compare.models import ComparedFigures, DifferenceCauses, ModelsComparison
from guiapp.pages.compare.summary_panel import LEAST_HEIGHT_PX as LEAST_SUMMARY_PX
from guiapp.pages.compare.summary_panel import USUAL_HEIGHT_PX, SummaryPanel

DETAILS_PX, DETAILS_SHARE = 320, 0.25  # of the page's width
MOST_SUMMARY_SHARE, MOST_DRAWER_SHARE = 0.4, 0.45  # of the page's height
LEAST_BESIDE_PX = 240  # of a column next to the details
DRAWER_PX = 100  # height of the details below the columns, without the grid's rows
COMPARING = "comparing …"
EDITING = ("undo", "redo", "cut", "copy", "paste", "select_all")


class ComparePage(Page):
    """Columns of models, the summary below them, and details."""

    legend = {"Models side by side": LEGEND, **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self._compared = setting.compared
        self._requests = requests = setting.requests
        self._actions = actions = setting.actions
        themes = setting.theme_source
        self.comparison = ModelsComparison(setting.compared, self)
        self.walk = self.comparison.walk(self)
        self.causes = DifferenceCauses(self.comparison, self.walk, self)
        figures = ComparedFigures(self.comparison, self)
        self.columns = ColumnsArea(self.comparison, figures, requests, themes, actions["whitespace"])
        self.details = DifferencePanel(self.comparison, self.walk, self.causes, requests, themes)
        back, on = actions["compare_previous"], actions["compare_next"]
        self.bar = CompareTools(setting.compared, self.walk, back, on, self._ask_for_model, themes)
        self.why = ReasonLine(self.walk, self.causes, themes)
        self.notices = notices = NoticeArea(themes)
        notices.watch_files(setting.session.text)
        self.summary = SummaryPanel(setting.compared, requests, setting.settings, themes)
        self.summary_splitter = in_splitter(
            self.columns, self.summary, sizes=(600, USUAL_HEIGHT_PX), way=Qt.Orientation.Vertical
        )
        self.splitter = in_splitter(
            self.summary_splitter, self.details, sizes=(900, DETAILS_PX), grows=(0, 1)
        )
        in_column(notices, self.bar, self.why, (self.splitter, 1), on=self, spacing=0)
        on.triggered.connect(partial(self.walk.step, 1))
        back.triggered.connect(partial(self.walk.step, -1))
        self.walk.changed.connect(self._point_out)
        self.walk.moved.connect(self._select)
        self._reveal_soon = later(self, 0, self._reveal)  # once the reason line has its height
        self.walk.moved.connect(self._reveal_soon.start)
        self.summary.summary.changed.connect(self._fit_summary)
        self._wants_details: bool | None = None  # the user's choice; None: if there is room
        self.bar.details_button.clicked.connect(self._choose_details)
        self.columns.editors_changed.connect(self._on_editors_changed)
        self._fit_soon = later(self, 0, self._fit)  # a splitter may not lose a part while it arranges them
        self._on_editors_changed()
        self.setFocusProxy(self.columns.columns[0].editor)

    @property
    def panels(self) -> list[QWidget]:
        editors = [column.editor for column in self.columns.columns if column.editor.isVisible()]
        return [*editors, *(part for part in (self.summary, self.details) if part.isVisible())]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"compare": self.splitter, "compare_summary": self.summary_splitter}

    @property
    def is_ready(self) -> bool:
        is_still = not (self._fit_soon.isActive() or self._reveal_soon.isActive())
        is_compared = self.comparison.is_ready and self.causes.is_ready and is_still
        is_counted = self.summary.is_ready or self.summary.isHidden()
        return is_compared and self.columns.is_painted and is_counted

    def set_text_size(self, size_px: int) -> None:
        self.columns.links.set_font_px(size_px)

    def stop(self) -> None:
        self.summary.stop()
        self.causes.close()
        self.columns.figures.close()
        self.comparison.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_soon.start()

    def _fit(self) -> None:
        self._fit_details()
        self._fit_summary(is_resized=True)

    def _fit_summary(self, is_resized: bool = False) -> None:
        """Make the summary as high as its rows, up to a share of the page, or as low as the user set it."""
        summary, room = self.summary, self.summary_splitter.height()
        if summary.needed_px == summary.maximumHeight() and not is_resized:
            return  # the user may have dragged it
        is_whole = summary.height() >= summary.maximumHeight()
        summary.setMaximumHeight(summary.needed_px)
        most = min(summary.needed_px, max(LEAST_SUMMARY_PX, round(MOST_SUMMARY_SHARE * room)))
        is_drawer = self.details.parentWidget() is self.summary_splitter and not self.details.isHidden()
        if not is_drawer and (is_whole or self.summary_splitter.sizes()[1] > most):
            self.summary_splitter.setSizes((room - most, most, 0))

    def _on_editors_changed(self) -> None:
        """Add the editing actions to the menu of each editor."""
        for column in self.columns.columns:
            column.editor.addActions([self._actions[name] for name in EDITING])
        self._fit_details()

    def _choose_details(self, wants: bool) -> None:
        self._wants_details = wants
        self._fit_details()
        self._fit_soon.start()
        self._reveal_soon.start()

    def _fit_details(self) -> None:
        """Hide the details if columns need the room.

        If the user wants them anyway, and columns would be too narrow, the details replace the summary.
        """
        room = self.width()
        shows = self._wants_details
        if shows is None:
            shows = self.columns.needed_px + DETAILS_PX <= room
        is_beside = (room - DETAILS_PX) / len(self.columns.columns) >= LEAST_BESIDE_PX
        holder = self.splitter if is_beside else self.summary_splitter
        comes = shows and (self.details.isHidden() or self.details.parentWidget() is not holder)
        if self.details.parentWidget() is not holder:
            holder.addWidget(self.details)
            wide = max(DETAILS_PX, round(room * DETAILS_SHARE))
            self.splitter.setSizes((room - wide, wide))
        self.summary.setVisible(is_beside or not shows)
        self.details.setVisible(shows)
        if comes and not is_beside:
            rows_px = ROW_PX * len(self.columns.columns)
            high = min(DRAWER_PX + rows_px, round(MOST_DRAWER_SHARE * self.height()))
            self.summary_splitter.setSizes((self.height() - high, high, high))
        self.why.set_active(not shows)
        self.bar.details_button.setChecked(shows)

    def _ask_for_model(self) -> None:
        """Let the user choose one more model, under the button that was pressed."""
        self._requests.model_wanted.emit(self.sender(), self._add)

    def _add(self, name: str, pre: str | None) -> None:
        if self._compared.can_add:
            self._compared.add(name, pre)

    def _point_out(self) -> None:
        self.columns.point_out(self.walk.byte_span)

    def _reveal(self) -> None:
        if (byte_span := self.walk.byte_span) is not None:
            self.columns.reveal(*byte_span)

    def _select(self) -> None:
        """Select a token of the difference, in all models."""
        if (byte_span := self.walk.byte_span) is not None:
            session = self.comparison.rows[0].session
            if byte_span[0] < byte_span[1]:  # all models follow: no other token stays selected
                session.select_token(session.tokens.first_ending_after(byte_span[0]))


make_page = ComparePage


class CompareTools(QFrame):
    """The bar `‹ 10 of 44 › F8   legend   Why they differ   Add model…`."""

    def __init__(
        self,
        compared: ComparedModels,
        walk: DifferenceWalk,
        back: QAction,
        on: QAction,
        add_model: Callable[[], None],
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        self._compared = compared
        self._walk = walk
        self.walking = WalkButtons(back, on, "Difference")
        tip = "Show the current difference, its reason, and all differences by cause"
        self.details_button = tool_button("Why they differ", tip=tip, is_checkable=True)
        entries = zip(SHORT_LEGEND, LEGEND, strict=False)
        self._legend = FittingRow([LegendLabel(each, theme_source, whole.meaning) for each, whole in entries])
        self.add_button = push_button("Add model…", add_model)
        set_role(self, "bar")
        parts = self.walking, (self._legend, 1), STRETCH, self.details_button, self.add_button
        in_row(*parts, on=self, margins=(GAP_PX, UNIT_PX), spacing=GAP_PX)
        walk.changed.connect(self._refresh)
        compared.sessions_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        sessions = self._compared.sessions
        if self._walk.is_known and not any(session.is_encoding for session in sessions):
            self.walking.show_index(self._walk.current, self._walk.n_all)
        else:
            can_compare = all(session.tokenizer is not None for session in sessions)
            self.walking.show_text(COMPARING if can_compare else "–", False)
        is_alone = len(self._compared.sessions) < 2
        for part in (self.walking, self._legend, self.details_button):
            part.setVisible(not is_alone)
        set_role(self.add_button, "primary" if is_alone else "raised")
        self.add_button.setEnabled(self._compared.can_add)
        self.add_button.setText("Add model…" if self._compared.can_add else f"{MOST_COMPARED} models at most")
