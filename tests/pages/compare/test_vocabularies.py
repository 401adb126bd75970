"""Two of the compared models beside each other: which two, what is listed of them, and what is exported."""

import pytest
from summaries import compared_over
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
    qtbot.waitUntil(lambda: not model.is_waiting and model.is_up_to_date)


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


def test_nothing_is_compared_while_the_page_is_hidden(opened, compared, qtbot):
    model = opened("one", "other")
    model.set_active(False)
    with qtbot.waitSignal(compared.sessions[0].tokens_changed):
        compared.sessions[0].loader.open("swapped")
    before = model.comparison
    assert not model.comparing.is_busy
    model.set_active(True)
    qtbot.waitUntil(lambda: model.comparison is not before and model.comparison is not None)
    assert model.comparison.first is compared.sessions[0].tokenizer
    again = model.comparison
    model.set_active(False)
    model.set_active(True)
    assert model.comparison is again


@pytest.mark.parametrize("name", ["broken", "odd"])
def test_the_error_for_b_is_shown_until_another_model_opens(model, compared, qtbot, name):
    model.set_active(True)
    compared.sessions[0].loader.open("one")
    compared.add(name)
    qtbot.waitUntil(lambda: not model.is_waiting)
    assert model.problem.startswith(f"{name} ")
    compared.sessions[1].loader.open("other")
    qtbot.waitUntil(lambda: model.comparison is not None)
    assert model.problem == ""


def test_what_differs_first_is_listed_first(opened, compared):
    for second, group in (("same", "all"), ("swapped", "moved"), ("other", "first"), ("ruled", "all")):
        model = opened("one", second)
        model.choose_second(model.others[-1])
        opened("one")
        assert (second, model.request.group) == (second, group)
        assert model.shown.request == model.request
        compared.remove(model.others[-1])


def test_a_search_waits_until_typing_pauses_and_its_end_does_not(opened, qtbot):
    model = opened("one", "other")
    model.show_group("all")
    wait(qtbot, model)
    n_all = len(model.shown.rows)
    model.set_query("ab")
    wait(qtbot, model)
    assert 0 < len(model.shown.rows) < n_all
    texts = [model.source.text(row) for row in model.shown.rows]
    for by, at in ((1, 0), (1, 1), (-1, 0), (-1, -1)):
        model.step(by)
        assert model.source.text(model.chosen) == texts[at]
    model.end()
    wait(qtbot, model)
    assert (len(model.shown.rows), model.source.text(model.chosen)) == (n_all, texts[-1])
    model.show_group("both")
    assert model.chosen is None
    model.show_group("all")
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
    assert model.shown.request.group == "second"


@pytest.mark.parametrize("form", vocabularies.FORMS)
@pytest.mark.parametrize("pair", [("demo:bpe", "demo:spm"), ("demo:bpe", "demo:bpe")])
def test_what_is_exported_is_what_the_command_line_prints(opened, capfdbinary, pair, form):
    model = opened(*pair)
    exported = "".join(model.write_all(form, model.comparison)).encode("utf-8", "surrogateescape")
    capfdbinary.readouterr()
    assert run(["compare", "--vocab", *pair, f"--{form}"]) == 0
    assert exported == capfdbinary.readouterr().out
