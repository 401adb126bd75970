"""The special tokens of the window's model: found, listed, sorted, chosen and inserted."""

import pytest

from guiapp.analysis.editing.token_store import Options
from guiapp.kit.token_table.table_view import TokenTableModel
from guiapp.pages.vocabulary import special_model as module
from guiapp.pages.vocabulary.special_model import GROUPS, SpecialTokensModel
from guiapp.pages.vocabulary.special_page import facts_of

TEXT = b"<|im_start|>user\nHi<|im_end|>\n<|im_start|>"


@pytest.fixture
def session(make_session):
    return make_session(TEXT)


@pytest.fixture
def opened(session, qtbot):
    """Opens a model, and waits until its special tokens are found."""
    model = SpecialTokensModel(session)

    def open_one(name):
        model.set_active(True)
        with qtbot.waitSignal(session.tokens_changed):
            session.loader.open(name)
        qtbot.waitUntil(lambda: model.tokens is not None and not session.is_encoding)
        wait_until_current(model, qtbot)
        return model

    yield open_one
    model.close()


def names(model):
    return [model.tokens[row].name for row in model.shown.rows]


def wait_until_current(model, qtbot):
    qtbot.waitUntil(lambda: model.is_up_to_date)


def test_nothing_is_gathered_while_the_page_is_hidden(session, qtbot, monkeypatch):
    model = SpecialTokensModel(session)
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    assert not model.is_gathering
    assert model.sizes == dict.fromkeys(GROUPS, 0)
    model.set_active(True)
    qtbot.waitUntil(lambda: model.tokens is not None)
    asked = []
    monkeypatch.setattr(module, "SpecialRows", asked.append)
    model.set_active(False)
    model.set_active(True)
    assert asked == []
    model.close()


def test_another_model_brings_its_own(opened, session, qtbot):
    model = opened("demo:bpe")
    model.set_query("fim")
    session.loader.open("demo:wordpiece")
    qtbot.waitUntil(lambda: model.tokens is not None and "[CLS]" in names(model))
    assert (len(model.shown.rows), model.query) == (5, "")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("THINK", ["<think>", "</think>"]),
        ("2552", ["<|im_end|>"]),
        ("#2552 ", ["<|im_end|>"]),
        ("fim suf", ["<|fim_suffix|>"]),
        ("eos", ["<|end_of_text|>"]),
        ("nothing", []),
        ("kind:user-defined think", ["<think>", "</think>"]),
        ("2550..2551", ["<|end_of_text|>", "<|im_start|>"]),
        ("/^</.*>$/", ["</think>", "</tool_call>"]),
    ],
)
def test_a_search_matches_texts_ids_roles_and_filters(opened, qtbot, query, expected):
    model = opened("demo:bpe")
    model.set_query(query)
    wait_until_current(model, qtbot)
    assert names(model) == expected
    model.end()
    wait_until_current(model, qtbot)
    assert len(model.shown.rows) == 11


def test_an_invalid_search_is_reported(opened, qtbot):
    model = opened("demo:bpe")
    model.set_query("kind:blue")
    wait_until_current(model, qtbot)
    assert (names(model), model.note[:24]) == ([], "There is no kind “blue”.")


def test_columns_are_sorted_with_empty_values_last(opened, qtbot):
    model = opened("demo:bpe")
    table = TokenTableModel(model)
    titles = [column.name for column in model.shown_columns]
    assert titles == ["id", "token", "role", "kind", "from text", "ends", "the file"]
    roles = ["BOS", "EOS", "EOT", "FIM MID", "FIM PRE", "FIM SUF"]
    for is_descending, ordered_roles, arrow in ((False, roles, "▴"), (True, roles[::-1], "▾")):
        model.sort_by("role", is_descending)
        wait_until_current(model, qtbot)
        shown = [table.index(row, titles.index("role")).data() for row in range(table.rowCount())]
        assert shown == [*ordered_roles, *[""] * 5]
        rest = [model.tokens[row].token_id for row in model.shown.rows[6:]]
        assert rest == sorted(rest)
        assert table.heading(table.columns[titles.index("role")]) == f"{arrow} role"


def test_a_column_of_all_tokens_can_be_shown_and_sorts(opened, qtbot):
    model = opened("demo:bpe")
    model.show_column("length", True)
    model.sort_by("length", True)
    wait_until_current(model, qtbot)
    assert (names(model)[0], model.shown_columns[-1].name) == ("<|begin_of_text|>", "length")
    assert TokenTableModel(model).index(0, 7).data() == "17"


def test_a_special_token_selected_in_the_text_is_chosen(opened, session):
    model = opened("demo:bpe")
    session.select_token(2)
    session.select_token(1)
    assert model.chosen_token.name == "<|im_start|>"
    session.select_token(2)  # an ordinary one
    assert model.chosen_token.name == "<|im_start|>"


def test_next_in_text_goes_round(opened, session):
    model = opened("demo:bpe")
    session.select_token(0)
    model.choose(names(model).index("<|im_start|>"))
    places = [
        index for index in range(len(session.tokens)) if session.tokens.ids(index, index + 1)[0] == 2551
    ]
    assert model.n_occurrences == len(places) == 2
    went = []
    for _ in range(3):
        model.select_next()
        went.append(session.selected_token)
    assert went == [*places, places[0]]
    model.choose(names(model).index("<|begin_of_text|>"))  # comes from no text
    model.select_next()
    assert session.selected_token == 0


def test_facts_mention_that_parsing_is_off(opened, session):
    model = opened("demo:bpe")
    token = model.tokens[3]
    assert facts_of(token, True, 1) == {
        "role": "EOT, by eot_token_id",
        "in the file": "token_type 3, control",
        "from text": "its text becomes this token while special tokens are parsed",
        "end of generation": "yes, as EOT by eot_token_id",
        "chat template": "uses it",
        "in this text": "once",
    }
    session.set_options(Options(parse_special=False))
    assert "turned off" in facts_of(token, False, 0)["from text"]
