"""Pieces are cut where no token reaches across, whatever the characters and the room for ends are."""

import random
from collections.abc import Iterator

import numpy as np
import pytest

from guiapp.core.kernels.pair_cuts import MARKED_SPACE_CODE, PairCuts, enter_pairs
from guiapp.core.kernels.piece_parts import cut_ends

TOKENS = ("あい", "いう", "うー。", "、１", " あ", "3。", "12", "á日", "日本語", "本🚀")
CHARACTERS = "あいうー。、１ ▁123á日本語🚀"


def cuts_of(strings: list[bytes], marks_spaces: bool) -> PairCuts:
    """Those of a table in which no two pairs share a bit."""
    marked_space = MARKED_SPACE_CODE if marks_spaces else -1
    others = np.zeros(1 << 12, np.uint64)
    cuts = PairCuts(np.zeros(256, np.uint64), others, 0x2545F4914F6CDD1D, marked_space, False)
    enter_pairs(cuts, *joined(strings))
    return cuts


def joined(strings: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    data = np.frombuffer(bytearray(b"".join(strings)), np.uint8)
    return data, np.cumsum([0, *map(len, strings)], dtype=np.int64)


def ends_of(text: bytes, cuts: PairCuts, n_ends: int) -> Iterator[int]:
    """All ends, a block of `n_ends` at a time."""
    data, ends = np.frombuffer(bytearray(text), np.uint8), np.empty(n_ends, np.int64)
    start = 0
    while start < len(data):
        with np.errstate(over="ignore"):
            count = cut_ends(data, ends, start, len(data), cuts)
        assert 0 < count <= n_ends
        yield from ends[:count].tolist()
        start = int(ends[count - 1])


@pytest.mark.parametrize("n_ends", [1, 2, 7, 512])
@pytest.mark.parametrize("marks_spaces", [False, True])
def test_parts_end_where_no_token_holds_both_neighbours(n_ends, marks_spaces):
    cuts = cuts_of([token.encode() for token in TOKENS], marks_spaces)
    neighbours = {token[at : at + 2] for token in TOKENS for at in range(len(token) - 1)}
    draw = random.Random(n_ends)
    for _ in range(60):
        text = "".join(draw.choices(CHARACTERS, k=draw.randrange(1, 40)))
        plain = text.replace("▁", " ") if marks_spaces else text
        whole = range(1, len(text))
        expected = [len(text[:at].encode()) for at in whole if plain[at - 1 : at + 1] not in neighbours]
        assert list(ends_of(text.encode(), cuts, n_ends)) == [*expected, len(text.encode())]


def test_broken_characters_end_parts_like_whole_ones():
    cuts = cuts_of(["あい".encode()], False)
    assert list(ends_of("あい".encode() + b"\xe3\x81", cuts, 8)) == [6, 8]
    assert list(ends_of(b"\xe3\x81" + "あいあ".encode(), cuts, 8)) == [3, 4, 5, 8, 11]
