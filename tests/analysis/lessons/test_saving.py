"""Lessons as copies and as pages."""

import re

import pytest

from guiapp.analysis.lessons.checking import save_lesson
from guiapp.analysis.lessons.lesson import load, load_each
from guiapp.core.system.outside_toml import FaultyFileError

LESSONS, _ = load_each()


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_page_has_each_step_and_covers_what_is_asked(lesson, tmp_path):
    save_lesson(lesson, tmp_path / "page.HTML")
    html = (tmp_path / "page.HTML").read_text()
    sections = re.findall("<section>.*?</section>", html, re.DOTALL)
    assert len(sections) == len(lesson.steps)
    for section, step in zip(sections, lesson.steps, strict=True):
        open_part, covered, _ = section.partition("<details>")
        assert bool(covered) == bool(step.ask)
        if covered:
            assert "</section>" in section.partition("</details>")[2]
            assert "made" not in section
            assert "<mark>" not in section
            assert "<table" not in open_part + section.partition("</details>")[2]
    handout = html.partition("<aside")[2]
    assert handout.count("<li>") == sum(bool(step.ask) for step in lesson.steps)


def test_a_copy_is_the_same_file_and_a_copy_over_itself_changes_nothing(tmp_path):
    save_lesson(LESSONS[0], tmp_path / "own.toml")
    own = load(tmp_path / "own.toml")
    assert own.path.read_bytes() == LESSONS[0].path.read_bytes()
    save_lesson(own, own.path)
    assert load(own.path) == own


def test_a_lesson_that_says_what_is_not_so_becomes_no_page(tmp_path):
    path = tmp_path / "1.toml"
    path.write_text('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nsays = "no"\n')
    with pytest.raises(FaultyFileError, match=r"1\.toml, line 5: step 1: “says” is not what the program"):
        save_lesson(load(path), tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
