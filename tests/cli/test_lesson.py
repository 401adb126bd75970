"""`tokenloupe lesson`"""

import re

import pytest

from guiapp.analysis.lessons.lesson import lessons_folder
from guiapp.cli.main import run
from guiapp.core.manual import chapter_text

EXAMPLE = re.search(r"```toml\n(.*?)```", chapter_text("lessons"), re.DOTALL)[1]


@pytest.fixture
def example(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(EXAMPLE, encoding="utf-8")
    return path


def test_the_lesson_in_the_manual_is_true(example, capsys):
    assert run(["lesson", "check", str(example)]) == 0
    assert capsys.readouterr().out == ""


def test_each_fault_is_a_line_and_ends_with_status_1(example, capsys):
    example.write_text(EXAMPLE.replace("now = [", 'now = ["\\u001b[31m", ').replace("ask =", "aks ="))
    good = lessons_folder() / "7-wordpiece.toml"
    assert run(["lesson", "check", str(good), str(example), str(example.with_name("none.toml"))]) == 1
    first, *_, last = capsys.readouterr().out.splitlines()
    line = EXAMPLE[: EXAMPLE.index("ask =")].count("\n") + 1
    assert first.startswith(f"{example}:{line}: step 1 has an unknown entry “aks”.")
    assert last.endswith("none.toml:1: none.toml cannot be read: No such file or directory.")


def test_a_fault_is_printed_without_control_characters(example, capsys):
    example.write_text(EXAMPLE.replace("[[step]]", '[[step]]\n"\\u001b[31m" = 1', 1))
    assert run(["lesson", "check", str(example)]) == 1
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("output", "message"),
    [("page.txt", "ends with .html."), ("none/page.html", "cannot be written")],
)
def test_an_unwritable_page_is_reported(example, tmp_path, capsys, output, message):
    assert run(["lesson", "export", str(example), "-o", str(tmp_path / output)]) == 1
    assert message in capsys.readouterr().err
