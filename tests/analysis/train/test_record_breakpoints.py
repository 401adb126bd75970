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
    records_by_name = {}
    for name, (algorithm, size, has_marks) in {**CASES, "unigram": ("unigram", 40, False)}.items():
        run = begin(algorithm, TEXT, size, has_marks)
        records_by_name[name] = TrainingRecord(run.start)
        for description in run.steps():
            records_by_name[name].append(to_json(description).encode())
    return records_by_name


def hit_steps(record, text: str) -> list[int]:
    return hits(parse_breakpoint(text, TRAINING_DIALECT), record.values, {}, TRAINING_DIALECT).tolist()


def steps_where(record, holds) -> list[int]:
    return [number for number in range(record.n_steps) if holds(record.step(number + 1), number)]


@pytest.mark.parametrize("name", CASES)
def test_each_breakpoint_kind_matches_a_check_of_every_step(records, name):
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
        assert hit_steps(record, text) == steps_where(record, holds), text
    sizes = steps_where(record, lambda description, at: record.n_tokens(at + 1) > 30)
    assert hit_steps(record, "size > 30 hit 3") == sizes[2:]


def test_bytes_and_plain_text_name_symbols_of_bytes(records):
    record = records["bytes"]
    expected_steps = steps_where(record, lambda description, at: description.left + description.right == "Ã©")
    assert expected_steps
    assert hit_steps(record, 'token "é"') == hit_steps(record, "token 0xC3 0xA9") == expected_steps
    (made, *_) = hit_steps(record, 'token " is"')
    assert record.step(made + 1).right == "is"
    assert hit_steps(records["marks"], 'token "is"') == hit_steps(
        records["marks"], 'result in ("is", "is</w>")'
    )


def test_counts_scores_and_likelihoods_have_their_columns(records):
    counts = steps_where(records["bytes"], lambda description, at: description.worth < 6)
    assert hit_steps(records["bytes"], "count < 6") == counts
    assert hit_steps(records["bytes"], "score > 0") == []
    scores = steps_where(records["wordpiece"], lambda description, at: description.worth < 0.2)
    assert hit_steps(records["wordpiece"], "score < 0.2") == scores
    unigram = records["unigram"]
    bound = unigram.likelihoods(unigram.n_steps)[1][1]
    higher = [step - 1 for step, value in unigram.likelihoods(unigram.n_steps) if value >= bound]
    assert hit_steps(unigram, f"likelihood >= {bound!r}".replace(">= -", ">= 0 - ")) == higher
    prunings = hit_steps(unigram, "dropped > 0")
    assert prunings == hit_steps(unigram, "operation prune")
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
