"""Builds and connects the models and the window; the only module that knows them all."""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from PySide6.QtCore import QObject, QSize, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QWidget

from guiapp.analysis.sessions.name import is_session
from guiapp.core.interrupts import give_freed_memory_back, give_holes_back
from guiapp.core.sources.files import begin_scratch
from guiapp.core.sources.locate import is_plain
from guiapp.kit.document.autosaved_texts import AutosavedTexts
from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.state.saving import is_model_file
from guiapp.kit.state.settings import Settings, default_path
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.notices import NoticeArea, copy_text
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme
from guiapp.window import qt_libraries

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.kit.session.loader import Load
    from guiapp.kit.session.session_opener import SessionOpener
    from guiapp.kit.state.background import Progress
    from guiapp.kit.widgets.notices import Questions
    from guiapp.kit.widgets.theme import ThemeSource
    from guiapp.window.commands import WindowCommands
    from guiapp.window.main_window import MainWindow

SIZE = QSize(720, 440)
MESSAGE = (
    "Something went wrong inside Tokenloupe. Your text is still there: save it, then continue or restart. "
    "Nothing was sent anywhere. To report the error, copy the details."
)
LOOK_MS, LOOK_AGAIN_MS = 100, 20  # between garbage collections: after one that found little or much to do
YOUNG, MIDDLE = 700, 10  # thresholds for `gc.get_count`: new objects, and collections of generation 0
FULL_LOOK_MS = 60_000
FIRST_MODEL = "demo:bpe"
DATA_ENDINGS = ".jsonl", ".ndjson", ".parquet"
FIRST_SAMPLE = "welcome"
FIRST_FRAMES_MS = 1200  # the time in which the first text and ids are painted
QUIET = "qt.text.font.db.info=false"  # Qt logs a line for each font that lacks a script, such as Thaana
TURN_S = 0.0005  # how long a job may keep the GUI thread from running Python: a tenth of the default


@dataclass
class Shell:
    """A window, its models and its services."""

    session: ModelSession
    opener: SessionOpener
    compared: ComparedModels
    settings: Settings
    theme_source: ThemeSource
    window: MainWindow
    commands: WindowCommands
    garbage_collector: GarbageCollector

    def start(self, model: str | None, text_file: Path | None) -> None:
        """Open the requested model and text in the background; a session replaces the last model."""
        self.window.inspect_page.begin_gently(FIRST_FRAMES_MS)
        self.window.pages.import_soon()
        if model is None or is_session(Path(model)):
            self.commands.files.open_last(FIRST_MODEL)
        else:
            self.commands.files.open(model)
        if model is not None and is_session(Path(model)):
            self.commands.files.sessions.open(Path(model))
        if text_file is not None and text_file.suffix in DATA_ENDINGS:
            self.commands.files.open_files([text_file])  # as if dropped, to open it on its page
        elif text_file is not None:
            self.session.text.open(text_file)

    def greet(self) -> None:
        """Show the page of the last run, or the start page to new users."""
        name = "start" if self.settings.is_new else self.settings.last_page
        if name in self.window.pages.rows:
            self.window.actions_table[name].trigger()

    def stop(self) -> None:
        """End all background work. No results are delivered after this."""
        self.commands.stop()
        self.window.pages.stop()
        self.window.hidden.close()
        self.window.doctor.close()
        self.compared.stop()
        self.opener.stop()
        self.session.close()
        self.session.text.close()
        self.window.autosaved_texts.leave()
        self.window.autosaved_texts.finish()
        self.settings.save()
        self.garbage_collector.stop()


def run_window(model: str | None, text_file: Path | None) -> NoReturn:
    """Show the window until it is closed, then exit the process."""
    end_scratch = begin_scratch()
    application = make_application()
    from guiapp.core.demo import sample_text
    from guiapp.kit.state.background import is_any_job_running

    shell = build(application, Settings(default_path()), sample_text(FIRST_SAMPLE))
    shell.window.fit_into(shell.window.screen().availableSize())
    if model is None and text_file is None:
        shell.greet()
    if text_file is None:
        shell.window.take_text()
    sys.excepthook = ErrorReporter(shell.window).report
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def start() -> None:
        shell.start(model, text_file)

    shell.window.first_painted.connect(start)
    shell.window.show()
    status = application.exec()
    shell.stop()
    if not is_any_job_running():  # all have ended
        application.shutdown()  # hands copied data over to the desktop
    end_scratch()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # faster than letting Python free all objects one by one


