"""Which bytes and characters a character map leaves alone as long as only such follow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.charsmap import (
    IS_LEAF,
    LABEL,
    SPACE,
    Charsmap,
    children,
    edges_of,
    own_bases,
    plain_bytes,
)
from guiapp.native.checkpoint import checkpoint

N_CODES = 1 << 16
ASCII_END = 0x80
MOST_BEGINNINGS = 1 << 17  # of keys, of one length; XLM-RoBERTa has half as many
LONGEST_KEY = 64  # bytes; real maps have fewer than 20


ANYTHING, PLAIN, IN_USER_DEFINED, TWO_BYTES, THREE_BYTES = range(5)


def lead_kinds(charsmap: Charsmap, user_defined: Sequence[bytes]) -> NDArray[np.uint8]:
    """uint8[256]: what may begin with a byte.

    PLAIN            no space, and stays as it is where ASCII or nothing follows
    IN_USER_DEFINED  one of these user-defined tokens
    TWO_BYTES, THREE_BYTES  a character of this size
    """
    kinds = np.where(plain_bytes(charsmap), PLAIN, ANYTHING).astype(np.uint8)
    kinds[SPACE] = ANYTHING
    kinds[0xC0:0xE0] = TWO_BYTES
    kinds[0xE0:0xF0] = THREE_BYTES
    kinds[[text[0] for text in user_defined if text]] = IN_USER_DEFINED
    return kinds


def stable_characters(charsmap: Charsmap) -> NDArray[np.bool_]:
    """bool[65536]: characters of two or three bytes, by code point, that stay as they are among their like.

    A stretch of such characters and of `plain_bytes` is not changed, unless a character that is neither
    follows: with that one its last may be a key.  Settled is a character that is no key itself, stands in
    none behind another character, and begins none that goes on with ASCII.  Where keys are not made of whole
    characters, or are too many, none is.
    """
    settled = np.ones(N_CODES, np.bool_)
    settled[:ASCII_END] = False
    if len(charsmap.units) == 0:
        return settled
    none_settled = np.zeros(N_CODES, np.bool_)
    units = charsmap.units.astype(np.int64)
    edges, parents = edges_of(units)
    own = own_bases(units)
    bases = own[:1]
    firsts, codes, missing = np.full(1, -1), np.zeros(1, np.int64), np.zeros(1, np.int64)
    for _ in range(LONGEST_KEY):
        checkpoint()
        level, counts = children(parents, bases)
        if len(level) > MOST_BEGINNINGS:  # ends may be shared: then what leads to them is often the same, too
            bases, firsts, codes, missing = np.unique(np.stack([bases, firsts, codes, missing]), axis=1)
            level, counts = children(parents, bases)
            if len(level) > MOST_BEGINNINGS:
                return none_settled
        origins, nodes = np.repeat(np.arange(len(bases)), counts), edges[level]
        byte = (nodes ^ bases[origins]) & LABEL
        firsts, codes, missing = firsts[origins], codes[origins], missing[origins]
        follows = byte & 0xC0 == 0x80
        lengths = 1 + (byte >= 0xC0) + (byte >= 0xE0) + (byte >= 0xF0)
        lead_bits = byte & (0x7F >> np.where(lengths > 1, lengths, 0))
        codes = np.where(follows, codes << 6 | byte & 0x3F, lead_bits)
        is_wrong = follows != (missing > 0)
        missing = np.where(follows, missing, lengths) - 1
        is_whole, is_leaf = missing == 0, units[nodes] & IS_LEAF > 0
        if np.any(is_wrong | (is_leaf & ~is_whole)):
            return none_settled
        is_first = is_whole & (firsts < 0)
        is_later = is_whole & ~is_first
        for changed in (firsts[is_later & (codes < ASCII_END)], codes[is_later], codes[is_first & is_leaf]):
            settled[changed[changed < N_CODES]] = False
        firsts = np.where(is_first, codes, firsts)
        bases = own[nodes] ^ nodes
    return none_settled if len(bases) else settled
