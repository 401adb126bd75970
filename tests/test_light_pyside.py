"""PySide without its slow parts says all that it says with them."""

from __future__ import annotations

import subprocess
import sys

import pytest

LIGHT = "import guiapp.light_pyside; guiapp.light_pyside.import_pyside()"
WRONG_CALL = """
from PySide6.QtCore import QObject
try:
    QObject().setParent(4)
except TypeError as error:
    print(error)
"""
SIGNATURE = """
from PySide6.QtCore import QObject
from PySide6.support.signature import get_signature
print(get_signature(QObject.setParent))
"""
HELP = """
from PySide6.QtCore import QTimer
print(QTimer.setInterval.__doc__)
help(QTimer.setInterval)
"""
STUBS = """
from PySide6.support.signature.lib import enum_sig, pyi_generator
print(enum_sig.ExactEnumerator, pyi_generator.Formatter)
print(sorted(set(vars(pyi_generator)) - {"_"}))
"""
THREADS = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import PySide6.QtCore
from shibokensupport.signature.lib import pyi_generator
barrier = Barrier(4)

def last_definition(_):
    barrier.wait()
    return pyi_generator.main.__name__

with ThreadPoolExecutor(4) as pool:
    print(*pool.map(last_definition, range(4)))
"""


def output_of(*parts: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(parts)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("use", [WRONG_CALL, SIGNATURE, HELP, STUBS, THREADS])
def test_what_comes_late_is_there_when_it_is_asked_for(use):
    expected = output_of(use)
    assert expected.strip()
    assert output_of(LIGHT, use) == expected


def test_nothing_late_is_loaded_with_a_window():
    show = """
from guiapp.app import make_application
from guiapp.light_pyside import LATE_MODULES, PACKAGE
application = make_application()
from PySide6.QtWidgets import QLabel
QLabel("text").show()
import sys
print([name for name in LATE_MODULES if "__getattr__" not in vars(sys.modules[f"{PACKAGE}.{name}"])])
"""
    assert output_of(show) == "[]\n"


def test_compiling_is_as_usual_afterwards():
    check = """
import builtins
from guiapp import light_pyside
before = builtins.compile
light_pyside.import_pyside()
print(builtins.compile is before)
"""
    assert output_of(check) == "True\n"


def test_others_may_compile_meanwhile():
    check = """
import ast, builtins
from guiapp import light_pyside
builtins.compile = light_pyside._compile_later
tree = ast.parse("def f(x: y): pass", "<tree>", type_comments=True, feature_version=(3, 11))
compile(tree, "<tree>", "exec", 0, True)
print(eval(compile("1 + 2", "<sum>", mode="eval", optimize=0)))
try:
    exec(compile("def f(x: y): pass", "<now>", "exec"))
except NameError as error:
    print(error)
"""
    assert output_of(check) == "3\nname 'y' is not defined\n"


def test_a_late_module_lacks_what_it_lacked():
    check = """
import PySide6.QtCore
from shibokensupport.signature import parser
for name in ("nothing", "__path__"):
    try:
        getattr(parser, name)
    except AttributeError as error:
        print("none", name)
"""
    assert output_of(LIGHT, check) == output_of(check) == "none nothing\nnone __path__\n"


def test_a_window_is_painted_without_types_that_nobody_uses():
    """To know what a widget of Qt's own is, PySide makes the types of all widgets: 20 ms."""
    show = """
import tempfile
from pathlib import Path
from guiapp.app import build, make_application
from guiapp.viewmodels.settings import Settings
application = make_application()
with tempfile.TemporaryDirectory() as folder:
    shell = build(application, Settings(Path(folder) / "settings.json"), b"Hello world")
    shell.window.first_painted.connect(application.quit)
    shell.window.show()
    application.exec()
    from PySide6 import QtWidgets
    print([name for name in ("QMdiArea", "QStyle", "QTableView") if name in vars(QtWidgets)])
    shell.stop()
"""
    assert output_of(show) == "[]\n"
