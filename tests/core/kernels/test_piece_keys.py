"""Rows that say which tokens a short piece becomes, as interpreted code sees them."""

from __future__ import annotations

import numpy as np
import pytest

from guiapp.core.kernels import piece_keys
from guiapp.core.kernels.piece_cache import empty_rows
from guiapp.core.kernels.piece_keys import KEY, NO_BITS, TOO_LONG

N_ROWS = 2  # one pair: all pieces meet


@pytest.fixture(autouse=True)
def _hashes_may_wrap_around():
    with np.errstate(over="ignore"):
        yield


def keys_of(*pieces: bytes, behind: bytes = b"") -> np.ndarray:
    text = np.frombuffer(bytearray(b"".join(pieces) + behind), np.uint8)
    keys = np.zeros(KEY * len(pieces), np.uint64)
    ends = np.cumsum([len(piece) for piece in pieces])
    piece_keys.key_pieces(text, 0, ends, len(pieces), NO_BITS, empty_rows(N_ROWS), keys)
    return keys


def look_up(rows: np.ndarray, keys: np.ndarray) -> tuple[int, list[int]]:
    """How many pieces were found, and their ids."""
    n_pieces = len(keys) // KEY
    out = np.zeros(4 * n_pieces + 4, np.int32)
    found = piece_keys.look_up(keys, 0, n_pieces, rows, out, 0)
    return found >> 32, out[: found & 0xFFFFFFFF].tolist()


def kept(rows: np.ndarray, piece: bytes, ids: list[int]) -> None:
    piece_keys.keep_short(rows, keys_of(piece), 0, np.array(ids, np.int32), 0, len(ids))


def test_a_key_does_not_depend_on_what_follows_the_piece():
    for piece in (b"a", b"eight by", b"fifteen letters"):
        assert keys_of(piece).tolist() == keys_of(piece, behind=b"and then some more").tolist()


def test_pieces_that_differ_have_keys_that_differ():
    pieces = [
        b"",
        b"\0",
        b"\0\0",
        b"a",
        b"a\0",
        b"12345678",
        b"12345678\0",
        b"123456789",
        b"15 bytes of text",
    ]
    assert len({tuple(keys_of(piece)[:2].tolist()) for piece in pieces}) == len(pieces)


def test_a_piece_too_long_for_a_row_is_never_found():
    keys = keys_of(b"sixteen letters!")
    assert keys[0] == keys[1] == TOO_LONG
    assert look_up(empty_rows(N_ROWS), keys) == (0, [])


def test_pieces_are_found_up_to_the_first_that_is_new():
    rows = empty_rows(N_ROWS)
    kept(rows, b"one", [1])
    kept(rows, b"many", [1 << 29, 2, 3, 4])
    assert look_up(rows, keys_of(b"many", b"one", b"new", b"one")) == (2, [1 << 29, 2, 3, 4, 1])


def test_of_three_pieces_for_one_pair_of_rows_the_one_not_used_since_is_forgotten():
    rows = empty_rows(N_ROWS)
    kept(rows, b"two", [2])
    kept(rows, b"one", [1])
    assert look_up(rows, keys_of(b"one")) == (1, [1])
    kept(rows, b"three", [3])
    assert look_up(rows, keys_of(b"two")) == (0, [])
    assert look_up(rows, keys_of(b"three", b"one")) == (2, [3, 1])


def test_of_equal_tokens_the_first_is_known():
    texts = [b"ab", b"", b"b", b"ab", b"a text of seventeen"]
    known = empty_rows(16)
    offsets = np.cumsum([0, *map(len, texts)])
    piece_keys.enter_tokens(known, np.frombuffer(bytearray(b"".join(texts)), np.uint8), offsets, len(texts))
    ids = np.zeros(8, np.int32)
    for text, token in ((b"ab", 0), (b"b", 2)):
        low, high, _ = keys_of(text)
        row = piece_keys.find_known(known, low, high | piece_keys.WHOLE_BIT)
        assert piece_keys.write_ids(known, row, ids, 0) == 1
        assert ids[0] == token
    assert np.count_nonzero(known.reshape(-1, 4)[:, 1]) == 2