def make_application() -> QApplication:
    """Create the one QApplication, with the names that the system shows."""
    gc.disable()  # loaded modules are not garbage; GarbageCollector starts later
    give_freed_memory_back()
    from PySide6.QtCore import QLoggingCategory
    from PySide6.QtWidgets import QApplication

    sys.setswitchinterval(TURN_S)
    qt_libraries.ignore_unusable_scales()
    QLoggingCategory.setFilterRules(QUIET)
    application = QApplication([sys.argv[0], "-style", "fusion"])
    application.setApplicationName("tokenloupe")
    application.setApplicationDisplayName("")
    application.setDesktopFileName("tokenloupe")
    return application


def build(
    application: QApplication,
    settings: Settings,
    text: bytes = b"",
    load: Load | None = None,
    questions: Questions | None = None,
) -> Shell:
    """The window, its models and services, not yet shown and without a model."""
    from guiapp.analysis.editing.token_store import Options
    from guiapp.kit.session.session_opener import SessionOpener
    from guiapp.kit.session.text_session import TextSession
    from guiapp.kit.state.qt_exceptions import protect_overrides
    from guiapp.kit.state.recent import InstalledModels, RecentFiles, RecentItems, RecentTexts
    from guiapp.kit.widgets.painting import application_icon
    from guiapp.kit.widgets.theme import ThemeSource
    from guiapp.window.commands import WindowCommands
    from guiapp.window.main_window import MainWindow
    from guiapp.window.status_line import Activity

    protect_overrides()
    options = Options(settings.add_special, settings.parse_special, settings.encoder)
    session = ModelSession(TextSession(text), options, load or _load, spelling=settings.spelling)
    theme_source = ThemeSource(application, settings.theme, dresses_later=True)
    compared = ComparedModels(session, load or _load)
    recent_items = RecentItems(RecentFiles(settings), RecentTexts(settings), InstalledModels())
    opener = SessionOpener(session)
    window = MainWindow(compared, Activity(session, opener), settings, recent_items, theme_source, questions)
    window.setWindowIcon(application_icon())
    remedies = window.actions_table["choose_pre"], window.doctor, window.actions_table["doctor"]
    FailureNotices(window.notices, session, settings, window.autosaved_texts, *remedies)
    commands = WindowCommands(window, opener)
    theme_source.dress(window)
    garbage_collector = GarbageCollector(parent=window)
    window.pages.imported.connect(garbage_collector.start)
    return Shell(session, opener, compared, settings, theme_source, window, commands, garbage_collector)


def _load(name: str, pre: str | None, progress: Progress) -> Tokenizer:
    """Open a model, and make the tables that its first encoding needs."""
    from guiapp.core.open_model import open_model
    from guiapp.core.vocabulary.opening import STARTS, TABLES

    tokenizer = open_model(name, pre, lambda share: progress(min(share, STARTS[TABLES])))
    progress(STARTS[TABLES])
    tokenizer.make_tables()  # here rather than in the GUI thread
    return tokenizer


