"""The Hunt page: texts on which two tokenizers differ, as they are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QSplitter, QStackedWidget, QWidget

from guiapp.core.text.numbers_in_words import capitalized, counted
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.side_by_side.grid import LEGEND
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import JSON, MARKDOWN, ExportButton, SavingBar
from guiapp.kit.widgets.notices import NoticeArea, announce, copy_text
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, heading, plain_label, set_role
from guiapp.pages.hunt.head import HuntHead, HuntStatus
from guiapp.pages.hunt.model import HuntModel, no_mismatch_lines
from guiapp.pages.hunt.panel import CauseList, FindPanel, ListHead

PANEL_PX = 330
LEAST_LIST_PX = 60
LEAST_LEFT_PX = 535
FORMS = {"markdown": MARKDOWN, "json": JSON}
NOTICE = "hunt"
WORDS_PX = 460


class HuntPage(Page):
    """The two sides at the top, the causes below, and the selected mismatch on the right."""

    legend = {"Differences": LEGEND, **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self.model = model = HuntModel(setting.compared)
        self._requests, self._actions = setting.requests, setting.actions
        theme_source = setting.theme_source
        self.head = HuntHead(model, theme_source)
        self.notices = NoticeArea(theme_source)
        self.status = HuntStatus(model, theme_source)
        self.causes = CauseList(model, theme_source)
        self.words = EmptyState(self.choose_second, self._compare_vocabularies)
        self.likely = LikelyBar(model)
        self.saving = FileSaving(self)
        tip = "Save the results"
        self.export = ExportButton(theme_source, self.saving, "hunt", FORMS, model.export, tip)
        self.panel = FindPanel(model, self.export, theme_source)
        self._views = QStackedWidget()
        self._build_layout(theme_source)
        self._connect()
        self._refresh()

    @property
    def panels(self) -> list[QWidget]:
        found = [self.causes, self.panel.copy_button] if self.model.kinds else []
        return [self.status.button, *found]

    @property
    def is_ready(self) -> bool:
        return not self.model.is_running

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"hunt": self.splitter}

    def stop(self) -> None:
        self.saving.close()
        self.model.close()

    def save_report(self) -> None:
        if self.model.state is not None:
            self.export.menu().actions()[0].trigger()

    def _build_layout(self, theme_source: ThemeSource) -> None:
        listed = QWidget()
        in_column(ListHead(self.model, self.causes, theme_source), (self.causes, 1), on=listed, spacing=0)
        self._views.setMinimumHeight(LEAST_LIST_PX)  # leaves room above in the lowest windows
        self._views.addWidget(self.words)
        self._views.addWidget(listed)
        left = QWidget()
        left.setMinimumWidth(LEAST_LEFT_PX)
        saving_bar = SavingBar(self.saving, theme_source)
        parts = self.head, self.notices, saving_bar, self.status, (self._views, 1), self.likely
        in_column(*parts, on=left, spacing=0)
        self.splitter = in_splitter(left, self.panel, sizes=(1000, PANEL_PX))
        in_column(self.splitter, on=self)
        self.setFocusProxy(self.status.button)

    def _connect(self) -> None:
        model = self.model
        model.changed.connect(self._refresh)
        model.reported.connect(self._copy)
        model.failed.connect(self._show_failure)
        self.head.sides[0].button.clicked.connect(self._actions["choose_model"].trigger)
        self.head.other.triggered.connect(self.choose_second)
        self.panel.step_button.clicked.connect(self._step)
        self.panel.compare_button.clicked.connect(self._show_in_compare)
        self._actions.connect_all(
            {
                "hunt_run": model.run_or_stop,
                "hunt_next": self.panel.next.click,
                "hunt_previous": self.panel.previous.click,
                "hunt_report": model.report,
                "hunt_save": self.save_report,
            }
        )

    def choose_second(self) -> None:
        self._requests.model_wanted.emit(self.head.sides[1].button, self.model.sides.choose_file)

    def _refresh(self) -> None:
        model, state = self.model, self.model.state
        self._views.setCurrentIndex(int(bool(model.kinds)))
        can_choose, title, text = False, "Find texts on which two tokenizers differ", model.why_not
        if model.problem:
            title, text = "The hunt failed", model.problem
        elif model.unlike:
            title, _, text = model.unlike.partition(": ")
            text = capitalized(text)
        elif model.is_running and state is not None and state.tried:
            title = "No mismatch yet"
            text = f"Both gave the same ids for {counted(state.tried, 'text')}."
        elif model.is_running:
            title, text = "Opening both …", ""
        elif state is not None:
            title = "Inconclusive" if state.why_inconclusive else "No mismatch found"
            text = " ".join((*no_mismatch_lines(state), *state.notes))
        elif model.why_not:
            can_choose = model.sides.second is None
        else:
            text = "Press Start to try many short texts on both. Each mismatch is shortened and explained."
        self.words.describe(title, text, can_choose, bool(model.unlike))

    def _copy(self, report: str) -> None:
        self.notices.clear_notice(NOTICE)
        copy_text(self, report, "the report")

    def _show_failure(self, message: str) -> None:
        self.notices.show_notice(NOTICE, message)

    def _show_in_compare(self) -> None:
        gone = self.model.show_pair()
        self._actions["compare"].trigger()
        removed = f" {' and '.join(gone)} left Compare." if gone else ""
        announce(self, f"Compare shows A, B and this text.{removed} Undo brings your text back.")

    def _compare_vocabularies(self) -> None:
        if (session := self._b_in_compare()) is not None:
            self.model.sides.choose_model(session)
            self._actions["compare_vocabularies"].trigger()

    def _step(self) -> None:
        session, find = self._b_in_compare(), self.model.selected
        if session is not None and find is not None:
            self.model.show_text()
            self._requests.race_wanted.emit(session, find.at)

    def _b_in_compare(self) -> ModelSession | None:
        """B as a column of Compare, or None after a notice that explains why not."""
        self.notices.clear_notice(NOTICE)
        if (session := self.model.second_session()) is None:
            self._show_failure("Compare has no room for B. Remove one of its models first.")
        return session


class EmptyState(QWidget):
    """A text for an empty list of causes, with a suggestion of what to do."""

    def __init__(self, choose: Callable[[], None], compare: Callable[[], None]) -> None:
        super().__init__()
        self.title = plain_label("title")
        self.text = plain_label("dim", wraps=True)
        self.choose = push_button("Choose B…", choose)
        self.compare = push_button("Compare vocabularies", compare, role="primary")
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.text.setMinimumWidth(WORDS_PX)
        buttons = self.choose, self.compare
        parts = (STRETCH, 2), self.title, self.text, GAP_PX, *buttons, (STRETCH, 3)
        column = in_column(*parts, spacing=GAP_PX)
        for part in (*buttons, self.text):
            column.setAlignment(part, Qt.AlignmentFlag.AlignHCenter)
        in_row((STRETCH, 1), column, (STRETCH, 1), on=self)

    def describe(self, title: str, text: str, can_choose: bool, can_compare: bool) -> None:
        self.title.setText(title)
        self.text.setText(text)
        self.choose.setVisible(can_choose)
        self.compare.setVisible(can_compare)


class LikelyBar(QFrame):
    """A likely explanation of all mismatches, and a button to check it."""

    def __init__(self, model: HuntModel) -> None:
        super().__init__()
        set_role(self, "status")
        self._model = model
        self.text = plain_label(wraps=True)
        self.button = push_button("", model.hunt_again)
        parts = heading("Likely reason"), (self.text, 1), self.button
        in_row(*parts, on=self, margins=(MARGIN_PX, 3 * UNIT_PX), spacing=MARGIN_PX)
        model.trying_pres.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        name = self._model.likely
        self.setVisible(bool(name))
        if name:
            self.text.setText(self._model.likely_words)
            self.button.setText(f"Hunt again with {name}")


make_page = HuntPage
