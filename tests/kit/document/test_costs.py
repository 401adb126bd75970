"""What a text costs: the words and lines that take the most tokens, the bars of lines, and the budget."""

import pytest

from guiapp.kit.document.statistics import LineCosts, MostExpensiveModel, TokenBudget

DIGITS = b"12345678901234567890"
TEXT = b"zyxw zyxw lions\n\nnext zyxw line\n" + DIGITS
LINES = {(0, 16): (10, True), (16, 17): (0, False), (17, 32): (8, True), (32, 52): (12, True)}


@pytest.fixture
def session(make_session):
    return make_session(TEXT, "demo:bpe")


@pytest.fixture
def model(session):
    made = MostExpensiveModel(session)
    yield made
    made.close()


@pytest.fixture
def budget(session, settings):
    return TokenBudget(session, settings)


@pytest.fixture
def costs(session):
    return LineCosts(session)


def wait_until_idle(model, qtbot):
    qtbot.waitUntil(lambda: not model.is_busy)


def test_the_most_expensive_are_computed_only_while_watched(session, model, qtbot):
    assert (model.value, model.is_busy) == (None, False)
    model.watch(True)
    assert model.is_busy
    wait_until_idle(model, qtbot)
    result = model.value
    assert [(row.text, row.n_tokens, row.n_times, model.line_of(row)) for row in result.words] == [
        (DIGITS.decode(), 12, 1, 4),
        ("zyxw", 11, 3, 1),
        ("lions", 2, 1, 1),
        ("next", 2, 1, 3),
    ]
    assert [(row.n_tokens, model.line_of(row)) for row in result.lines] == [(12, 4), (10, 1), (8, 3)]
    assert result.n_tokens == 31
    model.watch(True)
    assert not model.is_busy
    model.watch(False)
    session.document.insert(b"new ")
    assert not model.is_busy
    model.watch(True)
    wait_until_idle(model, qtbot)
    assert model.value.n_tokens > 31


@pytest.mark.parametrize(
    ("edit", "selection"),
    [
        (None, (32, 52)),
        ((0, 0, b"ab"), (34, 54)),
        ((0, 4, b""), (28, 48)),
        ((31, 32, b""), (31, 51)),
        ((52, 52, b"0"), (32, 52)),
        ((40, 52, b""), (32, 40)),
    ],
)
def test_an_expensive_word_is_selected_at_its_current_offset(session, model, qtbot, edit, selection):
    model.watch(True)
    wait_until_idle(model, qtbot)
    row = model.value.words[0]
    if edit is not None:
        session.document.replace(*edit)
    assert model.go_to(row) == session.document.selection == selection
    wait_until_idle(model, qtbot)
    assert model.go_to(model.value.words[1]) == (model.value.words[1].start, model.value.words[1].end)


def test_lines_have_their_tokens_and_whether_these_are_many(session, costs, qtbot):
    assert {line: costs.of_line(*line) for line in LINES} == LINES
    with qtbot.waitSignal(costs.changed):
        costs.set_shown(True)
    assert costs.most == 12
    emitted = []
    costs.changed.connect(lambda: emitted.append(costs.most))
    session.document.insert(b"1234 " * 9)
    assert emitted == [12]
    qtbot.waitUntil(lambda: len(emitted) == 2)
    assert emitted[1] == costs.of_line(0, 16 + 45)[0] > 12
    costs.set_shown(False)
    session.document.insert(b"1234 ")
    assert len(emitted) == 2


@pytest.mark.parametrize(
    ("line", "result"),
    [(b"lions and tigers and bears", False), (b"a b", True), (b"a", False), (b"ab c", False)],
)
def test_a_line_under_two_characters_per_token_is_expensive(make_session, line, result):
    session = make_session(line, "demo:rwkv")
    assert LineCosts(session).of_line(0, len(line)) == (len(session.tokens), result)


def test_the_budget_is_ones_own_or_the_models_or_a_usual_one(session, budget, settings, qtbot, monkeypatch):
    assert (budget.own, budget.of_model, budget.n_most, budget.n_used) == (None, None, 8192, 31)
    monkeypatch.setattr("guiapp.analysis.compare.comparison.context_length_of", lambda vocabulary: 4096)
    assert (budget.of_model, budget.n_most) == (4096, 4096)
    for asked, own in ((12, 12), (0, 1), (-3, 1), (10**9, 10**9), (10**9 + 1, 10**9), (None, None)):
        with qtbot.waitSignal(budget.changed):
            budget.choose(asked)
        assert (budget.own, budget.n_most) == (own, own or 4096)
    for saved, own in (("0", None), ("007", 7), ("x", None), ("-1", None), ("99999999999", None)):
        settings.budget = saved
        assert budget.own == own


def test_the_cut_is_where_the_first_token_begins_that_is_too_much(session, budget):
    result = {}
    for n_most in (1, 2, 30, 31, 32):
        budget.choose(n_most)
        result[n_most] = budget.cut
    assert result == {1: 0, 2: 2, 30: 51, 31: None, 32: None}


def test_the_budget_leaves_room_for_tokens_added_after_the_text(make_session, settings):
    session = make_session(b"a b c", "demo:unigram")
    budget = TokenBudget(session, settings)
    for n_over in (1, 2):
        budget.choose(len(session.tokens) - n_over)
        assert session.n_affixes[1] == 1
        assert budget.cut == session.tokens.span(len(session.tokens) - 1 - n_over)[0]
