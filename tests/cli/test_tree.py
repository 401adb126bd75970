"""`tokenloupe tree`"""

import json

import pytest
from PySide6.QtGui import QImage

from guiapp.cli.main import run

TITLE = "     id    below  token, and what it adds"


def test_the_command_prints_one_record(capsys):
    assert run(["tree", "demo:toy", "a", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {bytes.fromhex(node["bytes"])[:1] for node in report["nodes"]} == {b"a"}


def test_the_command_prints_lines_and_graphs(capsys):
    assert run(["tree", "demo:toy"]) == 0
    assert "tokens on" in capsys.readouterr().out
    assert run(["tree", "demo:toy", "--dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph")


TOP = ["      0        3  a", "      1        1  b", "      2        2  c"]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ("", ["9 tokens on 3 levels", TITLE, *TOP]),
        (
            "--levels 2",
            [
                "9 tokens on 3 levels",
                TITLE,
                TOP[0],
                "      3             ab  +b",
                "      5        1    ac  +c",
                TOP[1],
                "      6             bb  +b",
                TOP[2],
                "      4        1    cb  +b",
            ],
        ),
    ],
)
def test_without_a_prefix_only_the_top_is_for_people(words, lines, capsys):
    assert run(["tree", "demo:toy", *words.split()]) == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_programs_are_told_the_whole_tree(capsys):
    assert run(["tree", "demo:toy", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nodes"]) == 9
    assert run(["tree", "demo:toy", "--dot"]) == 0
    assert "acbb" in capsys.readouterr().out
    assert run(["tree", "demo:toy", "--json", "--levels", "1"]) == 0
    assert len(json.loads(capsys.readouterr().out)["nodes"]) == 3


@pytest.mark.parametrize(
    "words",
    ["demo:toy a --levels 1", "demo:toy --levels 1 a", "--levels 1 demo:toy a", "demo:toy --levels 1 -- a"],
)
def test_options_may_stand_anywhere(capsys, words):
    assert run(["tree", *words.split()]) == 0
    assert capsys.readouterr().out.splitlines()[2] == "      0        3  a"


def test_levels_are_counted_from_one(capsys):
    with pytest.raises(SystemExit) as raised:
        run(["tree", "demo:toy", "--levels", "0"])
    assert raised.value.code == 2


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


def test_a_drawing_holds_shapes_and_text(draw):
    drawing = draw("demo:toy --size 300x200", "tree.svg")[1].read_text()
    assert "<path" in drawing
    assert ">ab<" in drawing or ">b<" in drawing


@pytest.mark.parametrize(
    ("words", "name", "says"),
    [
        ("demo:toy zz", "tree.png", "No token begins with “zz”"),
        ("demo:toy", "tree.nothing", "no kind of picture"),
        ("demo:toy", "none/tree.png", "cannot be written"),
        ("demo:toy --scale 100", "tree.png", "Choose a smaller scale"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_line(draw, capsys, words, name, says):
    status, path = draw(words, name)
    assert status == 1
    assert not path.exists()
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("words", ["--scale 0", "--scale x", "--size 12", "--json"])
def test_wrong_words_about_a_picture_are_usage_errors(draw, words):
    with pytest.raises(SystemExit) as raised:
        draw(f"demo:toy {words}", "tree.png")
    assert raised.value.code == 2
