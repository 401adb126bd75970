from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from guiapp.core.editing.text_buffer import TextBuffer, TextEdit
from guiapp.core.explain.characters import n_characters

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
    ],
    ids=["typing word by word", "erasing as one", "typing elsewhere", "a paste by itself"],
)
def test_edits_are_undone_in_steps(text, edits, versions):
    buffer = TextBuffer(text)
    for edit in edits:
        buffer.end_undo_step() if edit is None else buffer.replace(*edit)
    assert undone(buffer) == versions


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