class GarbageCollector(QObject):
    """Collects garbage in the GUI thread from `start` to `stop`; before, while modules load, nothing does.

    Other threads must not collect: they would destroy Qt's objects.  Objects from before `start` are frozen,
    so a full collection takes only about 4 ms.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._looks, self._full_looks = QTimer(self, interval=LOOK_MS), QTimer(self, interval=FULL_LOOK_MS)
        self._looks.timeout.connect(self._collect_young)
        self._full_looks.timeout.connect(self.take_all)
        gc.disable()

    def start(self) -> None:
        gc.freeze()
        self._looks.start()
        self._full_looks.start()

    def stop(self) -> None:
        """Let Python collect again, once no other thread is running."""
        self._looks.stop()
        self._full_looks.stop()
        gc.enable()

    def take_all(self) -> None:
        """Collect all garbage, and return free memory to the system."""
        gc.collect(2)
        give_holes_back()

    def _collect_young(self) -> None:
        """Collect young objects if there are too many. A timer calls this many times a second."""
        young, middle, _ = gc.get_count()
        if middle > MIDDLE:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)
        self._looks.setInterval(LOOK_AGAIN_MS if young > YOUNG else LOOK_MS)


class ErrorDialog(QDialog):
    """A traceback and versions, which can be copied."""

    def __init__(self, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Unexpected error")
        self.resize(SIZE)
        self.details = QPlainTextEdit(details, readOnly=True, tabChangesFocus=True)
        self.details.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.details.setAccessibleName("Details")
        self.copy_button = push_button("Copy details", self.copy)
        self.close_button = push_button("Close", self.accept)
        self.close_button.setDefault(True)
        buttons = in_row(STRETCH, self.copy_button, self.close_button)
        parts = QLabel(MESSAGE, wordWrap=True), self.details, buttons
        in_column(*parts, on=self, margins=MARGIN_PX, spacing=3 * UNIT_PX)

    def copy(self) -> None:
        copy_text(self, self.details.toPlainText(), "details")


class ErrorReporter:
    """Replaces sys.excepthook. Further errors while the dialog is open are added to it."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._dialog: ErrorDialog | None = None

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Print the traceback, and show it in a dialog."""
        from guiapp.core.versions import versions, versions_text

        text = "".join(traceback.format_exception(kind, error, trace))
        traceback.print_exception(kind, error, trace)
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
        elif self._dialog is not None:
            self._dialog.details.appendPlainText(text)
        else:
            self._dialog = ErrorDialog(f"{text}\n{versions_text(versions())}\n", self._window)
            self._dialog.destroyed.connect(self._forget)
            self._dialog.setWindowModality(Qt.WindowModality.WindowModal)
            self._dialog.show()

    def _forget(self) -> None:
        self._dialog = None


# Shows errors of the session as notices, and removes them once they are fixed


class FailureNotices(QObject):
    """One notice each about the model, the text file, the tokens, settings and autosaved texts."""

    def __init__(
        self,
        area: NoticeArea,
        session: ModelSession,
        settings: Settings,
        autosaved_texts: AutosavedTexts,
        choose_pre: QAction,
        doctor: DoctorModel,
        show_doctor: QAction,
    ) -> None:
        super().__init__(area)
        self._doctor, self._show_doctor = doctor, show_doctor
        self._failed = ""
        self._examine = QAction("Examine", self)
        self._examine.triggered.connect(self._examine_failed)
        self._open_text = QAction("Open as text", self)
        self._open_text.triggered.connect(self._open_as_text)
        self._choose_pre = choose_pre
        self._area = area
        self._session = session
        session.loader.failed.connect(self._show_model_failure)
        session.loader.refused_changed.connect(self._show_refused_model)
        session.loader.loading_changed.connect(self._clear_model_failure)
        session.text.failed.connect(partial(area.show_notice, "text file"))
        for is_over in (session.text.file_changed, session.text.left, session.text.reading.busy_changed):
            is_over.connect(partial(area.clear_notice, "text file"))
        session.spans.failed.connect(partial(self._show_with_circumstances, "encoding"))
        session.tokens_changed.connect(self._on_tokens_changed)
        session.round_trip.changed.connect(self._on_round_trip_changed)
        settings.failed.connect(partial(area.show_notice, "settings"))
        settings.written.connect(partial(area.clear_notice, "settings"))
        autosaved_texts.failed.connect(partial(area.show_notice, "kept text"))
        autosaved_texts.recovered.connect(partial(area.clear_notice, "kept text"))
        if (path := settings.unreadable) is not None:
            area.show_notice("old settings", f"The settings could not be read. The old file is now {path}.")

    def _show_model_failure(self, name: str, message: str) -> None:
        self._failed = name
        is_there = is_plain(name) and os.path.exists(name)
        remedy = self._open_text if is_there and not is_model_file(Path(name)) else self._examine
        self._area.show_notice("model", message, f"Model: {name}", remedy if is_there else None)

    def _open_as_text(self) -> None:
        self._area.clear_notice("model")
        self._session.text.open(Path(self._failed))

    def _examine_failed(self) -> None:
        self._area.clear_notice("model")  # the page shows the same message
        self._doctor.examine_file(self._failed)
        self._show_doctor.trigger()

    def _show_refused_model(self) -> None:
        refused = self._session.loader.refused
        if refused is not None:
            self._area.show_notice("model", refused.reason, f"Model: {refused.name}", self._choose_pre)

    def _clear_model_failure(self) -> None:
        if self._session.loader.loading_name is not None:
            self._area.clear_notice("model")

    def _on_tokens_changed(self) -> None:
        if not self._session.is_encoding:
            self._area.clear_notice("encoding")

    def _on_round_trip_changed(self) -> None:
        if problem := self._session.round_trip.problem:
            self._show_with_circumstances("decoding", problem)
        else:
            self._area.clear_notice("decoding")

    def _show_with_circumstances(self, subject: str, message: str) -> None:
        model = self._session.loader.model
        circumstances = f"Model: {model.name if model else 'none'}\nOptions: {self._session.options}"
        self._area.show_notice(subject, message, circumstances)
