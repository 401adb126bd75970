"""Two of the compared models beside each other: which two, what is listed of them, and what is exported."""

import threading

import pytest
from summaries import compared_over
from told import told_by
from vocabulary_pairs import load

from guiapp.cli.main import run
from guiapp.pages.compare import vocabularies
from guiapp.pages.compare.vocabularies import ComparedVocabularies


@pytest.fixture
def compared(qapp):
    with compared_over(b"abc", load) as made:
        yield made


@pytest.fixture
def model(compared):
    made = ComparedVocabularies(compared)
    yield made
    made.close()


@pytest.fixture
def opened(model, compared, qtbot):
    """Opens some models, the first one as the window's, and waits until A and B are compared and listed."""

    def open_some(*names):
        model.set_active(True)
        compared.sessions[0].loader.open(names[0])
        for name in names[1:]:
            compared.add(name)
        qtbot.waitUntil(lambda: model.comparison is not None)
        wait(qtbot, model)
        return model

    return open_some


def wait(qtbot, model):
    qtbot.waitUntil(
        lambda: not model.is_waiting and not model.listing.is_busy and not model._pause.isActive()
    )


def test_the_first_added_model_is_b_until_another_one_is_chosen(opened, compared, qtbot):
    model = opened("one", "same", "other")
    assert model.comparison.is_identical
    assert (model.second, model.second_index) == (compared.sessions[1], 1)
    model.choose_second(compared.sessions[2])
    assert model.comparison is None
    qtbot.waitUntil(lambda: model.comparison is not None)
    assert model.comparison.second is compared.sessions[2].tokenizer
    assert model.second_index == 2
    compared.add("other")
    model.add_second("same", None)  # chosen from a list that was open meanwhile: there is no room any more
    assert (len(compared.sessions), model.second_index) == (4, 2)
    compared.remove(compared.sessions[3])
    compared.remove(compared.sessions[2])
    qtbot.waitUntil(lambda: model.comparison is not None)
    assert model.comparison.is_identical
    compared.remove(compared.sessions[1])
    assert (model.second, model.comparison) == (None, None)
    model.add_second("swapped", None)
    qtbot.waitUntil(lambda: model.comparison is not None)
    assert model.second is compared.sessions[1]


def test_another_model_of_the_window_is_compared_at_once(opened, compared, qtbot):
    model = opened("one", "other")
    compared.sessions[0].loader.open("other")
    qtbot.waitUntil(lambda: model.comparison is not None and model.comparison.is_identical)


def test_nothing_is_compared_while_nobody_looks(opened, compared, qtbot):
    model = opened("one", "other")
    model.set_active(False)
    with qtbot.waitSignal(compared.sessions[0].tokens_changed):
        compared.sessions[0].loader.open("swapped")
    before = model.comparison
    assert not model.job.is_busy
    model.set_active(True)
    qtbot.waitUntil(lambda: model.comparison is not before and model.comparison is not None)
    assert model.comparison.first is compared.sessions[0].tokenizer
    again = model.comparison
    model.set_active(False)
    model.set_active(True)
    assert model.comparison is again


@pytest.mark.parametrize("name", ["broken", "odd"])
def test_why_b_cannot_be_opened_is_told_until_another_one_is(model, compared, qtbot, name):
    model.set_active(True)
    compared.sessions[0].loader.open("one")
    compared.add(name)
    qtbot.waitUntil(lambda: not model.is_waiting)
    assert model.problem.startswith(f"{name} ")
    compared.sessions[1].loader.open("other")
    qtbot.waitUntil(lambda: model.comparison is not None)
    assert model.problem == ""


def test_what_differs_first_is_listed_first(opened):
    for second, group in (("same", "all"), ("swapped", "moved"), ("other", "first"), ("ruled", "all")):
        model = opened("one", second)
        model.choose_second(model.choices[-1])
        opened("one")
        assert (second, model.filter.group) == (second, group)
        assert model.shown.filter == model.filter
        model._models.remove(model.choices[-1])


def test_a_search_waits_until_typing_pauses_and_its_end_does_not(opened, qtbot):
    model = opened("one", "other")
    model.show_group("all")
    wait(qtbot, model)
    n_all = len(model.shown.rows)
    model.set_query("ab")
    assert model._pause.isActive()
    wait(qtbot, model)
    assert 0 < len(model.shown.rows) < n_all
    model.choose(0)
    assert model.details.text == b"ab"
    model.step(1)
    assert model.chosen == 1
    model.step(-1)
    model.step(-1)
    assert model.chosen == len(model.shown.rows) - 1
    model.end()
    assert not model._pause.isActive()
    wait(qtbot, model)
    assert (len(model.shown.rows), model.chosen, model.details) == (n_all, None, None)
    model.set_query("kind:blue")
    wait(qtbot, model)
    assert model.shown.problem.startswith("There is no kind “blue”.")
    assert len(model.shown.rows) == 0
    model.step(1)
    assert model.chosen is None


