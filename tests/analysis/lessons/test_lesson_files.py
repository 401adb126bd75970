"""Lesson files: what can be in them, and what is told about those that cannot be used."""

from __future__ import annotations

from time import perf_counter

import pytest

import guiapp
from guiapp.analysis.lessons.lesson import (
    LessonStep,
    computed_answer,
    is_lesson_file,
    load,
    load_each,
)
from guiapp.analysis.trace.conditions import COLUMNS
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.recorder import record
from guiapp.core.text.outside_json import FaultyFileError

HEAD = 'title = "x"\nsummary = "y"\n'
STEP = HEAD + '[[step]]\nsay = "z"\n'
KNOWN = (
    "say, model, pre, sha256, text, encoder, parse_special, page, break, now, says, ask, answer_is, answer, "
    "train, merges, learned"
)
MESSAGES = {
    HEAD + 'step = ["z"]': '3: step 1 has no text. Add a line such as say = "…".',
    HEAD + "step = []": "3: there are no steps. Add one under [[step]].",
    HEAD + "step = 3": "3: there are no steps. Add one under [[step]].",
    HEAD + "[[step]]\nsay = 3": '4: step 1 has no text. Add a line such as say = "…".',
    HEAD + "[[step]]\ntext = 'say = \"x\"'": '3: step 1 has no text. Add a line such as say = "…".',
    'summary = "y"\n[[step]]\nsay = "z"': '1: there is no title. Add a line such as title = "…".',
    'title = "y"\nsummary = 3\n[[step]]\nsay = "z"': (
        '2: there is no summary. Add a line such as summary = "…".'
    ),
    "colour = 1\n" + STEP: "1: there is an unknown entry “colour”. Steps begin with [[step]].",
    STEP + "colour = 3": f"5: step 1 has an unknown entry “colour”. Known entries: {KNOWN}.",
    STEP + "place = 3": f"5: step 1 has an unknown entry “place”. Known entries: {KNOWN}.",
    STEP + "break = 3": '5: step 1: “break” must be a text in quotes, such as "abc".',
    STEP + '[[step]]\nsay = """z\n\nmerges = 1\n"""\nmerges = true': (
        "10: step 2: “merges” must be a whole number, such as 3."
    ),
    STEP + "merges = 1_001": "5: step 1: “merges” must be a number from 0 to 1,000.",
    STEP + 'train = "unigram"': "5: step 1: “train” must be bpe or wordpiece.",
    STEP + "parse_special = 1": "5: step 1: “parse_special” must be true or false.",
    STEP + "learned = 3": '5: step 1: “learned” must be a list of texts, such as ["a", "b"].',
    STEP + 'page = "moon"': "5: step 1: there is no page “moon”. Choose from: steps, training.",
    STEP + 'break = "rank x..y"': "5: step 1: “x..y” is not a range, such as 0..500, ..500 or -8.5..",
    STEP + 'ask = "q"\nanswer_is = "colour == 3"': (
        f"6: step 1: There is no column “colour”. Columns: {', '.join(COLUMNS)}."
    ),
    STEP + 'ask = "q"': "5: step 1 has a question without an answer, or an answer without a question.",
    STEP + 'answer = "q"': "5: step 1 has a question without an answer, or an answer without a question.",
    STEP + 'train = "bpe"\nask = "q"\nanswer_is = "ids"': (
        "7: step 1: the answer in a training step must be “next”."
    ),
    STEP + "text = '''\n" + "a" * 5_001 + "'''": (
        "5: step 1: the text is longer than 5,000 bytes. Shorten it."
    ),
    STEP + "say = 3": "5: this is not valid TOML: Cannot overwrite a value.",
    STEP + 'text = "a': "5: this is not valid TOML: Unterminated string.",
    STEP + "a" + ".a" * 100_000 + " = 1": "5: this has too many dots for a lesson.",
    STEP + "now = " + "[" * 100_000: "1: this is not a lesson: a number is too long, or lists are too deep.",
    STEP + "merges = " + "9" * 5000: "1: this is not a lesson: a number is too long, or lists are too deep.",
    HEAD + '[[step]]\nsay = "z"\n' * 501: "3: there are 501 steps. A lesson has at most 500.",
}


