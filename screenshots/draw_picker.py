"""Draw the pictures of the list of models, twelve of them installed:  python screenshots/redraw.py models"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parent / "tests")]
STEP_MS, WAIT_MS = 50, 10_000


def main() -> None:
    """Each theme in a home folder of its own."""
    from installed_models import fill_home
    from PySide6.QtGui import QPainter

    from guiapp.app import build, make_application
    from guiapp.core.demo import sample_text
    from guiapp.viewmodels.settings import Settings

    application = make_application()
    for theme in ("dark", "light"):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            os.environ |= {"HOME": folder} | {f"XDG_{name}_HOME": "" for name in ("CACHE", "DATA", "CONFIG")}
            fill_home(home)
            settings = Settings(home / "settings.json")
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
    from PySide6.QtTest import QTest

    for _ in range(WAIT_MS // STEP_MS):
        QTest.qWait(STEP_MS)
        if is_done():
            QTest.qWait(STEP_MS * 4)
            return
    sys.exit("It took too long.")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    main()
