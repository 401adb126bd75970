"""Encoders of pieces that match tokens rather than merge."""

from __future__ import annotations

import numpy as np

from guiapp.native.binding import Bytes, Handle, TokenColumns, WideInts, function, tokens_by
from guiapp.native.pairs import PairModel
from guiapp.native.token_tree import TokenTreeHandle

_greedy_encode = function("greedy_encode(handle, handle, bytes, wide_ints, >tokens)")
_fewest_encode = function("fewest_encode(handle, handle, unsigned, bytes, wide_ints, >tokens)")
_backtrack_encode = function("backtrack_encode(handle, handle, bytes, wide_ints, >tokens)")
_table_encode = function("table_encode(handle, handle, bytes, wide_ints, >tokens)")
_longest_symbol = function("pairs_longest_symbol(handle)")
_derivations_new = function("derivations_new(handle, >flags) -> handle")
_are_compatible = function("are_compatible(handle, int, int)")


class DerivationsHandle(Handle, free="derivations_free"):
    """How merging makes each symbol of a model, which is to have no longer ones than 4096 bytes.

    is_reached  bool[symbols]: whether a symbol comes out of merging its own text
    """

    def __init__(self, model: PairModel) -> None:
        self.is_reached = np.empty(len(model), np.bool_)
        super().__init__(_derivations_new(model, self.is_reached), model)

    def are_compatible(self, left: int, right: int) -> bool:
        """Whether merging leaves two symbols side by side, which are reached."""
        return bool(_are_compatible(self, left, right) > 0)


def longest_symbol(model: PairModel) -> int | None:
    """The length of the longest symbol in bytes; None where one ends within a character."""
    longest = int(_longest_symbol(model))
    return None if longest < 0 else longest


def encode_greedy(
    model: PairModel, tree: TokenTreeHandle, text: Bytes, ends: WideInts, room: int
) -> TokenColumns:
    """The longest token, again and again, in pieces that end at `ends`.

    tree  of the bytes that the tokens of the model stand for
    room  for as many tokens as can stand for each byte
    """
    return tokens_by(_greedy_encode, model, tree, text, ends, room=room)


def encode_fewest(
    model: PairModel,
    tree: TokenTreeHandle,
    dropout: tuple[int, int],
    text: Bytes,
    ends: WideInts,
    room: int,
) -> TokenColumns:
    """As few tokens as possible; dropout: how many of 2**32 uses are ruled out, and a random state, not 0."""
    chance = dropout[0] << 32 | dropout[1]
    return tokens_by(_fewest_encode, model, tree, chance, text, ends, room=room)


def encode_linear(
    derivations: DerivationsHandle,
    tree: TokenTreeHandle,
    by_table: bool,
    text: Bytes,
    ends: WideInts,
    room: int,
) -> TokenColumns:
    """The compatible symbols, found with steps back or by a table; the tree is of all that are reached."""
    encode = _table_encode if by_table else _backtrack_encode
    return tokens_by(encode, derivations, tree, text, ends, room=room)
