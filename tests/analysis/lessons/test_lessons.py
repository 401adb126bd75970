"""No lesson says anything untrue: each of its states is made by the real encoders and compared."""

import pytest

from guiapp.analysis.lessons.checking import Scenes, check
from guiapp.analysis.lessons.lesson import load_each

LESSONS, BROKEN = load_each()


def test_there_are_lessons_on_all_subjects():
    assert not BROKEN
    assert len(LESSONS) >= 8
    assert all(len(lesson.steps) >= 3 and lesson.title and lesson.summary for lesson in LESSONS)
    assert all(any(step.ask for step in lesson.steps) for lesson in LESSONS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lesson_says_nothing_untrue(lesson):
    assert check(lesson.path) == []
    for step in lesson.steps:
        assert (step.learned is not None) == bool(step.train and step.merges)
        assert step.now is not None or step.place != "end"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_its_runs_give_the_tokens_of_the_native_encoders(lesson):
    scenes = Scenes()
    for step in lesson.steps:
        if not step.train:
            tokenizer, trace = scenes.tokenizer(step), scenes.debugger(step).trace
            encoding = tokenizer.encode(step.text, True, step.parse_special, step.encoder or None)
            assert trace.result.ids.tolist() == encoding.token_ids.tolist()
