"""The main window: bars and pages, drag and drop of files, and the state saved for the next start."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple, cast

from PySide6.QtCore import QByteArray, QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import QDockWidget, QMainWindow, QSplitter, QWidget

from guiapp.analysis.doctor.findings import HINT
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.document.autosaved_texts import AutosavedTexts
from guiapp.kit.document.search import HiddenCharacters
from guiapp.kit.session.doctor_model import ICONS, DoctorModel
from guiapp.kit.session.loader import DEMO, display_name
from guiapp.kit.session.model_session import ComparedModels
from guiapp.kit.session.text_session import TextAutosave
from guiapp.kit.spans.painter import faded
from guiapp.kit.state.background import later
from guiapp.kit.state.recent import RecentItems
from guiapp.kit.state.saving import can_save_somewhere
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import presses_button
from guiapp.kit.widgets.event_filters import leave_unpointed
from guiapp.kit.widgets.layouts import framed, in_column, in_row
from guiapp.kit.widgets.notices import NoticeArea, Questions, SaveAnswer, announce, dropped_files
from guiapp.kit.widgets.page_base import PageRequests, PageSetting
from guiapp.kit.widgets.painting import Overlay
from guiapp.kit.widgets.theme import (
    MARGIN_PX,
    RADIUS_PX,
    TEXT_FONT_PX,
    Theme,
    ThemeSource,
)
from guiapp.pages.text.page import InspectPage
from guiapp.window.actions import ActionTable
from guiapp.window.focus_ring import FocusRing
from guiapp.window.pages import PageModes, PageStack, Rail
from guiapp.window.status_line import Activity, HiddenButton, StatusLine
from guiapp.window.top_bar import TopBar

TEXT = "Drop a model, texts, messages, a template, a session, a lesson or a run. Each opens on its page"
FONT_PX = 18
VEIL = 215  # alpha of 255
KEPT_TEXTS = "texts"  # a folder next to the settings
FIRST_SIZE = QSize(1280, 800)
FULL_SCREEN_MS = 400  # the time a window takes to fill the screen
SMALLEST_SIZE = QSize(860, 480)
FRAME_SIZE = QSize(8, 40)  # the approximate size of the system's frame around a window
ANY_HEIGHT_PX = (1 << 24) - 1  # QWIDGETSIZE_MAX, which PySide lacks
PRESENTED_SIZE = QSize(600, 410)  # the area that a presentation scales to the screen


class Layout(NamedTuple):
    """The state of the window before a presentation."""

    state: Qt.WindowState
    size: QSize
    font_px: int
    splitters: list[tuple[QSplitter, QByteArray]]


class MainWindow(QMainWindow):
    """Menus and pages. `WindowCommands` and its parts define what the actions do.

    Signals:
        first_painted(): the window is visible now.
        files_dropped(list): paths of files that were dropped on the window.
    """

    first_painted = Signal()
    files_dropped = Signal(list)

    def __init__(
        self,
        compared: ComparedModels,
        activity: Activity,
        settings: Settings,
        recent_items: RecentItems,
        theme_source: ThemeSource,
        questions: Questions | None = None,
    ) -> None:
        super().__init__()
        session = self._session = compared.sessions[0]
        self._settings = settings
        self._is_painted = False
        self._layout_before: Layout | None = None
        self._layout_due: Layout | None = None
        self._until_restored = later(self, 0, self._end_restoring)
        self.autosaved_texts = AutosavedTexts(settings.folder / KEPT_TEXTS, self)
        self.autosave = TextAutosave(session.text, self.autosaved_texts, self)
        self.questions = questions or Questions(self)
        self.actions_table = ActionTable(self)
        self.actions_table.fill(self.menuBar())
        actions, self.requests = self.actions_table, PageRequests(self)
        self.notices = NoticeArea(theme_source)
        self.doctor = DoctorModel(session, self)
        self.setting = PageSetting(
            session, compared, settings, actions, self.requests, theme_source, recent_items, self.doctor
        )
        self.pages = PageStack(self.setting)
        self.top_bar = TopBar(session, PageModes(self.pages, actions), actions, theme_source)
        self.rail = Rail(self.pages, actions, theme_source)
        switches = [self.actions_table[name] for name in ("add_special", "parse_special")]
        self.hidden = HiddenCharacters(session.text, self)
        hidden_button = HiddenButton(self.hidden, self.actions_table["hidden_next"], theme_source)
        about = self.actions_table["legend"], self.actions_table["budget"]
        self.status_line = StatusLine(session, activity, hidden_button, *about, switches, self.pages)
        self.setCentralWidget(column := self._column())
        column.setMinimumWidth(SMALLEST_SIZE.width())  # enough for its parts, also with the manual open
        self.inspect_page = cast(InspectPage, self.pages.show_page("inspect"))
        self.actions_table["present"].toggled.connect(self._present)
        for changed in (self.pages.figures_changed, self.pages.page_changed):
            changed.connect(self._name_lesson)
        self._full_screen_reached = later(self, FULL_SCREEN_MS, self._announce_escape)
        self._escape = QShortcut(QKeySequence("Esc"), self, enabled=False)
        for pressed in (self._escape.activated, self._escape.activatedAmbiguously):
            pressed.connect(self._leave_presentation)
        self.setMinimumSize(SMALLEST_SIZE)
        self.drop_hint = DropHint(theme_source, self, TEXT)
        self.focus_ring = FocusRing(theme_source, self)
        self.setAcceptDrops(True)
        session.vocabulary_changed.connect(self._refresh_title)
        self.doctor.changed.connect(self._count_findings)
        session.text.file_changed.connect(self._refresh_title)
        self._refresh_title()
        self._restore()
        self.inspect_page.editor.setFocus()

    def _column(self) -> QWidget:
        pages = in_column(self.notices, (self.pages, 1), spacing=0)
        middle = in_row(self.rail, (pages, 1), spacing=0)
        return framed(in_column(self.top_bar, (middle, 1), self.status_line, spacing=0))

    # Presentations

    @property
    def is_presented(self) -> bool:
        """Whether the page fills the screen, in large type."""
        return self._layout_before is not None

    def _present(self, is_on: bool) -> None:
        """Show only the page, in large type, on the whole screen; or restore the previous state."""
        if (before := self._layout_before) is None:
            splitters = [each for page in self.pages.pages.values() for each in page.splitters.values()]
            states = [(splitter, splitter.saveState()) for splitter in splitters]
            self._layout_before = Layout(
                self.windowState(), self.size(), self.inspect_page.editor.font_px, states
            )
        self.menuBar().setMaximumHeight(0 if is_on else ANY_HEIGHT_PX)  # hidden, its shortcuts would not work
        for bar in (self.top_bar, self.rail, self.status_line):
            bar.setHidden(is_on)
        for dock in self.findChildren(QDockWidget) if is_on else ():
            dock.close()
        self.pages.set_presented(is_on)
        self._escape.setEnabled(is_on)
        if before is None:
            self.setWindowState(self.windowState() | Qt.WindowState.WindowFullScreen)
            self._fit_text()
            self._full_screen_reached.start()
            return
        self.inspect_page.editor.set_font_px(before.font_px)
        self._layout_before = None
        self._layout_due = before
        self.setWindowState(before.state)
        self._restore_splitters()

    def _restore_splitters(self) -> None:
        """Restore the splitters after a presentation, once the window has its previous size.

        This is repeated when the minimum sizes of all parts are known.
        """
        if self._layout_due is not None and self._layout_due.size == self.size():
            for splitter, state in self._layout_due.splitters:
                splitter.restoreState(state)
            self._until_restored.start()

    def _end_restoring(self) -> None:
        self._restore_splitters()
        self._until_restored.stop()
        self._layout_due = None

    def _announce_escape(self) -> None:
        if self.is_presented:
            announce(self, "Press Esc to end the presentation")

    def _leave_presentation(self) -> None:
        self.actions_table["present"].setChecked(False)

    def _fit_text(self) -> None:
        """Scale the text of a presentation to the screen."""
        factor = min(self.width() / PRESENTED_SIZE.width(), self.height() / PRESENTED_SIZE.height())
        self.inspect_page.editor.set_font_px(round(TEXT_FONT_PX * factor))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_presented:
            self._fit_text()
        self._restore_splitters()

    def fit_into(self, room: QSize) -> None:
        """Shrink the window, if needed, to fit a screen of size `room` with its frame."""
        if not self.isMaximized():
            self.resize(self.size().boundedTo(room - FRAME_SIZE))

    def _refresh_title(self) -> None:
        session = self._session
        names = [] if session.text.path is None else [f"{session.text.path.name}[*]"]
        if session.loader.model is not None:
            names.append(display_name(session.loader.model))
        self.setWindowTitle(" – ".join([*names, "Tokenloupe"]))
        self.setWindowModified(session.text.path is not None and session.text.is_modified)

    def _name_lesson(self) -> None:
        self.top_bar.name_lesson(self.pages.current.lesson_setting)

    def _count_findings(self) -> None:
        """Show the number of errors and warnings at the Doctor in the rail, in the colour of the worst."""
        found = Counter(each.severity for each in self.doctor.findings if each.severity != HINT)
        color = ICONS[next(iter(found), HINT)][1]
        words = ", ".join(counted(n, severity) for severity, n in found.items())
        where = f" in {self.doctor.title.removeprefix(DEMO)}" if words else ""
        self.rail.entries["Doctor"].show_count(found.total(), color, words + where)

    def _restore(self) -> None:
        self.resize(FIRST_SIZE)
        self.restoreGeometry(self._settings.layout("window"))

    def _keep_layout(self) -> None:
        self._settings.set_layout("window", self.saveGeometry())
        self.pages.keep_layouts()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self.first_painted.emit)  # after all panels have been painted

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            leave_unpointed(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not presses_button(event, self):
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close():
            path = self._session.text.path
            self._settings.last_text = "" if path is None else str(path)
            page = self.pages.current_name
            self._settings.last_page = "" if page == "start" else page  # nothing to return to
            self._leave_presentation()
            self._keep_layout()
            self.pages.stop()
            event.accept()
        else:
            event.ignore()

    def take_text(self) -> None:
        """Show the text of the last window: its file, or the autosaved text."""
        path, self._settings.last_text = self._settings.last_text, ""
        if path:
            self._session.text.open(Path(path))
        else:
            self.autosave.take()

    def _may_close(self) -> bool:
        """Whether closing loses nothing, or the user confirms."""
        path, size = self._session.text.path, self._session.document.size
        self.autosave.keep()
        if not self._session.text.is_modified or (path is None and size == 0):
            return True
        if path is None and (self.autosaved_texts.is_on_disk() or not can_save_somewhere()):
            return True
        answer = self.questions.save_before_closing(path)
        if answer is SaveAnswer.SAVE:
            path = path or self.questions.where_to_save(None)
            return path is not None and self._session.text.save(path)
        if answer is SaveAnswer.DISCARD:
            self.autosaved_texts.forget()
        return answer is SaveAnswer.DISCARD

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_files(event):
            self.drop_hint.cover(self.rect())

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drop_hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drop_hint.hide()
        self.files_dropped.emit(dropped_files(event))


class DropHint(Overlay):
    """A hint on what can be dropped, over the faded window."""

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.fillRect(self.rect(), faded(theme.background, VEIL))
        painter.setPen(QPen(theme.accent, 2, Qt.PenStyle.DashLine))
        inner = QRectF(self.rect()).adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)
        painter.drawRoundedRect(inner, RADIUS_PX, RADIUS_PX)
        painter.setFont(theme.ui_font(FONT_PX))
        painter.setPen(theme.text)
        painter.drawText(inner, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, TEXT)
