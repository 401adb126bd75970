"""Draw the pictures of the list of models, twelve of them installed:  python screenshots/redraw.py models"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parent / "tests")]
ROUND_S, N_ROUNDS, WAIT_S = 0.01, 20, 20


def move_to_home(home: Path) -> None:
    """Live in a folder with twelve models, and so do programs that are started from here."""
    from installed_models import fill_home

    fill_home(home)
    os.environ |= {"HOME": str(home)} | {f"XDG_{name}_HOME": "" for name in ("CACHE", "DATA", "CONFIG")}


def main() -> None:
    """Each theme in a home folder of its own."""
    from PySide6.QtGui import QPainter

    from guiapp.core.demo import sample_text
    from guiapp.kit.state.settings import Settings
    from guiapp.window.app import build, make_application

    application = make_application()
    for theme in ("dark", "light"):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            move_to_home(home)
            settings = Settings(home / "settings.ini")
            settings.theme = theme
            shell = build(application, settings, sample_text("welcome"))
            shell.window.resize(1200, 760)
            shell.window.show()
            for model in ("gpt4all:wordpiece.gguf", "ollama:llama3.2"):
                shell.commands.files.open(model)
                _wait(lambda shell=shell: shell.session.loader.loading_name is None)
            shell.commands.files.choose_model()
            picker, installed = shell.commands.files.picker, shell.commands.files.installed
            _wait(lambda installed=installed: installed.rows and installed.rows[-1].glance is not None)
            picture = shell.window.grab()
            painter = QPainter(picture)
            painter.drawPixmap(shell.window.mapFromGlobal(picker.pos()), picker.grab())
            painter.end()
            picture.save(str(FOLDER / f"models-{theme}.png"))
            picker.close()
            shell.window.hide()
            shell.stop()


def _wait(is_done) -> None:
    """Also until what it led to is drawn; other threads go on meanwhile, as they do not in QTest.qWait."""
    from PySide6.QtWidgets import QApplication

    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        was_done = is_done()
        for _ in range(N_ROUNDS):
            QApplication.processEvents()
            time.sleep(ROUND_S)
        if was_done and is_done():
            return
    sys.exit("It took too long.")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    main()
