"""What is said of two compared texts: before there is a second one, where they part, and each change."""

import pytest

import guiapp
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.compare.texts import ComparedTexts
from guiapp.pages.compare.texts_details import beginning, counts, in_a_line

TEXT = "How do lions\nsleep in Ünal?\n".encode()


def load(name, pre, progress):
    return guiapp.open_model(name)


@pytest.fixture
def closed(qapp):
    """Texts without a model."""
    session = ModelSession(TextSession(TEXT), load=load)
    made = ComparedTexts(session)
    made.watch(True)
    yield made
    made.stop()
    session.close()
    session.text.close()


@pytest.fixture
def compared(closed, qtbot):
    closed.first.loader.open("demo:bpe")
    qtbot.waitUntil(lambda: closed.first.tokenizer is not None and not closed.is_outdated)
    return closed


def write(compared, text, qtbot):
    compared.second.text.show(text)
    qtbot.waitUntil(lambda: not compared.is_outdated and compared.report is not None)


def paste(compared, text, qtbot):
    compared.take_ids(True)
    compared.ids.text.document.set_text(text)
    qtbot.waitUntil(lambda: not compared.is_outdated and compared.report is not None)


def rows_of(compared):
    return [in_a_line(compared, index) for index in range(len(compared.outcome.rows))]


@pytest.mark.parametrize(
    ("text", "part_at", "rows"),
    [
        (TEXT.decode(), "", []),
        (
            "How do tigers\nsleep in x?",
            "They part in line 1, at token 5: ",
            ["·l|ions → ·t|ig|ers", "·|<C3>|<9C>|n|al → ·x (846)", "↵ (198) → –"],
        ),
        ("How do lions", "They part in line 1, at token 7: ", ["↵|s|leep|·in|·|<C3>|<9C>|n|al|?|↵ → –"]),
        (f"{TEXT.decode()}more", "They part in line 3, at token 18: ", ["– → m|ore"]),
    ],
)
def test_where_texts_part_and_what_changed_is_told(compared, qtbot, text, part_at, rows):
    write(compared, text.encode(), qtbot)
    assert beginning(compared)[2].startswith(part_at)
    assert rows_of(compared) == rows


def test_lists_of_ids_are_told_of_in_their_own_words(compared, qtbot):
    ids = compared.first.tokens.ids(0, 17).tolist()
    paste(compared, str(ids[:-1]).encode(), qtbot)
    assert beginning(compared).lines == ("100 % of the list: what a cache of prefixes keeps.",)
    assert counts(compared) == "1 change: 1 missing, 0 too many"
    paste(compared, b"2549 39 318 75 72 x", qtbot)
    assert beginning(compared).lines == (
        "“x” at character 19 is not a whole number.",
        "Compared is what stands before that: 5 ids.",
        "60 % of the list: what a cache of prefixes keeps.",
    )
    assert (counts(compared), rows_of(compared)[0].partition(" → ")[2]) == (
        "1 change: 14 missing, 2 too many",
        "l|i",
    )
    paste(compared, b"39 318 403", qtbot)
    assert beginning(compared)[0] == "0 tokens in common"


def test_a_list_that_cuts_the_same_text_otherwise_is_told_of(compared, qtbot):
    compared.first.set_add_special(False)
    compared.first.document.set_text(b" lions")
    paste(compared, b"220 75 1507", qtbot)
    assert beginning(compared).lines[:-1][-1] == "The list stands for the same text, cut in another way."


def test_the_spans_of_a_list_are_the_models_but_for_the_mistake(compared, qtbot):
    paste(compared, b"2549 39 x", qtbot)
    numbers, first = compared.ids.numbers, compared.first
    window = numbers.spans_in(0, 9)
    assert window.ids.tolist() == [2549, 39, -1]
    attributes = numbers.attributes_of(window.ids).tolist()
    assert attributes == [*first.attributes_of(window.ids[:2]).tolist(), Attribute.UNKNOWN.value]
    assert (numbers.label_of(-1), numbers.label_of(0), numbers.label_of(39)) == (
        "no id",
        first.label_of(0),
        first.label_of(39),
    )
    assert (numbers.tokenizer, numbers.vocabulary) == (first.tokenizer, first.vocabulary)
    told = []
    numbers.tokens_changed.connect(lambda edit, tokens: told.append((edit is not None, len(tokens))))
    compared.ids.text.document.replace(9, 9, b"y")
    assert told == [(True, 3)]
    qtbot.waitUntil(lambda: not compared.is_outdated)
    assert told == [(True, 3), (False, 3)]
    assert numbers.spans_in(0, 10).ends.tolist() == [4, 7, 10]
