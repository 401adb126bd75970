"""Breakpoints in trainings stop where a look at each step says that they should."""

from __future__ import annotations

import pytest

from guiapp.analysis.trace.breakpoints import hits, parse_breakpoint, quoted
from guiapp.analysis.train.record import TRAINING_DIALECT, TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.errors import TokenloupeError

TEXT = 'This is "insane"! This is impossible. How do lions sleep in this weather? éa éb éc éd ée ' * 3
CASES = {"bytes": ("bpe", 330, False), "marks": ("bpe", 330, True), "wordpiece": ("wordpiece", 70, False)}


@pytest.fixture(scope="module")
def records():
    found = {}
    for name, (algorithm, size, has_marks) in {**CASES, "unigram": ("unigram", 40, False)}.items():
        run = begin(algorithm, TEXT, size, has_marks)
        found[name] = TrainingRecord(run.start)
        for description in run.steps():
            found[name].append(to_json(description).encode())
    return found


def found_by(record, text: str) -> list[int]:
    return hits(parse_breakpoint(text, TRAINING_DIALECT), record.values, {}, TRAINING_DIALECT).tolist()


def steps_where(record, holds) -> list[int]:
    return [number for number in range(record.n_steps) if holds(record.step(number + 1), number)]


@pytest.mark.parametrize("name", CASES)
def test_each_kind_finds_what_a_look_at_every_step_finds(records, name):
    record = records[name]
    third = record.step(3)
    made = third.left + third.right
    expected = {
        f"token {quoted(made)}": lambda description, at: description.left + description.right == made,
        f"pair {quoted(third.left)} {quoted(third.right)}": lambda description, at: (
            (description.left, description.right) == (third.left, third.right)
        ),
        "pattern s": lambda description, at: "s" in description.left + description.right,
        "rank 2..5": lambda description, at: 2 <= at <= 5,
        "operation merge": lambda description, at: True,
        "operation prune": lambda description, at: False,
        "ties > 0 and step % 2 == 0": lambda description, at: bool(description.ties) and (at + 1) % 2 == 0,
    }
    for text, holds in expected.items():
        assert found_by(record, text) == steps_where(record, holds), text
    sizes = steps_where(record, lambda description, at: record.n_tokens(at + 1) > 30)
    assert found_by(record, "size > 30 hit 3") == sizes[2:]


def test_bytes_and_plain_text_name_symbols_of_bytes(records):
    record = records["bytes"]
    spelled = steps_where(record, lambda description, at: description.left + description.right == "Ã©")
    assert spelled
    assert found_by(record, 'token "é"') == found_by(record, "token 0xC3 0xA9") == spelled
    (made, *_) = found_by(record, 'token " is"')
    assert record.step(made + 1).right == "is"
    assert found_by(records["marks"], 'token "is"') == found_by(
        records["marks"], 'result in ("is", "is</w>")'
    )


def test_counts_scores_and_likelihoods_have_their_columns(records):
    counts = steps_where(records["bytes"], lambda description, at: description.worth < 6)
    assert found_by(records["bytes"], "count < 6") == counts
    assert found_by(records["bytes"], "score > 0") == []
    scores = steps_where(records["wordpiece"], lambda description, at: description.worth < 0.2)
    assert found_by(records["wordpiece"], "score < 0.2") == scores
    unigram = records["unigram"]
    bound = unigram.likelihoods(unigram.n_steps)[1][1]
    higher = [step - 1 for step, value in unigram.likelihoods(unigram.n_steps) if value >= bound]
    assert found_by(unigram, f"likelihood >= {bound!r}".replace(">= -", ">= 0 - ")) == higher
    prunings = found_by(unigram, "dropped > 0")
    assert prunings == found_by(unigram, "operation prune")
    assert prunings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("byte 3", "Expected a comparison"),
        ("candidates > 3", "no column “candidates”"),
        ("operation stale", "no operation"),
        ('operation == "push"', "no operation"),
        ("rank x..", "not a range"),
        ("pattern (a", "not valid"),
        ("not " * 200 + "1", "too deeply"),
    ],
)
def test_nonsense_is_refused_with_a_reason(text, message):
    with pytest.raises(TokenloupeError, match=message):
        parse_breakpoint(text, TRAINING_DIALECT)
