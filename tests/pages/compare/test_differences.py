"""Walking through the differences of models, what they are told to come from, and what each line costs."""

import pytest
from summaries import compared_over

from guiapp.pages.compare.models import CauseCount, DifferenceCauses, ModelsComparison

TEXT = b"Hello worlds, 12345 and don't\n  pay 12345\nlast"
SPANS = [(5, 11), (13, 14), (14, 18), (19, 23), (23, 27), (27, 29), (29, 30), (30, 31)]
SPANS += [(31, 35), (35, 36), (36, 40), (41, 42), (42, 46), (46, 46)]
DIGITS = [2, 10]
NAMES = ["byte-level BPE", "WordPiece"]
SENTENCE = (
    f"{NAMES[0]} normalizes the text to `·world`, {NAMES[1]} to `world`. They differ in the space in front."
)


@pytest.fixture
def compared(qapp):
    with compared_over(TEXT) as made:
        yield made


@pytest.fixture
def comparison(compared, qtbot):
    compared.sessions[0].loader.open("demo:bpe")
    made = ModelsComparison(compared)
    made.watch(True)
    compared.add("demo:wordpiece")
    qtbot.waitUntil(lambda: len(made.rows) == 2 and made.is_ready)
    yield made
    made.close()


@pytest.fixture
def walk(comparison):
    return comparison.walk()


@pytest.fixture
def causes(comparison, walk):
    made = DifferenceCauses(comparison, walk)
    yield made
    made.close()


def record_signals(walk):
    explained = []
    walk.changed.connect(lambda: explained.append("changed"))
    walk.moved.connect(lambda: explained.append("moved"))
    return explained


def count_causes(comparison, causes, qtbot):
    comparison.changed.emit()
    assert not causes.is_ready
    qtbot.waitUntil(lambda: causes.is_ready)


def test_steps_cycle_through_all_differences_in_both_directions(comparison, walk):
    assert [comparison.byte_span_of(at) for at in range(walk.n_all)] == SPANS
    assert (walk.current, walk.byte_span) == (None, None)
    explained, seen = record_signals(walk), []
    for _ in range(walk.n_all + 1):
        walk.step(1)
        seen.append(walk.current)
    assert seen == [*range(walk.n_all), 0]
    assert walk.byte_span == SPANS[0]
    assert explained == ["changed", "moved"] * len(seen)
    walk.step(-1)
    assert walk.current == walk.n_all - 1
    walk.step(-1)
    assert walk.current == walk.n_all - 2
    walk.leave()
    assert (walk.current, walk.byte_span, explained[-2:]) == (None, None, ["moved", "changed"])


@pytest.mark.parametrize(("caret", "by", "expected"), [(19, 1, 3), (19, -1, 2), (20, 1, 4), (20, -1, 3)])
def test_steps_begin_at_the_caret_where_that_moved(comparison, walk, caret, by, expected):
    walk.go_to(7)
    comparison.document.set_caret(caret)
    walk.step(by)
    assert walk.current == expected
    walk.step(by)
    assert walk.current == expected + by


@pytest.mark.parametrize(
    ("edit", "byte_span"),
    [
        ((0, 0, b"ab "), (22, 26)),
        ((0, 2, b""), (17, 21)),
        ((19, 19, b" "), (20, 24)),
        ((20, 21, b"X"), None),
        ((22, 23, b""), None),
        ((45, 46, b"?"), (19, 23)),
        ((25, 25, b"?"), (19, 23)),
    ],
)
def test_edits_elsewhere_do_not_change_the_current_difference(comparison, walk, edit, byte_span):
    walk.go_to(3)
    comparison.document.replace(*edit)
    assert walk.byte_span == byte_span
    assert byte_span is None or comparison.byte_span_of(walk.current) == byte_span


def test_causes_are_counted_and_one_kind_is_walked_through(comparison, walk, causes, qtbot):
    assert (causes.counts, causes.n_examined) == ([], 14)
    count_causes(comparison, causes, qtbot)
    assert causes.counts == [
        CauseCount(0, "Normalizer: the space in front", 6),
        CauseCount(1, "Pre-tokenizer: digits", 2),
        CauseCount(3, "Normalizer: line ends", 2),
        CauseCount(4, "Missing token", 2),
        CauseCount(2, "Pre-tokenizer: contractions", 1),
        CauseCount(5, "Added special tokens", 1),
    ]
    walk.choose_kind(1)
    assert walk.current == DIGITS[0]
    walk.step(1)
    assert walk.current == DIGITS[1]
    walk.step(1)
    assert walk.current == DIGITS[0]
    explained = record_signals(walk)
    walk.choose_kind(None)
    assert (walk.current, explained) == (DIGITS[0], ["changed"])
    walk.step(-1)
    assert walk.current == DIGITS[0] - 1


def test_the_reason_for_the_current_difference_is_explained(comparison, walk, causes, qtbot):
    walk.step(1)
    assert causes.reasons.is_busy
    assert not causes.is_ready
    qtbot.waitUntil(lambda: not causes.reasons.is_busy)
    assert [each.reason.sentence for each in causes.explained] == [SENTENCE]
    comparison.changed.emit()
    assert not causes.reasons.is_busy
    walk.leave()
    assert causes.explained is None
