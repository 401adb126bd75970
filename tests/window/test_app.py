"""The program as a whole: from the command to a window or a picture."""

import os
import subprocess
import sys

import pytest
from conftest import VOCABS

from guiapp.errors import TokenloupeError
from guiapp.window.screenshots import ScreenshotOptions, save_screenshot, wait_until

pytestmark = pytest.mark.slow


CODE_FOR_A_WINDOW_THAT_CLOSES = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from guiapp.window import app

def close_when_encoded(shell):
    shell.session.round_trip.changed.connect(shell.window.close)
    return shell

build = app.build
app.build = lambda *arguments: close_when_encoded(build(*arguments))
sys.exit(app.run_window({model!r}, None))
"""


CODE_FOR_CHARTS = """
import sys
from PySide6.QtWidgets import QMenu
from guiapp.window import app
from guiapp.window import pages

def show_charts(shell):
    def show():
        if not shell.session.round_trip.is_current:
            return
        print("pyqtgraph" in sys.modules)
        page = shell.window.pages.show_page("bench")
        print("pyqtgraph" in sys.modules)
        (menu,) = page.results.chart("throughput").findChildren(QMenu)
        next(each for each in menu.actions() if each.text() == "Copy as SVG").trigger()
        shell.window.close()
    shell.session.round_trip.changed.connect(show)
    return shell

pages.IMPORT_AFTER_MS = 10**6
build = app.build
app.build = lambda *arguments: show_charts(build(*arguments))
sys.exit(app.run_window("demo:toy", None))
"""


@pytest.fixture
def environment(tmp_path):
    """A home of its own."""
    return os.environ | {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "QT_QPA_PLATFORM": os.environ["QT_QPA_PLATFORM"],
    }


def run(code, environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=environment["HOME"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.slow
def test_pyqtgraph_comes_with_the_first_chart_and_a_copied_one_does_not_crash_at_the_end(environment):
    result = run(CODE_FOR_CHARTS, environment)
    assert (result.returncode, result.stdout.split()) == (0, ["False", "True"]), result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "n_lines"),
    [("QT_SCALE_FACTOR", "nan", 1), ("XDG_CONFIG_HOME", f"{os.devnull}/none", 0)],
)
def test_the_window_opens_where_it_cannot_scale_or_keep_anything(environment, name, value, n_lines):
    result = run(CODE_FOR_A_WINDOW_THAT_CLOSES.format(model="demo:toy"), environment | {name: value})
    assert (result.returncode, result.stderr.count("\n")) == (0, n_lines)


CODE_FOR_A_WINDOW_THAT_CLOSES_WHILE_READS_HANG = """
import os
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from guiapp.window import app
from guiapp.kit.session import text_session

silent_pipe, _ = os.pipe()

def hang(*arguments):
    return os.read(silent_pipe, 1)

def close_soon(shell):
    QTimer.singleShot(500, shell.window.close)
    return shell

