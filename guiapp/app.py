"""Builds the models and the window, and wires them; the one file that sees all."""

from __future__ import annotations

import gc
import os
import signal
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from guiapp import qt_libraries

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from guiapp.core.tokenizer import Tokenizer
    from guiapp.viewmodels.background import Progress
    from guiapp.viewmodels.kernel_warm_up import KernelWarmUp
    from guiapp.viewmodels.models.loader import Load
    from guiapp.viewmodels.settings import Settings
    from guiapp.viewmodels.window.garbage import GarbageCollector
    from guiapp.viewmodels.workspace import Workspace
    from guiapp.widgets.shared.theme import ThemeSource
    from guiapp.widgets.window.commands import WindowCommands
    from guiapp.widgets.window.main_window import MainWindow
    from guiapp.widgets.window.questions import Questions

FIRST_MODEL = "demo:bpe"
FIRST_SAMPLE = "welcome"
HEAD_START_S = 1.0  # of the first model, if it is so small that it needs no compiled kernels
FIRST_FRAMES_MS = 1200  # until when text and ids are painted, and mostly kernels are loaded
QUIET = "qt.text.font.db.info=false"  # one line for each font that cannot show a script, such as Thaana
TOKEN_FRAMES_MS = 300  # until when the first tokens are painted, mostly
TURN_S = 0.0005  # how long a job may keep the window from running Python: a tenth of the usual time


@dataclass
class Shell:
    """A window and what stands behind it."""

    workspace: Workspace
    settings: Settings
    theme_source: ThemeSource
    warm_up: KernelWarmUp
    window: MainWindow
    commands: WindowCommands
    garbage_collector: GarbageCollector

    def start(self, model: str | None, text_file: Path | None) -> None:
        """Open what was asked for, in the background."""
        self.load_kernels(HEAD_START_S)
        self.window.inspect_page.begin_gently(FIRST_FRAMES_MS)
        self.window.pages.import_soon()
        if model is None:
            self.commands.open_last(FIRST_MODEL)
        else:
            self.commands.open(model)
        if text_file is not None:
            self.workspace.open_text(text_file)

    def load_kernels(self, head_start_s: float = 0.0) -> None:
        """Have them compiled and loaded, in the background, some time after other work that begins now."""
        self.warm_up.start(head_start_s)

    def stop(self) -> None:
        """End all background work; nothing is delivered any more."""
        self.commands.stop()
        self.window.pages.stop()
        self.warm_up.stop()
        self.workspace.close()
        self.window.kept_texts.leave()
        self.window.kept_texts.finish()
        self.settings.save()
        self.garbage_collector.stop()


def run_window(model: str | None, text_file: Path | None) -> int:
    """Show the window until it is closed, and end the program; the exit status where there is no window."""
    if (problem := qt_libraries.problem()) is not None:
        print(f"tokenloupe: {problem}", file=sys.stderr)
        return 1
    application = make_application()
    from guiapp.core.demo import sample_text
    from guiapp.viewmodels.background import is_any_job_running
    from guiapp.viewmodels.settings import Settings, default_path
    from guiapp.widgets.window.error_dialog import ErrorReporter

    shell = build(application, Settings(default_path()), sample_text(FIRST_SAMPLE))
    shell.window.fit_into(shell.window.screen().availableSize())
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
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # in half a second less than it takes Python to forget all kernels one by one


def make_application() -> QApplication:
    """The one QApplication, with the names that the system shows."""
    gc.disable()  # modules that are loaded are no garbage; later there is a GarbageCollector
    from PySide6.QtCore import QLoggingCategory
    from PySide6.QtWidgets import QApplication

    sys.setswitchinterval(TURN_S)
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
    from PySide6.QtCore import QTimer

    from guiapp.core.editing.options import Options
    from guiapp.viewmodels.kernel_warm_up import KernelWarmUp
    from guiapp.viewmodels.recent import RecentFiles, RecentTexts
    from guiapp.viewmodels.window.activity import Activity
    from guiapp.viewmodels.window.garbage import GarbageCollector
    from guiapp.viewmodels.workspace import Workspace
    from guiapp.widgets.shared.icons import application_icon
    from guiapp.widgets.shared.theme import ThemeSource
    from guiapp.widgets.window.commands import WindowCommands
    from guiapp.widgets.window.failure_notices import FailureNotices
    from guiapp.widgets.window.input_watch import InputWatch
    from guiapp.widgets.window.main_window import MainWindow

    options = Options(settings.add_special, settings.parse_special, settings.encoder)
    warm_up = KernelWarmUp()
    workspace = Workspace(text, options, load or partial(_load, warm_up), warm_up.wait_until_settled)
    warm_up.finished.connect(workspace.spans.use_kernels)
    first_frames = QTimer(warm_up, singleShot=True, interval=TOKEN_FRAMES_MS)
    first_frames.timeout.connect(warm_up.hurry)
    workspace.spans.encoded.connect(first_frames.start)
    theme_source = ThemeSource(application, settings.theme, dresses_later=True)
    window = MainWindow(workspace, Activity(workspace, warm_up), settings, theme_source, questions)
    window.setWindowIcon(application_icon())
    FailureNotices(
        window.notices, workspace, warm_up, settings, window.kept_texts, window.actions_table["choose_pre"]
    )
    commands = WindowCommands(
        window, workspace, settings, RecentFiles(settings), RecentTexts(settings), theme_source
    )
    theme_source.dress(window)
    garbage_collector = GarbageCollector(parent=window)
    input_watch = InputWatch(parent=window)
    input_watch.noticed.connect(garbage_collector.put_off)
    application.focusWindowChanged.connect(input_watch.follow)
    warm_up.finished.connect(garbage_collector.start)
    warm_up.failed.connect(garbage_collector.start)
    window.pages.imported.connect(garbage_collector.spare)
    return Shell(workspace, settings, theme_source, warm_up, window, commands, garbage_collector)


def _load(warm_up: KernelWarmUp, name: str, pre: str | None, progress: Progress) -> Tokenizer:
    """Open a model, a large one as soon as kernels run compiled: that takes less time in all."""
    from guiapp import open_model
    from guiapp.core.demo import resolve_model
    from guiapp.core.kernels.compile import SMALL_MODEL
    from guiapp.core.vocab.header_bytes import file_state

    path = resolve_model(name)
    state = file_state(path)
    if state is not None and state.size_bytes > SMALL_MODEL:
        warm_up.wait_until_settled(progress)
    tokenizer = open_model(path, pre, progress)
    progress(1.0)  # raises where nobody waits any more
    tokenizer.make_tables()  # here rather than in the window's thread
    return tokenizer
