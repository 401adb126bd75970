"""No lesson says anything untrue: each of its states is made by the real encoders and compared."""

from functools import cache

import pytest

import guiapp
from guiapp.core.lessons.lesson import LessonError, go_to_place, load, load_each
from guiapp.core.trace.breakpoints import parse_breakpoint
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for

LESSONS, BROKEN = load_each()
STEPS = [(lesson.name, number, step) for lesson in LESSONS for number, step in enumerate(lesson.steps, 1)]
TRACED = [entry for entry in STEPS if not entry[2].train]


@cache
def tokenizer_of(model):
    return guiapp.open_model(model)


def debugger_at(step, tokenizer):
    """A debugger at the place of a step."""
    trace = record(tokenizer, step.text, step.encoder or None, True, step.parse_special)
    debugger = debugger_for(tokenizer, trace)
    go_to_place(debugger, step.place)
    return debugger


def tokens_now(debugger):
    """The tokens of the present piece, outside of pieces those of the text, as they are written."""
    piece = debugger.trace.piece_at(debugger.position)
    states = debugger.states
    tokens = states.piece_tokens(debugger.position, piece) if piece >= 0 else states.tokens(debugger.position)
    columns = (column.tolist() for column in tokens)
    return [
        debugger.teller.label(token_id, start, end) for token_id, start, end in zip(*columns, strict=True)
    ]


def named(entries):
    return [f"{name}:{number}" for name, number, _ in entries]


def test_there_are_lessons_on_all_subjects():
    assert not BROKEN
    assert len(LESSONS) >= 8
    assert all(len(lesson.steps) >= 3 and lesson.title and lesson.summary for lesson in LESSONS)
    assert all(any(step.ask and step.answer for step in lesson.steps) for lesson in LESSONS)


@pytest.mark.parametrize(("name", "number", "step"), TRACED, ids=named(TRACED))
def test_a_step_shows_what_it_says(name, number, step):
    tokenizer = tokenizer_of(step.model)
    debugger = debugger_at(step, tokenizer)
    if step.place not in ("start", "end"):
        debugger.set_breakpoints([parse_breakpoint(step.place)])
        assert debugger.position in debugger.stops.hits[0], (
            "the run does not stop where the lesson wants to be"
        )
    if step.now or step.place == "end":
        assert tokens_now(debugger) == list(step.now)
    if step.says:
        assert debugger.sentence() == step.says
    switches = (True, step.parse_special, step.encoder or None)
    assert debugger.trace.result.ids.tolist() == tokenizer.encode(step.text, *switches).token_ids.tolist()


@pytest.mark.parametrize(
    ("name", "number", "step"),
    [entry for entry in STEPS if entry[2].train],
    ids=lambda value: str(value)[:30],
)
def test_training_learns_what_a_lesson_says(name, number, step):
    learned = tuple(merge.left + merge.right for merge in step.training())
    assert learned == step.learned


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "no valid TOML"),
        ('title = "x"', "no summary"),
        ('title = "x"\nsummary = "y"', "no steps"),
        ('title = "x"\nsummary = "y"\nstep = 3', "no steps"),
        ('title = "x"\nsummary = "y"\n[[step]]\ntext = "z"', "step 1 says nothing"),
        ('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\ncolour = 3', "unknown entry “colour”"),
        ('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nmerges = "many"', "must be a whole number"),
        ('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nbreak = 3', "“break” must be a text in quotes"),
        ('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nnow = "ab"', "“now” must be a list of texts"),
        ('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\npage = "moon"', "no page “moon”"),
        ('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"\nbreak = "rank <"', "the condition ends"),
    ],
)
def test_a_malformed_lesson_is_told(text, message, tmp_path):
    path = tmp_path / "lesson.toml"
    path.write_text(text)
    with pytest.raises(LessonError, match=message):
        load(path)


def test_what_a_step_does_not_say_stays_as_it_was(tmp_path):
    path = tmp_path / "lesson.toml"
    path.write_text(
        'title = "x"\nsummary = "y"\n[[step]]\nsay = "a"\nmodel = "demo:toy"\ntext = "ab"\nnow = ["ab"]\n'
        '[[step]]\nsay = "b"\nbreak = "end"\n'
    )
    _, second = load(path).steps
    assert (second.model, second.text, second.now, second.place) == ("demo:toy", "ab", (), "end")


def test_a_malformed_lesson_does_not_hide_the_others(tmp_path):
    (tmp_path / "1-bad.toml").write_text("title = ")
    (tmp_path / "2-good.toml").write_text('title = "x"\nsummary = "y"\n[[step]]\nsay = "z"')
    lessons, failures = load_each(tmp_path)
    assert [lesson.name for lesson in lessons] == ["2-good"]
    assert len(failures) == 1
    assert failures[0].startswith("1-bad.toml is no valid TOML")
