"""Builds the models and the window, and wires them; the one file that sees all."""

from __future__ import annotations

import gc
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from guiapp.analysis.sessions.name import is_session
from guiapp.core.system.allocator import give_freed_memory_back
from guiapp.core.system.interrupts import end_at_first_interrupt
from guiapp.core.system.scratch import begin_scratch
from guiapp.window import qt_libraries

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.kit.models.compared_models import ComparedModels
    from guiapp.kit.models.loader import Load
    from guiapp.kit.session.model_session import ModelSession
    from guiapp.kit.session.session_opener import SessionOpener
    from guiapp.kit.state.background import Progress
    from guiapp.kit.state.settings import Settings
    from guiapp.kit.widgets.questions import Questions
    from guiapp.kit.widgets.theme import ThemeSource
    from guiapp.window.commands import WindowCommands
    from guiapp.window.garbage import GarbageCollector
    from guiapp.window.main_window import MainWindow

FIRST_MODEL = "demo:bpe"
FIRST_SAMPLE = "welcome"
FIRST_FRAMES_MS = 1200  # until when text and ids are painted
QUIET = "qt.text.font.db.info=false"  # one line for each font that cannot show a script, such as Thaana
TURN_S = 0.0005  # how long a job may keep the window from running Python: a tenth of the usual time


@dataclass
class Shell:
    """A window and what stands behind it."""

    session: ModelSession
    opener: SessionOpener
    compared: ComparedModels
    settings: Settings
    theme_source: ThemeSource
    window: MainWindow
    commands: WindowCommands
    garbage_collector: GarbageCollector

    def start(self, model: str | None, text_file: Path | None) -> None:
        """Open what was asked for, in the background; a session takes the place of the model of last time."""
        self.window.inspect_page.begin_gently(FIRST_FRAMES_MS)
        self.window.pages.import_soon()
        if model is None or is_session(Path(model)):
            self.commands.files.open_last(FIRST_MODEL)
        else:
            self.commands.files.open(model)
        if model is not None and is_session(Path(model)):
            self.commands.files.sessions.open(Path(model))
        if text_file is not None:
            self.session.text.open(text_file)

    def greet(self) -> None:
        """Show the ways in to people who have not been here before."""
        if self.settings.is_new:
            self.window.actions_table["start"].trigger()

    def stop(self) -> None:
        """End all background work; nothing is delivered any more."""
        self.commands.stop()
        self.window.pages.stop()
        self.window.hidden.close()
        self.window.doctor.close()
        self.compared.stop()
        self.opener.stop()
        self.session.close()
        self.session.text.close()
        self.window.kept_texts.leave()
        self.window.kept_texts.finish()
        self.settings.save()
        self.garbage_collector.stop()


def run_window(model: str | None, text_file: Path | None) -> int:
    """Show the window until it is closed, and end the program; the exit status where there is no window."""
    if (problem := qt_libraries.problem()) is not None:
        print(f"tokenloupe: {problem}", file=sys.stderr)
        return 1
    end_scratch = begin_scratch()
    application = make_application()
    from guiapp.core.demo import sample_text
    from guiapp.kit.state.background import is_any_job_running
    from guiapp.kit.state.settings import Settings, default_path
    from guiapp.window.error_dialog import ErrorReporter

    shell = build(application, Settings(default_path()), sample_text(FIRST_SAMPLE))
    shell.window.fit_into(shell.window.screen().availableSize())
    if model is None and text_file is None:
        shell.greet()
    if text_file is None:
        shell.window.take_kept_text()
    sys.excepthook = ErrorReporter(shell.window).report
    signal.signal(signal.SIGINT, signal.SIG_DFL)

    def start() -> None:
        shell.start(model, text_file)

    shell.window.first_painted.connect(start)
    shell.window.show()
    status = application.exec()
    shell.stop()
    if not is_any_job_running():  # none hangs
        application.shutdown()  # leaves what was copied to the desktop
    end_scratch()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # sooner than Python forgets all objects one by one


def make_application() -> QApplication:
    """The one QApplication, with the names that the system shows."""
    end_at_first_interrupt()
    gc.disable()  # modules that are loaded are no garbage; later there is a GarbageCollector
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
    """The window and all behind it, not yet shown and with no model open."""
    from guiapp.analysis.editing.options import Options
    from guiapp.kit.models.compared_models import ComparedModels
    from guiapp.kit.models.installed import InstalledModels
    from guiapp.kit.session.model_session import ModelSession
    from guiapp.kit.session.session_opener import SessionOpener
    from guiapp.kit.session.text_session import TextSession
    from guiapp.kit.state.qt_exceptions import protect_overrides
    from guiapp.kit.state.recent import RecentFiles, RecentTexts
    from guiapp.kit.state.shelf import Shelf
    from guiapp.kit.widgets.icons import application_icon
    from guiapp.kit.widgets.input_watch import InputWatch
    from guiapp.kit.widgets.theme import ThemeSource
    from guiapp.window.activity import Activity
    from guiapp.window.commands import WindowCommands
    from guiapp.window.failure_notices import FailureNotices
    from guiapp.window.garbage import GarbageCollector
    from guiapp.window.main_window import MainWindow

    protect_overrides()
    options = Options(settings.add_special, settings.parse_special, settings.encoder)
    session = ModelSession(TextSession(text), options, load or _load, spelling=settings.spelling)
    theme_source = ThemeSource(application, settings.theme, dresses_later=True)
    compared = ComparedModels(session, load or _load)
    shelf = Shelf(RecentFiles(settings), RecentTexts(settings), InstalledModels())
    opener = SessionOpener(session)
    window = MainWindow(compared, Activity(session, opener), settings, shelf, theme_source, questions)
    window.setWindowIcon(application_icon())
    remedies = window.actions_table["choose_pre"], window.doctor, window.actions_table["doctor"]
    FailureNotices(window.notices, session, settings, window.kept_texts, *remedies)
    commands = WindowCommands(window, opener)
    theme_source.dress(window)
    garbage_collector = GarbageCollector(parent=window)
    input_watch = InputWatch(parent=window)
    input_watch.noticed.connect(garbage_collector.put_off)
    application.focusWindowChanged.connect(input_watch.follow)
    window.pages.imported.connect(garbage_collector.start)
    return Shell(session, opener, compared, settings, theme_source, window, commands, garbage_collector)


def _load(name: str, pre: str | None, progress: Progress) -> Tokenizer:
    """Open a model, with all that its first encoding would have to make."""
    from guiapp.core.open_model import open_model
    from guiapp.core.vocabulary.opening import STARTS, TABLES

    tokenizer = open_model(name, pre, lambda share: progress(min(share, STARTS[TABLES])))
    progress(STARTS[TABLES])
    tokenizer.make_tables()  # here rather than in the window's thread
    return tokenizer
