"""What hides in a text is known while it is edited, and goes without a trace and with a way back."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_edits import edit_at_random

from guiapp.core.text.visible_text import hidden_spans, without
from guiapp.kit.document import search as hidden_characters
from guiapp.kit.document.search import HiddenCharacters
from guiapp.kit.session.text_session import TextSession

TEXT = "pay\u200bment 👩\u200d👧 in\u00ad\u00advoice می\u200cخواهم \ufeff".encode()
SCRAPS = st.lists(st.sampled_from(["a", "é", "👩", "\u200d", "\u200b", "\ufe0f", "\U000e0041", "\n"])).map(
    "".join
)


@pytest.fixture
def make(qapp):
    made = []

    def make_one(text):
        session = TextSession(text)
        made.append(HiddenCharacters(session))
        made[-1].session = session
        return made[-1], session.document

    yield make_one
    for hidden in made:
        hidden.close()


def test_they_are_counted_at_each_key(make):
    hidden, document = make(TEXT)
    assert (hidden.n_characters, hidden.n_spans) == (4, 3)
    document.replace(0, 0, "\u2060".encode())
    assert (hidden.n_characters, hidden.n_spans) == (5, 4)
    document.undo()
    assert hidden.n_characters == 4


@pytest.mark.parametrize("seed", range(3))
def test_in_a_long_text_they_move_along_and_are_known_when_typing_pauses(make, qtbot, monkeypatch, seed):
    monkeypatch.setattr(hidden_characters, "SMALL_BYTES", 8)
    hidden, document = make(TEXT * 20)
    rng = random.Random(seed)
    qtbot.waitUntil(lambda: hidden.n_characters == 80)
    for _ in range(30):
        before = hidden.n_characters
        edit_at_random(document, rng)
        starts, ends, _ = hidden.spans
        assert all(0 <= start < end <= document.size for start, end in zip(starts, ends, strict=True))
        assert hidden.n_characters <= before, "nothing is made up before it is looked for"
    document.replace(0, 0, "\u200b".encode())
    expected = [column.tolist() for column in hidden_spans(document.text())]
    qtbot.waitUntil(lambda: [column.tolist() for column in hidden.spans] == expected)


def test_a_walk_goes_round_in_both_directions(make):
    hidden, document = make(TEXT)
    shown = []
    hidden.session.pointed_out.connect(
        lambda start, end: (shown.append((start, end)), document.select(start, end))
    )
    for by in (1, 1, 1, 1, -1, -1):
        hidden.step(by)
    places = list(zip(hidden.spans.starts.tolist(), hidden.spans.ends.tolist(), strict=True))
    assert shown == [*places, places[0], places[2], places[1]]


@given(SCRAPS, st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=60)
def test_removing_leaves_none_keeps_the_rest_and_the_caret_and_is_undone_at_once(qapp, text, anchor, caret):
    text = text.encode()
    session = TextSession(text)
    hidden, document = HiddenCharacters(session), session.document
    document.select(anchor, caret)
    selection = document.anchor, document.caret
    visible_after = [len(without(text[at:], hidden_spans(text[at:]))) for at in selection]
    expected = without(text, hidden_spans(text))
    had_any = hidden.n_characters > 0
    hidden.remove()
    assert (document.text(), hidden.n_characters) == (expected, 0)
    if had_any:
        is_apart = all(
            len(without(text[:at], hidden_spans(text[:at]))) + rest == len(expected)
            for at, rest in zip(selection, visible_after, strict=True)
        )
        if is_apart:  # else the caret is within an emoji that its half alone is not
            assert [len(expected) - document.anchor, len(expected) - document.caret] == visible_after
        document.undo()
        assert (document.text(), document.can_undo) == (text, False)
    hidden.close()


def test_of_a_part_only_what_is_in_it_goes(make):
    hidden, document = make(("a" + "\U000e0041" * 9 + "b\u200bc").encode())
    assert [column.tolist() for column in hidden.within(9, 17)] == [[0], [8], [2]]
    assert hidden.whole_spans(9, 17) == (1, 37)
    assert hidden.whole_spans(37, 38) == (37, 38)
    hidden.remove_within(9, 17)
    assert (document.size, hidden.n_characters) == (42 - 8, 8)
    hidden.remove_within(*hidden.whole_spans(5, 6))
    assert document.text() == "ab\u200bc".encode()


def test_a_copy_without_them_is_of_what_is_selected_if_that_can_be_seen(make):
    hidden, document = make(TEXT)
    whole = without(TEXT, hidden_spans(TEXT))
    assert hidden.text_without() == whole
    document.select(0, 10)
    assert hidden.text_without() == b"payment"
    document.select(3, 6)
    assert hidden.text_without() == whole
