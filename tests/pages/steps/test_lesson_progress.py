"""How far people got with lessons is kept, and spoiled settings count as none."""

import pytest

from guiapp.analysis.lessons.lesson import load_each
from guiapp.core.demo import LESSONS
from guiapp.kit.state.settings import Settings
from guiapp.pages.steps.lesson_progress import LessonProgress


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


def test_menus_know_the_lessons_that_are_in_the_files():
    lessons, _ = load_each()
    heads = [(lesson.name, lesson.title, len(lesson.steps)) for lesson in lessons]
    assert heads == [(head.name, head.title, head.n_steps) for head in LESSONS]


def test_a_finished_lesson_stays_finished_where_it_is_begun_again(settings):
    progress = LessonProgress(settings)
    assert not progress.is_finished("one", 3)
    for number in range(3):
        progress.keep("one", number, 3)
        assert (progress.reached("one", 3), progress.is_finished("one", 3)) == (number % 2, number == 2)
    progress.keep("one", 1, 3)
    assert (progress.reached("one", 3), progress.is_finished("one", 3)) == (1, True)


def test_what_was_finished_before_marks_were_kept_is_finished(settings):
    settings.lessons = '{"one": 2}'
    progress = LessonProgress(settings)
    progress.keep("one", 0, 3)
    assert progress.is_finished("one", 3)


@pytest.mark.parametrize("spoiled", ["", "nonsense", "[1]", "7", '{"one": "two"}', '{"one": null}', "[[]]"])
def test_progress_that_makes_no_sense_is_none(settings, spoiled):
    settings.lessons = settings.finished_lessons = spoiled
    progress = LessonProgress(settings)
    assert (progress.reached("one", 3), progress.is_finished("one", 3)) == (0, False)
    progress.keep("one", 2, 3)
    assert progress.is_finished("one", 3)
