"""Walking through the differences of models, what they are told to come from, and what each line costs."""

import pytest
from summaries import compared_over

from guiapp.pages.compare import differences as difference_causes
from guiapp.pages.compare.details import markdown
from guiapp.pages.compare.differences import CauseCount, DifferenceCauses, DifferenceWalk
from guiapp.pages.compare.models import ComparedFigures, ModelsComparison

TEXT = b"Hello worlds, 12345 and don't\n  pay 12345\nlast"
STRETCHES = [(5, 11), (13, 14), (14, 18), (19, 23), (23, 27), (27, 29), (29, 30), (30, 31)]
STRETCHES += [(31, 35), (35, 36), (36, 40), (41, 42), (42, 46), (46, 46)]
DIGITS = [2, 10]
NAMES = ["Tokenloupe demo: byte-level BPE", "Tokenloupe demo: WordPiece"]
SENTENCE = f"{NAMES[0]} makes `·world` of the text, {NAMES[1]} `world`. They differ in the space in front."


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
    return DifferenceWalk(comparison)


@pytest.fixture
def causes(comparison, walk):
    made = DifferenceCauses(comparison, walk)
    yield made
    made.close()


@pytest.fixture
def figures(comparison):
    return ComparedFigures(comparison)


def told_of(walk):
    explained = []
    walk.changed.connect(lambda: explained.append("changed"))
    walk.moved.connect(lambda: explained.append("moved"))
    return explained


def count_causes(comparison, causes, qtbot):
    comparison.changed.emit()
    assert not causes.is_ready
    qtbot.waitUntil(lambda: causes.is_ready)


def test_steps_lead_round_all_differences_both_ways(comparison, walk):
    assert [comparison.byte_span_of(at) for at in range(walk.n_all)] == STRETCHES
    assert (walk.current, walk.byte_span) == (None, None)
    explained, seen = told_of(walk), []
    for _ in range(walk.n_all + 1):
        walk.step(1)
        seen.append(walk.current)
    assert seen == [*range(walk.n_all), 0]
    assert walk.byte_span == STRETCHES[0]
    assert explained == ["changed", "moved"] * len(seen)
    walk.step(-1)
    assert walk.current == walk.n_all - 1
    walk.step(-1)
    assert walk.current == walk.n_all - 2
    walk.leave()
    assert (walk.current, walk.byte_span, explained[-2:]) == (None, None, ["moved", "changed"])


@pytest.mark.parametrize(("caret", "by", "found"), [(19, 1, 3), (19, -1, 2), (20, 1, 4), (20, -1, 3)])
def test_steps_begin_at_the_caret_where_that_moved(comparison, walk, caret, by, found):
    walk.go_to(7)
    comparison.document.set_caret(caret)
    walk.step(by)
    assert walk.current == found
    walk.step(by)
    assert walk.current == found + by


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
def test_the_current_one_stays_through_edits_elsewhere(comparison, walk, edit, byte_span):
    walk.go_to(3)
    comparison.document.replace(*edit)
    assert walk.byte_span == byte_span
    assert byte_span is None or comparison.byte_span_of(walk.current) == byte_span


def test_without_differences_there_is_nowhere_to_step(comparison, walk):
    comparison.watch(False)
    explained = told_of(walk)
    walk.step(1)
    walk.choose_kind(0)
    assert (walk.n_all, walk.current, walk.kind, explained) == (0, None, 0, ["changed"])


def test_causes_are_counted_and_one_kind_is_walked_through(comparison, walk, causes, qtbot):
    assert (causes.counts, causes.n_examined) == ([], 14)
    count_causes(comparison, causes, qtbot)
    assert causes.counts == [
        CauseCount(0, "Normalised otherwise: the space in front", 7),
        CauseCount(1, "Pre-tokenizer: digits", 2),
        CauseCount(3, "Normalised otherwise: spaces", 2),
        CauseCount(2, "Pre-tokenizer: contractions", 1),
        CauseCount(4, "Token", 1),
        CauseCount(5, "Tokens around", 1),
    ]
    walk.choose_kind(1)
    assert walk.current == DIGITS[0]
    walk.step(1)
    assert walk.current == DIGITS[1]
    walk.step(1)
    assert walk.current == DIGITS[0]
    explained = told_of(walk)
    walk.choose_kind(None)
    assert (walk.current, explained) == (DIGITS[0], ["changed"])
    walk.step(-1)
    assert walk.current == DIGITS[0] - 1


def test_causes_are_counted_in_batches_up_to_a_limit_and_forgotten_with_the_models(
    comparison, compared, causes, monkeypatch, qtbot
):
    monkeypatch.setattr(difference_causes, "BATCH", 3)
    monkeypatch.setattr(difference_causes, "MOST", 8)
    explained = []
    causes.counts_changed.connect(lambda: explained.append(sum(each.count for each in causes.counts)))
    count_causes(comparison, causes, qtbot)
    assert (explained, causes.n_examined) == ([3, 6, 8], 8)
    count_causes(comparison, causes, qtbot)
    assert explained == [3, 6, 8]
    compared.remove(compared.sessions[1])
    assert (explained, causes.counts) == ([3, 6, 8, 0], [])


