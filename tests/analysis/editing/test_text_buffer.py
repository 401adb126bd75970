"""A buffer beside plain bytes, edited at random; its blocks; journals of its edits."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from guiapp.analysis.editing.text_buffer import (
    MAX_BLOCK_BYTES,
    JournalEdit,
    TextBlocks,
    TextBuffer,
    TextEdit,
    packed,
    replayed,
)
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.text.normalized import character_start

BITS = st.lists(st.sampled_from([b"a", b"\n", b"\r\n", b" ", "é".encode(), b"\xff"]), max_size=6).map(
    b"".join
)


class EditedText(RuleBasedStateMachine):
    """A buffer beside plain bytes, edited at random."""

    def __init__(self) -> None:
        super().__init__()
        self.buffer = TextBuffer(b"one\ntwo")
        self.model = b"one\ntwo"
        self.versions = {self.model}

    @rule(at=st.tuples(st.floats(0, 1), st.floats(0, 1)), new=BITS)
    def replace(self, at, new):
        start, end = sorted(int(share * len(self.model)) for share in at)
        if start == end and not new:
            return
        edit = self.buffer.replace(start, end, new)
        more = n_characters(new) - n_characters(self.model[start:end])
        assert edit == TextEdit(start, end - start, len(new), more)
        self.model = self.model[:start] + new + self.model[end:]
        self.versions.add(self.model)

    @rule(share=st.floats(0, 1))
    def count_characters(self, share):
        offset = int(share * len(self.model))
        assert self.buffer.n_characters_before(offset) == n_characters(self.model[:offset])

    @rule()
    def end_undo_step(self):
        self.buffer.end_undo_step()

    @precondition(lambda self: self.buffer.can_undo)
    @rule()
    def undo_and_redo(self):
        after = self.model
        self._take(self.buffer.undo())
        assert self.model in self.versions
        assert self.buffer.text() == self.model
        self._take(self.buffer.redo())
        assert self.model == after

    @precondition(lambda self: self.buffer.can_undo)
    @rule()
    def undo_everything(self):
        while self.buffer.can_undo:
            self._take(self.buffer.undo())
        assert self.model == b"one\ntwo"

    def _take(self, edit):
        new = self.buffer.slice(edit.start, edit.start + edit.added)
        self.model = self.model[: edit.start] + new + self.model[edit.start + edit.removed :]

    @invariant()
    def text_equals_the_model(self):
        assert self.buffer.text() == self.model
        assert len(self.buffer) == len(self.model)

    @invariant()
    def line_index_equals_a_new_one(self):
        assert self.buffer.newlines.tolist() == [at for at, byte in enumerate(self.model) if byte == 10]
        assert self.buffer.n_lines == self.model.count(b"\n") + 1


TestEditedText = EditedText.TestCase


@given(text=BITS, offset=st.integers(0, 20))
def test_the_line_of_an_offset_starts_before_it_and_holds_it(text, offset):
    buffer = TextBuffer(text)
    offset = min(offset, len(text))
    line = buffer.line_of(offset)
    assert line == text[:offset].count(b"\n")
    assert buffer.line_start(line) == text.rfind(b"\n", 0, offset) + 1


def undone(buffer: TextBuffer) -> list[bytes]:
    versions = []
    while buffer.can_undo:
        buffer.undo()
        versions.append(buffer.text())
    return versions


@pytest.mark.parametrize(
    ("text", "edits", "versions"),
    [
        (b"", [(at, at, b"two words\n"[at : at + 1]) for at in range(10)], [b"two words", b"two ", b""]),
        (b"abcd", [(3, 4, b""), (2, 3, b""), None, (0, 1, b""), (0, 1, b"")], [b"ab", b"abcd"]),
        (b"ab", [(0, 0, b"x"), (3, 3, b"y")], [b"xab", b"ab"]),
        (b"", [(0, 0, b"a"), (1, 1, b"b" * 1000)], [b"a", b""]),
        (b"abcde", [(at - 1, at, b"") for at in (5, 4, 3, 2)], [b"abcde"]),
        (b"abcd", [(1, 2, b""), (1, 2, b"")], [b"abcd"]),
        (b"abcd", [(1, 2, b""), (2, 3, b"")], [b"acd", b"abcd"]),
        (b"ab", [(1, 2, b""), (1, 1, b"c")], [b"a", b"ab"]),
        (b"", [(0, 0, b"ab"), (1, 2, b"")], [b"ab", b""]),
        (b"a", [(0, 1, b"b"), (1, 1, b"c")], [b"a"]),
        (b"", [(0, 0, b" "), (1, 1, b" "), (2, 2, b"a")], [b"  ", b""]),
    ],
    ids=[
        "typing word by word",
        "erasing as one",
        "typing elsewhere",
        "a paste by itself",
        "erasing backwards",
        "erasing forwards",
        "erasing elsewhere",
        "typing behind erasing",
        "erasing behind typing",
        "typing behind replacing",
        "white space",
    ],
)
def test_edits_are_undone_in_steps(text, edits, versions):
    buffer = TextBuffer(text)
    for edit in edits:
        buffer.end_undo_step() if edit is None else buffer.replace(*edit)
    assert undone(buffer) == versions


def test_typing_goes_on_in_a_new_step_once_something_was_taken_back():
    buffer = TextBuffer(b"")
    buffer.replace(0, 0, b"a")
    buffer.undo()
    buffer.redo()
    buffer.replace(1, 1, b"b")
    assert undone(buffer) == [b"a", b""]
    buffer.redo()
    buffer.redo()
    assert (buffer.text(), buffer.can_redo) == (b"ab", False)
    buffer.undo()
    buffer.replace(1, 1, b"c")
    assert undone(buffer) == [b"a", b""]


def test_marks_show_which_steps_are_in_the_text():
    buffer = TextBuffer(b"")
    empty = buffer.mark_last()
    assert (empty.number, empty.change) == (0, None)
    assert buffer.is_at(empty)
    buffer.replace(0, 0, b"a")
    one = buffer.mark_last()
    buffer.end_undo_step()
    buffer.replace(1, 1, b"b")
    two = buffer.mark_last()
    assert (one.number, two.number) == (1, 2)

    def states_of_marks():
        return [buffer.is_at(mark) for mark in (empty, one, two)], [
            buffer.has_done(mark) for mark in (one, two)
        ]

    assert states_of_marks() == ([False, False, True], [True, True])
    buffer.undo()
    assert states_of_marks() == ([False, True, False], [True, False])
    buffer.undo()
    assert states_of_marks() == ([True, False, False], [False, False])
    buffer.redo()
    buffer.replace(1, 1, b"c")
    assert states_of_marks() == ([False, False, False], [True, False])
    buffer.set_text(b"")
    assert states_of_marks() == ([True, False, False], [False, False])


def line_starts(text: bytes) -> set[int]:
    return {0} | {at + 1 for at, byte in enumerate(text) if byte == 10}


def assert_well_cut(blocks: TextBlocks, text: bytes) -> None:
    starts = blocks.starts.tolist()
    assert starts == sorted(set(starts))
    assert line_starts(text) <= set(starts)
    assert np.diff([*starts, len(text)]).max() <= MAX_BLOCK_BYTES


def random_piece(random_: random.Random) -> bytes:
    kind = random_.randrange(5)
    return [
        b"x",
        b"\n",
        b"word " * random_.randrange(2000),
        "字".encode() * random_.randrange(3000),
        b"a\nb",
    ][kind]


@pytest.mark.parametrize("seed", range(20))
def test_after_any_edits_every_line_begins_a_block_and_no_block_is_too_long(seed):
    random_ = random.Random(seed)
    buffer = TextBuffer(b"start " * 3000)
    blocks = TextBlocks(buffer)
    for _ in range(60):
        start = random_.randrange(len(buffer) + 1)
        end = min(len(buffer), start + random_.choice([0, 0, 1, 50, 5000]))
        n_blocks = len(blocks)
        splice = blocks.apply(buffer.replace(start, end, random_piece(random_)))
        assert len(blocks) == n_blocks - splice.removed + splice.added
        assert_well_cut(blocks, buffer.text())


def test_typing_into_a_long_line_moves_no_cut_that_lies_elsewhere():
    buffer = TextBuffer(b"x" * 100_000)
    blocks = TextBlocks(buffer)
    before = blocks.starts.copy()
    for _ in range(500):
        blocks.apply(buffer.replace(50_000, 50_000, b"y"))
    edited = np.searchsorted(before, 50_000, side="right")
    assert set(before[:edited]) <= set(blocks.starts)
    assert set(before[edited:] + 500) <= set(blocks.starts)


@pytest.mark.parametrize("unit", ["字", "e\u0301", "🇩🇪", "👨‍👩‍👧", "שלום", "👍🏻", "👍🏽", "👍🏿"])
def test_cuts_without_spaces_lie_between_characters(unit):
    text = (unit * 5000).encode()
    starts = TextBlocks(TextBuffer(text)).starts.tolist()
    assert len(starts) > 2
    assert all(character_start(text, start) == start for start in starts)
    assert all(text[start:].decode()[0] not in "\u0301\u200d🏻🏽🏿" for start in starts)


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
