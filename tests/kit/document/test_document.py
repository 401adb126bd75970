"""The text that is edited: its lines, caret, steps of undo, and what people see as characters and words."""

from __future__ import annotations

import pytest
from signals import record_signals

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.kit.document.document import TextDocument

FAMILY = "👨‍👩‍👧".encode()


@pytest.fixture
def document(qapp):
    return TextDocument(b"caf\xc3\xa9 noir\r\nx\xff")


def stops(document: TextDocument, move, start: int) -> list[int]:
    offsets = [start]
    while (after := move(offsets[-1])) != offsets[-1]:
        offsets.append(after)
    return offsets


def test_an_edit_is_emitted_at_once_and_moves_the_caret_after_it(document, qtbot):
    edits = []
    document.edited.connect(edits.append)
    with qtbot.waitSignals([document.selection_changed, document.undo_changed]):
        document.replace(0, 3, b"th")
        assert edits == [TextEdit(0, 3, 2, more_characters=-1)]
    assert document.text().startswith(b"th\xc3\xa9")
    assert document.caret == document.anchor == 2


def test_typing_replaces_the_selection(document):
    document.select(0, 5)
    document.insert(b"vin")
    assert document.text() == b"vin noir\r\nx\xff"


def test_moving_the_caret_ends_a_step_of_undo(document):
    document.insert(b"a")
    document.set_caret(3)
    document.set_caret(1)
    document.insert(b"b")
    document.undo()
    assert document.text().startswith(b"acaf")


def test_a_caret_stands_neither_within_a_character_nor_within_crlf(document):
    document.set_caret(4)
    assert document.caret == 3
    document.set_caret(11)
    assert document.caret == 10


def test_graphemes_forward_and_backward_agree(qapp):
    document = TextDocument(b"a" + FAMILY + "🇩🇪e\u0301\r\n".encode() + b"\xff\xe2\x82")
    forward = stops(document, lambda at: document.next_grapheme(at) if at < document.size else at, 0)
    backward = stops(document, lambda at: document.previous_grapheme(at) if at else at, document.size)
    assert forward == [0, 1, 19, 27, 30, 32, 33, 34, 35]
    assert backward == forward[::-1]


def test_an_emoji_before_indic_letters_is_not_parted(qapp):
    document = TextDocument("a🚀क".encode())
    assert (document.next_grapheme(1), document.previous_grapheme(5)) == (5, 1)


def test_erasing_takes_an_invisible_character_and_leaves_the_letter_before_it(qapp):
    document = TextDocument("a\ufe0f\U000e0100\u200dक\u094d\u200dषb❤\ufe0f\ufe0f".encode())
    forward = stops(document, lambda at: document.next_grapheme(at) if at < document.size else at, 0)
    backward = stops(document, lambda at: document.previous_grapheme(at) if at else at, document.size)
    assert forward == [0, 1, 4, 8, 11, 17, 20, 23, 24, 30, 33]
    assert backward == forward[::-1]


@pytest.mark.parametrize("mark", ["\ufeff", "\ufffe"])
def test_a_byte_order_mark_is_a_character_of_its_own(qapp, mark):
    document = TextDocument(f"{mark}ab cd".encode())
    assert stops(document, document.previous_grapheme, 8) == [8, 7, 6, 5, 4, 3, 0]
    assert stops(document, document.next_grapheme, 0) == [0, 3, 4, 5, 6, 7, 8]
    assert document.next_word(3) == 6
    assert document.word_span(7) == (6, 8)


def test_words_stop_at_words_and_line_ends(document):
    forward = stops(document, lambda at: document.next_word(at) if at < document.size else at, 0)
    backward = stops(document, lambda at: document.previous_word(at) if at else at, document.size)
    assert forward == backward[::-1] == [0, 6, 10, 12, 14]


def test_a_selection_goes_either_way(document, qtbot):
    signals = record_signals(document)
    document.select(5, 1)
    assert (document.anchor, document.caret, document.selection, document.has_selection) == (
        5,
        1,
        (1, 5),
        True,
    )
    document.set_caret(7, extend=True)
    assert (document.anchor, document.caret, document.selection) == (5, 7, (5, 7))
    document.set_caret(7)
    assert (document.anchor, document.has_selection) == (7, False)
    document.set_caret(7)
    assert signals == ["selection_changed"] * 3
    document.select_all()
    assert (document.anchor, document.caret) == (0, document.size)
    document.select(4, 11)  # neither within a character, nor within CRLF
    assert (document.anchor, document.caret) == (3, 10)


@pytest.mark.parametrize(
    ("span", "whole"),
    [
        ((0, 0), (0, 0)),
        ((0, 3), (0, 4)),
        ((1, 2), (1, 4)),
        ((1, 1), (1, 1)),
        ((0, 1), (0, 1)),
        ((2, 3), (1, 4)),
        ((3, 4), (1, 4)),
        ((1, 3), (1, 4)),
        ((5, 5), (4, 6)),
        ((4, 5), (4, 6)),
        ((6, 8), (6, 7)),
    ],
)
def test_a_span_is_extended_to_whole_characters(qapp, span, whole):
    document = TextDocument("a世\r\nb".encode())
    assert document.whole_characters(*span) == whole


def test_the_span_of_the_word_at_an_offset_is_found(qapp):
    document = TextDocument("one,  two 😍x\nz".encode())
    assert [document.word_span(at) for at in (0, 2, 3, 4, 5, 6, 10, 14, 16)] == [
        *[(0, 3)] * 2,
        (3, 4),
        *[(4, 6)] * 2,
        (6, 9),
        (10, 14),
        (14, 15),
        (16, 17),
    ]
    assert document.word_span(document.size) == (17, 17)
