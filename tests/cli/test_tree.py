"""`tokenloupe tree`"""

import json

import pytest
from PySide6.QtGui import QImage

from guiapp.cli.main import run


def test_the_tree_is_printed_as_json_and_dot(capsys):
    assert run(["tree", "demo:toy", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nodes"]) == 9
    assert run(["tree", "demo:toy", "--dot"]) == 0
    assert "acbb" in capsys.readouterr().out
    assert run(["tree", "demo:toy", "--json", "--levels", "1"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nodes"]) == 3


@pytest.fixture
def draw(qapp, monkeypatch, tmp_path):
    """Draws a tree into a file by the command, in this process."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr("guiapp.window.screenshots.make_application", lambda: qapp)

    def command(words, name):
        status = run(["tree", *words.split(), "-o", str(tmp_path / name), "--force"])
        return status, tmp_path / name

    yield command
    qapp.setStyleSheet("")


def test_a_picture_has_the_size_and_scale_asked_for(draw):
    status, path = draw("demo:bpe th --size 300x200 --scale 1.5", "tree.png")
    assert status == 0
    image = QImage(str(path))
    assert (image.width(), image.height()) == (450, 300)


@pytest.mark.parametrize(
    ("words", "name", "message"),
    [
        ("demo:toy zz", "tree.png", "No token begins with “zz”"),
        ("demo:toy", "tree.nothing", "picture format"),
        ("demo:toy", "none/tree.png", "cannot be written"),
        ("demo:toy --scale 100", "tree.png", "Choose a smaller scale"),
    ],
)
def test_an_impossible_drawing_is_refused_in_one_line(draw, capsys, words, name, message):
    status, path = draw(words, name)
    assert status == 1
    assert not path.exists()
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
