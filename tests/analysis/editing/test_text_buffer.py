from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from guiapp.analysis.editing.text_buffer import TextBuffer, TextEdit
from guiapp.analysis.explain.characters import n_characters

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
        (b"", [(0, 0, b"a"), (1, 1, b"b" * 64)], [b""]),
        (b"", [(0, 0, b"a"), (1, 1, b"b" * 65)], [b"a", b""]),
        (b"abcd", [(1, 2, b""), (1, 2, b"")], [b"abcd"]),
        (b"abcd", [(1, 2, b""), (2, 3, b"")], [b"acd", b"abcd"]),
        (b"abcd", [(3, 4, b""), (0, 1, b"")], [b"abc", b"abcd"]),
        (b"a" + b"b" * 64, [(0, 1, b""), (0, 64, b"")], [b"a" + b"b" * 64]),
        (b"a" + b"b" * 65, [(0, 1, b""), (0, 65, b"")], [b"b" * 65, b"a" + b"b" * 65]),
        (b"ab", [(1, 2, b""), (1, 1, b"c")], [b"a", b"ab"]),
        (b"", [(0, 0, b"ab"), (1, 2, b"")], [b"ab", b""]),
        (b"a", [(0, 1, b"b"), (1, 1, b"c")], [b"a"]),
        (b"a", [(0, 1, b"b"), (0, 1, b"")], [b"b", b"a"]),
        (b"a", [(0, 0, b"b"), (1, 2, b"c")], [b"ba", b"a"]),
        (b"", [(0, 0, b" "), (1, 1, b" "), (2, 2, b"a")], [b"  ", b""]),
    ],
    ids=[
        "typing word by word",
        "erasing as one",
        "typing elsewhere",
        "a paste by itself",
        "an input method",
        "a short paste",
        "erasing forwards",
        "erasing elsewhere",
        "erasing far before",
        "erasing much",
        "erasing more",
        "typing behind erasing",
        "erasing behind typing",
        "typing behind replacing",
        "erasing behind replacing",
        "replacing behind typing",
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


def test_marks_tell_which_steps_are_in_the_text():
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

    def told():
        return [buffer.is_at(mark) for mark in (empty, one, two)], [
            buffer.has_done(mark) for mark in (one, two)
        ]

    assert told() == ([False, False, True], [True, True])
    buffer.undo()
    assert told() == ([False, True, False], [True, False])
    buffer.undo()
    assert told() == ([True, False, False], [False, False])
    buffer.redo()
    buffer.replace(1, 1, b"c")
    assert told() == ([False, False, False], [True, False])
    buffer.set_text(b"")
    assert told() == ([True, False, False], [False, False])


def test_a_step_that_grew_is_another_one():
    buffer = TextBuffer(b"")
    buffer.replace(0, 0, b"a")
    mark = buffer.mark_last()
    buffer.replace(1, 1, b"b")
    assert (buffer.is_at(mark), buffer.has_done(mark)) == (False, False)


def test_the_text_before_an_edit_is_kept_where_somebody_had_it():
    buffer = TextBuffer(b"one")
    assert buffer.text_before is None
    buffer.replace(0, 0, b"x")
    assert buffer.text_before == b"one"
    buffer.replace(1, 1, b"y")
    assert buffer.text_before is None
    before = buffer.text()
    assert buffer.text() is before
    buffer.undo()
    assert buffer.text_before is before
    whole = b"whole"
    buffer.replace(0, len(buffer), whole)
    assert buffer.text() is whole
    buffer.set_text(b"other")
    assert (buffer.text_before, buffer.text()) == (whole, b"other")
    assert TextBuffer(bytearray(b"ab")).text() == b"ab"


def test_bytes_are_seen_without_a_copy():
    buffer = TextBuffer(b"abc")
    buffer.replace(1, 2, b"X")
    assert buffer.view().tobytes() == b"aXc"
    assert [buffer.slice(0, 2), buffer.slice(2, 9)] == [b"aX", b"c"]
    assert buffer.text() == b"aXc"
    assert [buffer.slice(0, 2), buffer.slice(2, 9)] == [b"aX", b"c"]


def test_a_new_edit_ends_what_can_be_redone():
    buffer = TextBuffer(b"a")
    buffer.replace(0, 1, b"b")
    buffer.undo()
    assert buffer.can_redo
    buffer.replace(0, 1, b"c")
    assert not buffer.can_redo


def test_a_snapshot_stays_as_it_was():
    buffer = TextBuffer(b"before")
    snapshot = buffer.text()
    buffer.replace(0, 6, b"after")
    assert (snapshot, buffer.text()) == (b"before", b"after")


def test_another_text_has_no_past():
    buffer = TextBuffer(b"a")
    buffer.replace(0, 1, b"b")
    assert buffer.set_text(b"c\nd") == TextEdit(0, 1, 3, 2)
    assert not buffer.can_undo
    assert buffer.n_lines == 2
