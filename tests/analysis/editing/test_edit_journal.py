"""Journals of edits: what comes of them, also where their end was not written."""

from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.editing.text_buffer import JournalEdit, packed, replayed

PLACES = st.tuples(st.integers(0, 12), st.integers(0, 5), st.binary(max_size=6))


def texts_after(text: bytes, wishes) -> tuple[list[JournalEdit], list[bytes]]:
    """Edits at such places, as far as these are in the text, and the text before and after each."""
    edits, texts = [], [text]
    for start, removed, new in wishes:
        start = min(start, len(text))
        removed = min(removed, len(text) - start)
        text = text[:start] + new + text[start + removed :]
        edits.append(JournalEdit(start, removed, new))
        texts.append(text)
    return edits, texts


@given(st.binary(max_size=20), st.lists(PLACES, max_size=30))
def test_a_journal_gives_the_text_that_was_edited(text, wishes):
    edits, texts = texts_after(text, wishes)
    assert replayed(text, packed(edits)) == texts[-1]
    assert replayed(text, packed(edits[:3]) + packed(edits[3:])) == texts[-1]


@given(st.binary(max_size=20), st.lists(PLACES, min_size=1, max_size=6), st.data())
def test_what_was_not_written_to_its_end_is_left_out(text, wishes, data):
    edits, texts = texts_after(text, wishes)
    whole = [len(packed(edits[:count])) for count in range(len(edits) + 1)]
    cut = data.draw(st.integers(0, whole[-1]))
    n_whole = sum(end <= cut for end in whole) - 1
    assert replayed(text, packed(edits)[:cut]) == texts[n_whole]


@given(st.lists(st.binary(min_size=1, max_size=6), min_size=1, max_size=6), st.integers(1, 255), st.data())
def test_what_was_written_wrongly_ends_a_journal(news, difference, data):
    edits = [JournalEdit(0, 0, new) for new in news]
    wrong = data.draw(st.integers(0, len(edits) - 1))
    journal = bytearray(packed(edits))
    begin, end = (len(packed(edits[:count])) for count in (wrong, wrong + 1))
    journal[data.draw(st.integers(begin, end - 1))] ^= difference
    assert replayed(b"", bytes(journal)) == b"".join(reversed(news[:wrong]))


@given(st.binary(max_size=200), st.binary(max_size=20))
def test_what_is_no_journal_does_no_harm(journal, text):
    assert replayed(text, journal) == text


def test_an_edit_outside_of_the_text_ends_a_journal():
    edits = [JournalEdit(0, 1, b"A"), JournalEdit(2, 5, b""), JournalEdit(0, 1, b"B")]
    assert replayed(b"abc", packed(edits)) == b"Abc"
