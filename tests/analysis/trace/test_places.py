"""A step is found again in a trace of the same text, or of a part of it."""

import pytest

import guiapp
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import START, StepKey, step_at

TOKENIZER = guiapp.open_model("demo:bpe")
TEXT = "New York <|im_end|> lions"
TRACE = record(TOKENIZER, TEXT, "heap")


def spans(trace, step):
    return int(trace.columns.position[step]), int(trace.columns.end[step])


def test_each_step_is_found_by_what_it_is_about_or_one_like_it():
    for step in range(len(TRACE)):
        place = StepKey(TRACE.operation(step), *spans(TRACE, step), int(TRACE.columns.result[step]))
        found = step_at(TRACE, place)
        assert found <= step
        assert (TRACE.operation(found), *spans(TRACE, found)) == place[:3]
        if place.result >= 0:
            assert TRACE.columns.result[found] == place.result


def test_in_a_trace_of_a_part_the_place_counts_from_where_the_part_begins():
    start = TEXT.index(" lions")
    part = record(TOKENIZER, TEXT[start:], "heap", False)
    for step in range(len(part)):
        first, end = spans(part, step)
        place = StepKey(part.operation(step), first + start, end + start, int(part.columns.result[step]))
        assert spans(TRACE, step_at(TRACE, place)) == (place.start, place.end)
        found = step_at(part, place, start)
        assert (part.operation(found), spans(part, found)) == (part.operation(step), (first, end))


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (START, ("start", None)),
        (StepKey("text", 1, 2), ("text", (0, 9))),
        (StepKey("normalise", 1, 2), ("piece", (0, 3))),  # nothing is rewritten: its piece instead
        (StepKey("piece", 4, 6), ("piece", (3, 8))),
        (StepKey("piece", 2, 4), None),  # in two pieces
        (StepKey("done", 24, 25), ("done", (19, 25))),
        (StepKey("special", 9, 19), ("special", (9, 19))),
        (StepKey("special", 9, 19, 1), None),
        (StepKey("special", 8, 19), None),
        (StepKey("special", 9, 20), None),
        (StepKey("merge", 22, 23), ("merge", (22, 24))),
        (StepKey("merge", 21, 23, 1507), ("merge", (21, 25))),
        (StepKey("merge", 20, 22), None),
    ],
)
def test_of_several_steps_over_a_place_the_one_over_the_least_is_it(place, found):
    step = step_at(TRACE, place)
    if found is None:
        assert step is None
    elif found[1] is None:
        assert step == 0
    else:
        assert (TRACE.operation(step), spans(TRACE, step)) == found


def test_text_that_no_special_token_is_cut_out_of_begins_with_the_trace():
    trace = record(guiapp.open_model("demo:toy"), "abacbb")
    assert "text" not in map(trace.operation, range(len(trace)))
    assert step_at(trace, StepKey("text", 2, 3)) == 0