def test_the_newest_filter_wins(opened, qtbot):
    model = opened("one", "other")
    for group in ("all", "both", "second"):
        model.show_group(group)
    wait(qtbot, model)
    assert model.shown.filter.group == "second"


def test_a_comparison_that_nobody_wants_is_given_up(model, compared, qtbot, monkeypatch):
    begun, gate, ended = threading.Event(), threading.Event(), threading.Event()
    compare = vocabularies.compare_vocabularies

    def slow(first, second):
        begun.set()
        gate.wait(30)
        return compare(first, second)

    def watched(first, second, spelling, progress):
        try:
            return made(first, second, spelling, progress)
        finally:
            ended.set()

    made = vocabularies._compared
    monkeypatch.setattr(vocabularies, "compare_vocabularies", slow)
    monkeypatch.setattr(vocabularies, "_compared", watched)
    model.set_active(True)
    compared.sessions[0].loader.open("one")
    compared.add("other")
    qtbot.waitUntil(begun.is_set)
    compared.remove(compared.sessions[1])
    gate.set()
    qtbot.waitUntil(ended.is_set)
    assert not model.is_waiting
    assert model.comparison is None


@pytest.mark.parametrize("form", vocabularies.FORMS)
@pytest.mark.parametrize("pair", [("demo:bpe", "demo:spm"), ("demo:bpe", "demo:bpe")])
def test_what_is_exported_is_what_the_command_line_prints(opened, capfdbinary, pair, form):
    model = opened(*pair)
    shares = []
    exported = model.export(form)(shares.append)
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)
    assert (form == "csv") == bool(shares)
    capfdbinary.readouterr()
    assert run(["compare", "--vocab", *pair, f"--{form}"]) == 0
    assert exported == capfdbinary.readouterr().out


def test_rows_are_walked_round_and_told_of(opened, qtbot):
    model = opened("one", "other")
    model.show_group("both")
    wait(qtbot, model)
    told = []
    model.chosen_changed.connect(lambda: told.append(model.chosen))
    assert (model.details, len(model.shown.rows)) == (None, 8)
    model.step(-1)
    model.step(1)
    model.step(1)
    model.step(-1)
    model.choose(0)
    assert told == [7, 0, 1, 0]
    assert (model.details.token, model.details.text, model.details.shared) == (
        (0, 1),
        b"a",
        (("bytes", "61"), ("script", "Latin"), ("length", "1")),
    )
    assert model.details.facts == (("id", "0", "1"), ("kind", "normal", "normal"))
    model.set_query("nothing has this")
    wait(qtbot, model)
    assert (len(model.shown.rows), model.chosen, model.details, told[-1]) == (0, None, None, None)
    model.step(1)
    assert model.chosen is None
    model.search_all("a")
    wait(qtbot, model)
    assert (model.query, model.filter.group) == ("a", "all")
    assert model.shown.rows.tolist() == [[0, 1], [6, 6], [3, 3], [5, -1], [-1, 5]]
    model.end()
    assert model.query == ""


def test_each_change_is_told(opened, compared, qtbot):
    model = opened("one", "other")
    told = told_by(model)

    def tells(act, *given):
        told.clear()
        act(*given)
        qtbot.waitUntil(lambda: not any(each.loader.loading_name for each in compared.sessions))
        wait(qtbot, model)
        return list(told)

    listed, gone = (
        ["filter_changed", "shown_changed"],
        ["comparison_changed", "filter_changed", "shown_changed"],
    )
    for wanted, act, *given in (
        (listed, model.show_group, "both"),
        (listed, model.set_query, "a"),
        (["chosen_changed"], model.choose, 0),
        (["filter_changed", "chosen_changed", "shown_changed"], model.end),
        (listed, model.search_all, "b"),
        ([], model.choose_second, model.second),
        ([], model.set_active, False),
    ):
        assert (tells(act, *given), tells(act, *given)) == (wanted, [])
    assert set(tells(compared.sessions[0].loader.open, "swapped")) == {"pair_changed"}
    assert tells(model.set_active, True) == [*gone, "comparison_changed", *gone]
    assert (model.query, model.filter.group) == ("b", "all"), "it is looked for in these, too"
    model.show_group("second")
    assert tells(compared.remove, model.second) == [*gone, "pair_changed"]
    assert (model.comparison, model.second_index, model.is_waiting, len(model.shown.rows)) == (
        None,
        1,
        False,
        0,
    )