def test_the_reason_of_the_current_one_is_told_and_written_down(comparison, walk, causes, qtbot):
    explained = []
    causes.explained_changed.connect(
        lambda: explained.append(causes.explained and causes.explained[0].reason.sentence)
    )
    walk.step(1)
    assert causes.is_looking
    assert not causes.is_ready
    qtbot.waitUntil(lambda: not causes.is_looking)
    assert explained == [None, SENTENCE]
    comparison.changed.emit()
    assert explained == [None, SENTENCE]
    assert markdown(causes.sides, causes.difference_at(0), causes.explained) == (
        "In `Hello·worlds,·12345·and·don't↵`, `·world` is cut differently.\n"
        "\n"
        '    text   "Hello worlds, 12345 and don\'t\\n"\n'
        '    here   " world"\n'
        f"    {NAMES[0]}: 1171\n"
        f"    {NAMES[1]}: 1520\n"
        "\n"
        f"{SENTENCE}\n"
    )
    assert f"{NAMES[1]}: no tokens\n" in markdown(causes.sides, causes.difference_at(1), [])
    walk.leave()
    assert (causes.explained, explained[2:]) == (None, [None])


def test_the_reason_of_a_long_difference_is_not_looked_for(walk, causes, monkeypatch):
    monkeypatch.setattr(difference_causes, "LONGEST", 5)
    walk.go_to(0)
    assert (causes.explained, causes.is_looking) == (None, False)
    walk.go_to(2)
    assert causes.is_looking


def test_a_difference_stands_in_its_line_and_knows_the_edge_of_the_text(causes):
    middle, last = causes.difference_at(8), causes.difference_at(13)
    assert (middle.context, middle.start, middle.end, middle.is_at_edge) == (b"  pay 12345\n", 1, 5, False)
    assert middle.tokens == (((278, 1, 3), (347, 3, 5)), ((1857, 2, 4), (39, 4, 5)))
    assert (last.context, last.start, last.end, last.is_at_edge) == (b"last", 4, 4, True)
    assert last.tokens == ((), ())


def test_of_a_long_text_only_what_is_near_a_difference_stands_around_it(comparison, causes, qtbot):
    front = b"so it goes. " * 83 + b"and\n"
    comparison.document.insert(front)
    qtbot.waitUntil(lambda: comparison.is_ready)
    index = next(at for at in range(2000) if comparison.byte_span_of(at)[0] == len(front) + STRETCHES[0][0])
    found = causes.difference_at(index)
    assert found.context == TEXT.partition(b"\n")[0] + b"\n"
    assert (found.start, found.end) == STRETCHES[0]
    assert [each[1:] for tokens in found.tokens for each in tokens] == [STRETCHES[0], (6, 11)]


def test_sides_are_the_models_with_their_switches_and_names_of_their_own(comparison, compared, causes, qtbot):
    compared.sessions[1].set_add_special(False)
    compared.add("demo:bpe")
    qtbot.waitUntil(lambda: len(comparison.rows) == 3 and comparison.is_ready)
    compared.sessions[2].set_encoder("greedy")
    sides = causes.sides
    assert [side.name for side in sides] == [*NAMES, f"{NAMES[0]} (3)"]
    assert [(side.encoder, side.add_special, side.parse_special) for side in sides] == [
        (None, True, True),
        (None, False, True),
        ("greedy", True, True),
    ]


def test_figures_tell_what_each_column_needs_in_all_and_line_by_line(comparison, figures, qtbot):
    assert (figures.most_more, len(figures.dear_lines), figures.is_comparing) == (0, 0, True)
    with qtbot.waitSignal(figures.lines_changed):
        comparison.changed.emit()
    assert (figures.dear_lines.tolist(), figures.dearness.tolist()) == ([0, 30, 42], [1, 3, 1])
    assert (figures.most_more, figures.most_tokens) == (3, 23)
    costs = [figures.cost(each) for each in comparison.columns]
    assert costs == [(23, 4, 1.0), (19, 0, 19 / 23)]
    assert [each.words for each in costs] == ["+4 · 1.00×", "fewest · 0.83×"]
    assert [each._replace(ratio=None).words for each in costs] == ["+4", "fewest"]
    assert [figures.row_of(each) for each in comparison.columns] == [0, 1]
    assert [figures.in_line(0, 30), figures.in_line(30, 42)] == [[12, 11], [8, 5]]
    comparison.document.insert(b"x x\n")
    assert figures.in_line(0, 30) != [12, 11]


def test_a_column_without_a_model_costs_nothing(comparison, compared, figures, qtbot):
    compared.add("/nowhere.gguf")
    new = comparison.columns[-1]
    assert (figures.cost(new), figures.row_of(new)) == (None, -1)
    assert len(figures.in_line(0, 30)) == 2
    comparison.watch(False)
    assert (figures.is_comparing, figures.most_tokens, figures.in_line(0, 30)) == (False, 0, [])
    with qtbot.waitSignal(figures.lines_changed):
        pass
    assert (figures.most_more, len(figures.dear_lines)) == (0, 0)
