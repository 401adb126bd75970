from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp.analysis.editing.text_buffer import MAX_BLOCK_BYTES, BlockSplice, TextBlocks, TextBuffer
from guiapp.core.text.character_starts import character_start


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


def edited(text, start, end, new):
    """The splice of an edit, and where the blocks begin then."""
    buffer = TextBuffer(text)
    blocks = TextBlocks(buffer)
    splice = blocks.apply(buffer.replace(start, end, new))
    return splice, blocks.starts.tolist()


X = b"x" * 10_000
PARTS = [0, 1024, 2048, 3072, 4096, 5120, 6144]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        (b"", [0]),
        (b"x" * 4096, [0]),
        (b"x" * 4097, [0, 1024]),
        (X, PARTS),
        (b"\n" + b"x" * 4097 + b"\n", [0, 1, 1025, 2049 + 2050]),
        (b"x" * 1000 + b" " + b"x" * 4000, [0, 1001]),
        (b"x" * 1023 + b" " + b"x" * 4000, [0, 1024]),
        (b"x" * 1024 + b" " + b"x" * 4000, [0, 1024]),
        (b"x" * 768 + b" " + b"x" * 4000, [0, 769]),
        (b"x" * 767 + b" " + b"x" * 4000, [0, 1024]),
    ],
)
def test_lines_and_parts_of_long_lines_are_blocks(text, starts):
    assert TextBlocks(TextBuffer(text)).starts.tolist() == starts


def test_blocks_know_their_ends_and_what_they_hold():
    blocks = TextBlocks(TextBuffer(b"ab\n\ncd"))
    assert [(blocks.start(block), blocks.end(block)) for block in range(len(blocks))] == [
        (0, 3),
        (3, 4),
        (4, 6),
    ]
    assert [blocks.block_at(offset) for offset in range(7)] == [0, 0, 0, 1, 2, 2, 2]


@pytest.mark.parametrize(
    ("text", "edit", "splice", "starts"),
    [
        (b"ab\ncd", (1, 1, b"\n"), (0, 1, 2), [0, 2, 4]),
        (b"ab\ncd", (1, 1, b"x"), (0, 1, 1), [0, 4]),
        (b"ab\ncd\ne", (2, 6, b""), (0, 3, 1), [0]),
        (b"ab\ncd\ne", (1, 4, b"X\nY"), (0, 2, 2), [0, 3, 6]),
        (X, (1100, 1612, b""), (1, 1, 1), [0, 1024, *(at - 512 for at in PARTS[2:])]),
        (X, (1100, 1613, b""), (1, 2, 1), [0, 1024, *(at - 513 for at in PARTS[3:])]),
        (X, (9000, 9999, b""), (6, 1, 1), PARTS),
        (X, (6200, 9999, b""), (6, 1, 1), PARTS),
        (b"ab\n" + X, (0, 1, b""), (0, 1, 1), [0, *(at + 2 for at in PARTS)]),
        (X, (0, 0, b"y" * 3072), (0, 1, 1), [0, *(at + 3072 for at in PARTS[1:])]),
        (X, (0, 0, b"y" * 3073), (0, 1, 2), [0, 1024, *(at + 3073 for at in PARTS[1:])]),
    ],
    ids=[
        "a line more",
        "typed",
        "lines less",
        "lines changed",
        "a small part",
        "joined",
        "in the last one",
        "a small last one",
        "a short line before a long one",
        "a part that is full",
        "a part too long",
    ],
)
def test_an_edit_cuts_only_the_blocks_anew_that_it_touches(text, edit, splice, starts):
    assert edited(text, *edit) == (BlockSplice(*splice), starts)


def test_long_lines_are_cut_behind_spaces():
    text = b"some words " * 2000
    assert all(text[start - 1 : start] == b" " for start in TextBlocks(TextBuffer(text)).starts[1:])


@pytest.mark.parametrize("unit", ["字", "e\u0301", "🇩🇪", "👨‍👩‍👧", "שלום", "👍🏻", "👍🏽", "👍🏿"])
def test_cuts_without_spaces_lie_between_characters(unit):
    text = (unit * 5000).encode()
    starts = TextBlocks(TextBuffer(text)).starts.tolist()
    assert len(starts) > 2
    assert all(character_start(text, start) == start for start in starts)
    assert all(text[start:].decode()[0] not in "\u0301\u200d🏻🏽🏿" for start in starts)


def test_bytes_that_are_no_text_are_cut_too():
    assert_well_cut(TextBlocks(TextBuffer(b"\x80" * 50_000)), b"\x80" * 50_000)


def test_a_text_that_ends_in_a_newline_has_an_empty_last_block():
    assert TextBlocks(TextBuffer(b"a\n")).starts.tolist() == [0, 2]


def test_lines_joined_by_erasing_the_newline_are_one_block():
    buffer = TextBuffer(b"ab\ncd\n")
    blocks = TextBlocks(buffer)
    blocks.apply(buffer.replace(2, 3, b""))
    assert blocks.starts.tolist() == [0, 5]


@pytest.mark.parametrize(
    ("before", "after", "cut"),
    [
        *(("a", "b", "between"), ("a", "1", "between"), ("a", "!", "between"), ("a", "+", "between")),
        *(("a", "\u3000", "between"), ("a", "\u0301", "before"), ("a", "\x01", "before")),
        *(("ا", "ب", "before"), ("ا", "b", "between"), ("a", "ب", "between"), ("א", "ב", "between")),
        *(("a", "🇩", "before"), ("🇩", "a", "between"), ("a", "\U0001f1ff", "before")),
        *(("a", "\U0001f1e6", "before"), ("a", "\U0001f200", "between"), ("a", "🏺", "between")),
        *(("a", "🏻", "before"), ("a", "🏿", "before"), ("a", "🐀", "between"), ("\u200d", "a", "anywhere")),
    ],
)
def test_a_line_without_spaces_is_cut_between_characters_that_do_not_join(before, after, cut):
    """All others around the two are accents, which join what is before them."""
    text = "\u0301" * 450 + before + after + "\u0301" * 3000
    cuts = {"between": 900 + len(before.encode()), "before": 900, "anywhere": 1024}
    assert TextBlocks(TextBuffer(text.encode())).starts[1] == cuts[cut]
