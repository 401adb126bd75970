"""Lesson files: what can be in them, and what is told about those that cannot be used."""

from __future__ import annotations

import pytest

import guiapp
from guiapp.core.lessons.lesson import Lesson, LessonError, LessonStep, go_to_place, load, load_each
from guiapp.core.trace.breakpoints import parse_breakpoint
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for

HEAD = 'title = "x"\nsummary = "y"\n'
STEP = HEAD + '[[step]]\nsay = "z"\n'
KNOWN = (
    "say, model, text, encoder, parse_special, page, break, now, says, ask, answer, train, merges, learned"
)
TOLD = {
    HEAD + 'step = ["z"]': '1.toml, step 1 says nothing. Add a line such as say = "…".',
    HEAD + "step = []": "1.toml has no steps. Add one under [[step]].",
    HEAD + "[[step]]\nsay = 3": '1.toml, step 1 says nothing. Add a line such as say = "…".',
    'summary = "y"': '1.toml has no title. Add a line such as title = "…".',
    'title = "y"\nsummary = 3': '1.toml has no summary. Add a line such as summary = "…".',
    STEP + "colour = 3": f"1.toml, step 1 has an unknown entry “colour”. There are: {KNOWN}.",
    STEP + "place = 3": '1.toml, step 1: “break” must be a text in quotes, such as "abc".',
    STEP + '[[step]]\nsay = "z"\nmerges = true': (
        "1.toml, step 2: “merges” must be a whole number, such as 3."
    ),
    STEP + "parse_special = 1": "1.toml, step 1: “parse_special” must be true or false.",
    STEP + "learned = 3": '1.toml, step 1: “learned” must be a list of texts, such as ["a", "b"].',
    STEP + 'page = "moon"': "1.toml, step 1: there is no page “moon”. There are: steps, training.",
    STEP + 'break = "rank x..y"': (
        "1.toml, step 1: “x..y” is no range. Write one such as 0..500, ..500 or -8.5.."
    ),
}


@pytest.fixture
def lesson_file(tmp_path):
    def write(text):
        path = tmp_path / "1.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("text", TOLD)
def test_what_cannot_be_used_is_told(lesson_file, text):
    with pytest.raises(LessonError) as caught:
        load(lesson_file(text))
    assert str(caught.value) == TOLD[text]


def test_files_that_cannot_be_read_are_told(tmp_path, lesson_file):
    with pytest.raises(LessonError, match=r"2\.toml cannot be read: No such file or directory\."):
        load(tmp_path / "2.toml")
    with pytest.raises(LessonError, match=r"^1\.toml is no valid TOML: .*0xff"):
        load(lesson_file(b"\xff"))


def test_a_lesson_is_read_whole(lesson_file):
    path = lesson_file(
        STEP.replace('say = "z"', 'say = "a"')
        + 'model = "demo:toy"\ntext = "ab"\nencoder = "scan"\nparse_special = false\npage = "training"\n'
        'break = "start"\nnow = ["ab", 3]\nsays = "s"\nask = "q"\nanswer = "w"\ntrain = "bpe"\nmerges = 2\n'
        'learned = ["c"]\n[[step]]\nsay = "b"\n[[step]]\nsay = "c"\npage = "steps"\nbreak = "rank < 5"\n'
    )
    kept = {"model": "demo:toy", "text": "ab", "encoder": "scan", "parse_special": False}
    first = LessonStep(
        "a", **kept, page="training", place="start", now=("ab", "3"), says="s", ask="q", answer="w",
        train="bpe", merges=2, learned=("c",),
    )  # fmt: skip
    second = LessonStep("b", **kept, page="training")
    third = LessonStep("c", **kept, page="steps", place="rank < 5")
    assert load(path) == Lesson("1", "x", "y", (first, second, third))
    assert load(lesson_file(STEP)).steps == (LessonStep("z"),)
    assert LessonStep("z") == LessonStep("z", "demo:bpe", "", "", True, "steps", "start")
    path.with_name("0.toml").write_text(STEP)
    path.with_name("2.txt").write_text(STEP)
    path.with_name("3.toml").write_text("title = ")
    lessons, failures = load_each(path.parent)
    assert ([lesson.name for lesson in lessons], len(failures)) == (["0", "1"], 1)


def test_a_step_about_training_has_its_merges():
    step = LessonStep("a", text="aab aab b aab", train="bpe", merges=2)
    assert [(told.left, told.right) for told in step.training()] == [("b", "</w>"), ("a", "a")]


def test_a_place_is_found_without_the_breakpoints_of_others():
    tokenizer = guiapp.open_model("demo:toy")
    walk = debugger_for(tokenizer, record(tokenizer, "abacb", "heap"))
    walk.set_breakpoints([parse_breakpoint("step == 1")])
    found = []
    for place in ("end", "operation merge hit 2", "start", "step == 0", "byte 99"):
        go_to_place(walk, place)
        found.append(walk.position)
    assert found == [walk.n_steps, 5, 0, 0, walk.n_steps]
    assert [row.title for row in walk.breakpoints] == ["step == 1"]