@pytest.fixture
def lesson_file(tmp_path):
    def write(text):
        path = tmp_path / "1.toml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("text", MESSAGES, ids=lambda text: text[len(HEAD) : len(HEAD) + 40])
def test_an_invalid_lesson_is_reported_with_its_line(lesson_file, text):
    with pytest.raises(FaultyFileError) as caught:
        load(lesson_file(text))
    assert str(caught.value) == f"1.toml, line {MESSAGES[text]}"


def test_unreadable_files_are_reported(tmp_path, lesson_file):
    for path, reason in {
        tmp_path / "2.toml": r"2\.toml cannot be read: No such file or directory\.",
        tmp_path: "is not a file",
        lesson_file(b"title = 1\n\xff"): r"^1\.toml, line 2: this is not UTF-8\.",
    }.items():
        with pytest.raises(FaultyFileError, match=reason):
            load(path)


@pytest.mark.parametrize(
    "content",
    [
        b"\0" * (1 << 20),
        b'"""' + b'\\"""x' * 50_000,
        b"[[step]]\n" * 25_000,
    ],
)
def test_hostile_files_are_refused_within_seconds(lesson_file, content):
    began = perf_counter()
    with pytest.raises(FaultyFileError):
        load(lesson_file(content))
    assert perf_counter() - began < 5


def test_a_lesson_is_read_whole(lesson_file):
    path = lesson_file(
        STEP.replace('say = "z"', 'say = "a"')
        + 'model = "demo:toy"\ntext = "ab"\nencoder = "scan"\nparse_special = false\npage = "training"\n'
        'break = "start"\nnow = ["ab", 3]\nsays = "s"\nask = "q"\nanswer_is = "next"\nanswer = "w"\n'
        'train = "bpe"\nmerges = 2\nlearned = ["c"]\n[[step]]\nsay = "b"\n[[step]]\nsay = "c"\n'
        'page = "steps"\nbreak = "rank < 5"\n'
    )
    common_fields = {"model": "demo:toy", "text": "ab", "encoder": "scan", "parse_special": False}
    first = LessonStep(
        "a", **common_fields, page="training", stop_at="start", now=("ab", "3"), says="s", ask="q",
        answer_is="next", answer="w", train="bpe", merges=2, learned=("c",),
    )  # fmt: skip
    second = LessonStep("b", **common_fields, page="training")
    third = LessonStep("c", **common_fields, page="steps", stop_at="rank < 5")
    lesson = load(path)
    assert (lesson.name, lesson.title, lesson.summary) == (str(path), "x", "y")
    assert lesson.steps == (first, second, third)
    assert [lesson.line(number, "say") for number in range(1, 4)] == [4, 20, 22]
    assert [lesson.line(*place) for place in ((0, "title"), (1, "break"), (1, "pre"), (9, "x"))] == [
        1,
        10,
        3,
        3,
    ]
    assert load(lesson_file(STEP)).steps == (LessonStep("z"),)
    assert load(lesson_file(STEP.replace("\n", "\r\n"))).steps == (LessonStep("z"),)
    path.with_name("0.toml").write_text(STEP)
    path.with_name("2.txt").write_text(STEP)
    path.with_name("3.toml").write_text("title = ")
    lessons, failures = load_each(path.parent)
    assert ([lesson.path.stem for lesson in lessons], len(failures)) == (["0", "1"], 1)


def test_files_that_are_meant_to_be_lessons_are_known(lesson_file, tmp_path):
    assert is_lesson_file(lesson_file("[[ step ]]\ncolour ="))
    assert not is_lesson_file(lesson_file("[tool]\n"))
    assert not is_lesson_file(lesson_file(b"\xff"))
    assert not is_lesson_file(tmp_path / "2.toml")
    assert not is_lesson_file(lesson_file(STEP).rename(tmp_path / "1.txt"))


def answer(text, answer_is, place="start"):
    tokenizer = guiapp.open_model("demo:toy")
    debugger = Debugger(record(tokenizer, text), tokenizer.vocabulary)
    return computed_answer(answer_is, debugger, place)