build = app.build
app.build = lambda *arguments: close_soon(build(*arguments))
app._load = text_session.read_text = hang
sys.exit(app.run_window("demo:toy", Path("text.txt")))
"""


def test_closing_ends_the_program_although_reads_hang(environment):
    result = run(CODE_FOR_A_WINDOW_THAT_CLOSES_WHILE_READS_HANG, environment)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", ["demo:toy", pytest.param(f"{VOCABS}/ggml-vocab-llama-bpe.gguf", marks=pytest.mark.real_vocabs)]
)
def test_the_window_opens_encodes_closes_and_keeps_its_settings(environment, tmp_path, model):
    result = run(CODE_FOR_A_WINDOW_THAT_CLOSES.format(model=model), environment)
    assert (result.returncode, result.stderr) == (0, "")
    assert (tmp_path / "config" / "tokenloupe" / "settings.ini").is_file()


@pytest.mark.slow
def test_without_a_display_a_one_line_error_is_printed(environment):
    for name in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    result = run("import sys; from guiapp.cli.main import run; sys.exit(run([]))", environment)
    assert result.returncode == 1
    assert result.stderr.startswith("tokenloupe: There is no display")
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("page", ["inspect", "presentation"])
def test_a_screenshot_needs_no_display(environment, tmp_path, page):
    picture = tmp_path / "page.png"
    code = (
        "from pathlib import Path; from guiapp.window.screenshots import ScreenshotOptions, save_screenshot; "
        "look = ScreenshotOptions('light', (1000, 700)); "
        f"save_screenshot('{page}', 'demo:toy', b'abacbb', look, Path({str(picture)!r}))"
    )
    result = run(code, environment)
    assert (result.returncode, result.stderr) == (0, "")
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert picture.read_bytes()[16:24] == bytes([0, 0, 3, 232, 0, 0, 2, 188]), "width and height"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("--page compare --compare demo:bpe --difference 1000", "difference 1,000: "),
        ("--page inspect --at-text nowhere", "“nowhere”"),
        ("--page steps --at rank==77", "“rank==77”"),
        ("--page vocabulary --filter id:abc", "“abc”"),
    ],
)
def test_a_screenshot_of_what_is_not_there_is_refused(environment, tmp_path, options, expected):
    words = f"screenshot --model demo:toy {options} --text abacbb -o {tmp_path}/page.png".split()
    result = run(f"import sys; from guiapp.cli.main import run; sys.exit(run({words}))", environment)
    assert result.returncode == 1
    assert expected in result.stderr
    assert not list(tmp_path.glob("*.png"))


def test_a_screenshot_for_a_folder_that_is_missing_is_not_even_begun(tmp_path):
    with pytest.raises(TokenloupeError, match="does not exist"):
        save_screenshot("inspect", "demo:toy", None, ScreenshotOptions(), tmp_path / "missing" / "page.png")


def test_a_screenshot_smaller_than_the_window_is_rejected(tmp_path):
    with pytest.raises(TokenloupeError, match="860x480 pixels"):
        save_screenshot(
            "inspect", "demo:toy", None, ScreenshotOptions(size=(859, 480)), tmp_path / "page.png"
        )


@pytest.mark.parametrize(
    "screenshot_options", [ScreenshotOptions(encoder="viterbi"), ScreenshotOptions(race="viterbi")]
)
def test_a_screenshot_with_an_encoder_that_the_model_lacks_is_refused(screenshot_options, tmp_path):
    with pytest.raises(TokenloupeError, match="has no encoder “viterbi”"):
        save_screenshot("steps", "demo:toy", None, screenshot_options, tmp_path / "page.png")


def test_a_picture_that_is_not_ready_in_time_is_an_error(qapp, monkeypatch):
    monkeypatch.setattr("guiapp.window.screenshots.PATIENCE_MS", 0)
    with pytest.raises(TokenloupeError, match="not ready after 0 s"):
        wait_until(lambda: False)


@pytest.mark.slow
def test_starting_imports_nothing_heavy_before_the_first_paint(environment):
    code = (
        "import sys; from pathlib import Path; from guiapp.window import app; "
        "from guiapp.kit.state.settings import Settings; "
        "shell = app.build(app.make_application(), Settings(Path('settings.ini')), b'text'); "
        "heavy = {'gguf', 'guiapp.core.encode.tokenizer'}; "
        "print(sorted(heavy & set(sys.modules))); shell.stop()"
    )
    result = run(code, environment)
    assert result.stdout.strip() == "[]", result.stderr


CODE_THAT_PRINTS_AT_EXIT = """
import atexit
atexit.register(print, "everything is taken down")
"""


def test_closing_ends_the_program_at_once(environment):
    opened = CODE_FOR_A_WINDOW_THAT_CLOSES.format(model="demo:toy")
    result = run(CODE_THAT_PRINTS_AT_EXIT + opened, environment)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


CODE_FOR_A_SESSION = """
import sys
from guiapp.window import app

def close_when_there(shell):
    def close(read):
        print(shell.session.loader.model.name, shell.session.document.text(), shell.window.pages.current_name)
        shell.window.close()
    shell.opener.taken_up.connect(close)
    return shell

build = app.build
app.build = lambda *arguments: close_when_there(build(*arguments))
from guiapp.__main__ import main
sys.argv = ["tokenloupe", "1.session"]
main()
"""


def test_a_session_opens_from_the_command_line(environment, tmp_path):
    (tmp_path / "1.session").write_text('session = 1\nmodel = "demo:toy"\ntext = "abacb"\npage = "tree"\n')
    result = run(CODE_FOR_A_SESSION, environment)
    assert (result.stdout.strip(), result.stderr) == ("demo:toy b'abacb' tree", "")


CODE_FOR_A_TEXT_LAYOUT = """
from guiapp.window import app
application = app.make_application()
from PySide6.QtGui import QTextLayout
layout = QTextLayout("ދިވެހި ߒߞߏ")
layout.beginLayout()
layout.createLine()
layout.endLayout()
"""


def test_fonts_that_cannot_show_a_script_are_no_news(environment):
    assert run(CODE_FOR_A_TEXT_LAYOUT, environment).stderr == ""


CODE_THAT_FREES_LARGE_BLOCKS = """
import os
from pathlib import Path

import numpy as np

from guiapp.window.app import make_application


def resident_mb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


application = make_application()
np.ones(1 << 22, np.uint8)  # for glibc the sign to put blocks of this size among the small ones
before_mb = resident_mb()
blocks = [(np.ones(1 << 22, np.uint8), bytearray(1000)) for _ in range(50)]
small = [block[1] for block in blocks]
del blocks
print(resident_mb() - before_mb)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is about Linux's C library")
def test_freed_pictures_and_arrays_leave_no_holes_in_memory(environment):
    done = run(CODE_THAT_FREES_LARGE_BLOCKS, environment)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 50
