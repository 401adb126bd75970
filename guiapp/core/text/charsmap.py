"""The precompiled character map of a Unigram vocabulary: which byte sequences become which others.

A map is a trie in an array of 32-bit units, in which the index of a child is its parent's base XOR its byte,
followed by the replacements, each ended by a NUL.  When a map is opened, everything that a text can reach is
checked, and damaged parts are cut off, so that matching needs no checks.
Format: `precompiled_charsmap` of https://github.com/google/sentencepiece.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.utf8 import is_text
from guiapp.native.checkpoint import checkpoint

BASE_SHIFT = 10
ROOT = 0
N_CODES = 1 << 16
ASCII_END = 0x80
MOST_BEGINNINGS = 1 << 17  # of keys, of one length; XLM-RoBERTa has half as many
LONGEST_STABLE_KEY = 64  # bytes; real maps have fewer than 20
ANYTHING, PLAIN, IN_USER_DEFINED, TWO_BYTES, THREE_BYTES = range(5)
HEADER_BYTES = 4
LONGEST_KEY = 1024  # bytes; real maps need fewer than 20, and matching costs up to this at each position
MOST_WAYS = 8  # average number of paths to an edge; in real maps one, or a few if ends are shared
IS_VALUE = 0x80000000
IS_LEAF = 0x100
LABEL = 0xFF
NEWLINE = 0x0A
OUTSIDE = "points outside its table"
WITHOUT_END = "has a replacement that is out of range or has no end"
SPACE = 0x20


class Charsmap(NamedTuple):
    """A checked character map; without units it changes nothing.

    units         uint32[n]  the trie
    replacements  uint8[m]   NUL-terminated
    spaces        bool[256]  bytes that become one space wherever they occur
    later         bool[256]  bytes that occur in keys after the first byte
    is_whole      whether replacements consist of whole characters
    growth        the most characters per byte that a text can become
    damage        the fault, as the end of a sentence; llama.cpp gives up if a text reaches it
    has_long_keys whether keys may be longer than LONGEST_KEY, up to which they are matched
    """

    units: NDArray[np.uint32]
    replacements: NDArray[np.uint8]
    spaces: NDArray[np.bool_]
    later: NDArray[np.bool_]
    is_whole: bool
    growth: float
    damage: str = ""
    has_long_keys: bool = False


def open_charsmap(data: NDArray[np.uint8]) -> Charsmap:
    """Check a character map as in the file, header included; no bytes are a map that changes nothing.

    Raises ValueError with the fault, as the end of a sentence, if llama.cpp cannot load it: it looks up a
    newline at that time.
    """
    if len(data) == 0:
        return _unchanging(np.zeros(0, np.uint8))
    size = int.from_bytes(data[:HEADER_BYTES].tobytes(), "little")
    if len(data) < HEADER_BYTES or HEADER_BYTES + size >= len(data):
        raise ValueError(f"is too short: {len(data):,} of at least {HEADER_BYTES + size + 1:,} bytes")
    units = np.frombuffer(bytearray(data[HEADER_BYTES : HEADER_BYTES + size // 4 * 4]), "<u4").astype(
        np.uint32
    )
    replacements = data[HEADER_BYTES + size :].copy()
    if len(units) == 0:
        return _unchanging(replacements)
    return _checked(units, replacements)


def _unchanging(replacements: NDArray[np.uint8]) -> Charsmap:
    return Charsmap(np.zeros(0, np.uint32), replacements, _only_space(), np.zeros(256, np.bool_), True, 1.0)


def longest_match(charsmap: Charsmap, text: bytes, at: int) -> tuple[bytes, int] | None:
    """The replacement of the longest key that text[at:] begins with, and the length of that key."""
    if len(charsmap.units) == 0:
        return None
    match = None
    node = _base(int(charsmap.units[0]))
    for length, byte in enumerate(text[at : at + LONGEST_KEY], 1):
        node ^= byte
        unit = int(charsmap.units[node])
        if byte == 0 or unit & (IS_VALUE | LABEL) != byte:
            break
        node ^= _base(unit)
        if unit & IS_LEAF:
            start = int(charsmap.units[node]) & (IS_VALUE - 1)
            match = start, length
    if match is None:
        return None
    start, length = match
    return charsmap.replacements[start:].tobytes().partition(b"\0")[0], length


def plain_bytes(charsmap: Charsmap) -> NDArray[np.bool_]:
    """bool[256]: ASCII bytes that are unchanged if ASCII or nothing follows."""
    is_plain = np.arange(256) < 0x80
    if len(charsmap.units) == 0:
        return is_plain
    codes = np.arange(1, 0x80)
    wide = charsmap.units.astype(np.int64)
    first = _base(int(charsmap.units[0])) ^ codes
    begins = np.flatnonzero(wide[first] & (IS_VALUE | LABEL) == codes)
    units, nodes = wide[first[begins]], first[begins]
    below = nodes ^ ((units >> 10) << ((units & 0x200) >> 6))
    goes_on = (wide[below[:, None] ^ codes] & (IS_VALUE | LABEL) == codes).any(axis=1)
    is_plain[codes[begins[goes_on | (units & IS_LEAF > 0)]]] = False
    return is_plain


def _base(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


def edges_of(units: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All nodes but the root, and the base of each one's parent, sorted by it; parents may share a base."""
    labels = units & (IS_VALUE | LABEL)
    edges = np.flatnonzero((labels > 0) & (labels <= LABEL))
    parents = edges ^ labels[edges]
    order = np.argsort(parents, kind="stable")
    return edges[order], parents[order]


def children(
    parents: NDArray[np.int64], bases: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The indices of the edges below these bases, base by base, and the number of edges of each base."""
    begins = np.searchsorted(parents, bases)
    counts = np.searchsorted(parents, bases, "right") - begins
    return np.arange(counts.sum()) + np.repeat(begins - np.cumsum(counts) + counts, counts), counts


def own_bases(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each node, the number to XOR with its index for the base of its children."""
    return (units >> 10) << ((units & 0x200) >> 6)


def _checked(units: NDArray[np.uint32], replacements: NDArray[np.uint8]) -> Charsmap:
    """Check everything that can be reached, as the first byte of a key or as a later one."""
    damage = _cut_off_outside(units, replacements)
    units = np.append(units, np.zeros(-len(units) % (LABEL + 1), np.uint32))
    wide = units.astype(np.int64)
    labels, own = wide & LABEL, own_bases(wide)
    edges, parents = edges_of(wide)
    spaces, later, is_whole = _only_space(), np.zeros(256, np.bool_), is_text(replacements.tobytes())
    n_characters = _characters_to_end(replacements)
    growth = 1.0
    for depth, level in enumerate(_levels(edges, parents, own)):
        reached = edges[level]
        bases = own[reached] ^ reached
        is_leaf = wide[reached] & IS_LEAF > 0
        outputs = wide[bases[is_leaf]] & (IS_VALUE - 1)
        growth = max(growth, int(n_characters[outputs].max(initial=0)) / (depth + 1))
        is_whole = is_whole and not np.any(replacements[outputs] & 0xC0 == 0x80)
        if depth:
            later[labels[reached]] = True
        else:
            spaces[labels[reached]] = False
            becomes_space = (replacements[outputs] == SPACE) & (
                replacements[np.minimum(outputs + 1, len(replacements) - 1)] == 0
            )
            spaces[labels[reached[is_leaf]]] = becomes_space & ~np.isin(bases[is_leaf], parents)
    has_long_keys = _has_long_keys(edges, parents, own)
    return Charsmap(units, replacements, spaces & ~later, later, is_whole, growth, damage, has_long_keys)


def _levels(
    edges: NDArray[np.int64], parents: NDArray[np.int64], own: NDArray[np.int64]
) -> Iterator[NDArray[np.int64]]:
    """The edges of first bytes of keys, then those of second bytes, and so on; later ones once each."""
    is_known = np.zeros(len(edges), np.bool_)
    level, _ = children(parents, own[:1])
    for _ in range(LONGEST_KEY):
        checkpoint()
        if len(level) == 0:
            return
        yield level
        level, _ = children(parents, np.unique(own[edges[level]] ^ edges[level]))
        level = level[~is_known[level]]
        is_known[level] = True


def _has_long_keys(edges: NDArray[np.int64], parents: NDArray[np.int64], own: NDArray[np.int64]) -> bool:
    """Whether keys are longer than LONGEST_KEY, or edges share targets too often to decide."""
    bases, n_seen = own[:1], 0
    for _ in range(LONGEST_KEY + 1):
        checkpoint()
        level, _ = children(parents, bases)
        n_seen += len(level)
        if len(level) == 0 or n_seen > MOST_WAYS * len(edges):
            return len(level) > 0
        bases = np.unique(own[edges[level]] ^ edges[level])
    return True


def _cut_off_outside(units: NDArray[np.uint32], replacements: NDArray[np.uint8]) -> str:
    """Remove edges that lead out of the table or the replacements; return the damage, or ""."""
    size, wide = len(units), units.astype(np.int64)
    root = int(own_bases(wide[:1])[0])
    newline = root ^ NEWLINE
    if newline >= size:
        raise ValueError(OUTSIDE)
    own = own_bases(wide)
    edges, parents = edges_of(wide)
    edges = edges[np.unique(np.concatenate([np.zeros(0, np.int64), *_levels(edges, parents, own)]))]
    bases = edges ^ own[edges]
    is_leaf = wide[edges] & IS_LEAF > 0
    is_outside = bases >= size
    ends = np.flatnonzero(replacements == 0)
    starts = wide[np.minimum(bases, size - 1)] & (IS_VALUE - 1)
    is_wrong = is_leaf & (is_outside | (starts > (ends[-1] if len(ends) else -1)))
    if newline in edges[is_wrong]:
        raise ValueError(OUTSIDE if newline in edges[is_outside] else WITHOUT_END)
    units[edges[is_wrong]] &= ~np.uint32(IS_LEAF)
    is_lost = bases & ~LABEL >= size
    units[edges[is_lost]] = IS_VALUE
    can_get_out = np.append(bases, root) | LABEL >= size
    if can_get_out.any():
        return OUTSIDE
    return WITHOUT_END if is_wrong.any() else ""


def _characters_to_end(replacements: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of characters of a replacement from each offset; an upper bound if it is not UTF-8."""
    ends = np.flatnonzero(replacements == 0)
    if len(ends) == 0:
        return np.zeros(len(replacements), np.int64)
    n_before = np.concatenate([[0], np.cumsum(replacements & 0xC0 != 0x80)])
    offsets = np.arange(len(replacements))
    own_end = ends[np.minimum(np.searchsorted(ends, offsets), len(ends) - 1)]
    match: NDArray[np.int64] = n_before[own_end] - n_before[offsets]
    return match


def _only_space() -> NDArray[np.bool_]:
    spaces = np.zeros(256, np.bool_)
    spaces[SPACE] = True
    return spaces


def lead_kinds(charsmap: Charsmap, user_defined: Sequence[bytes]) -> NDArray[np.uint8]:
    """uint8[256]: what may begin with a byte.

    PLAIN            no space, and unchanged if ASCII or nothing follows
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
    """bool[65536]: characters of two or three bytes, by code point, that are unchanged among others of them.

    A run of such characters and of `plain_bytes` is unchanged, unless another character follows: the last one
    may form a key with it.  A stable character is not a key itself, is in no key after another character, and
    begins no key that continues with ASCII.  If keys do not consist of whole characters, or there are too
    many, no character is stable.
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
    for _ in range(LONGEST_STABLE_KEY):
        checkpoint()
        level, counts = children(parents, bases)
        if len(level) > MOST_BEGINNINGS:  # if ends are shared, their prefixes often coincide, too
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


@dataclass
class _Node:
    children: dict[int, _Node] = field(default_factory=dict)
    value: int | None = None


def build_charsmap(replacements: Mapping[str, str]) -> bytes:
    """The table for these replacements in little-endian order, size header included.

    Sources must not be empty, and neither side may contain U+0000, which ends a string in this format.

    The table is a byte trie folded into one array of 32-bit units (a double array, as darts-clone writes it),
    followed by the replacements, each ended by a NUL byte.  A node at position `p` has its children at
    `p ^ base ^ byte`; where a string ends, the unit at `p ^ base` holds the start of its replacement.
    """
    root, texts = _build_trie(replacements)
    units: dict[int, int] = {ROOT: 0}
    bases: set[int] = set()
    waiting = [(root, ROOT)]
    lowest_free = 1
    while waiting:
        node, position = waiting.pop()
        labels = sorted(node.children)
        if node.value is not None:
            labels.insert(0, 0)
        while lowest_free in units:
            lowest_free += 1
        base = _free_base(units, bases, labels, lowest_free)
        bases.add(base)
        units[position] |= (position ^ base) << BASE_SHIFT
        if node.value is not None:
            units[position] |= IS_LEAF
            units[base] = IS_VALUE | node.value
        for label, child in sorted(node.children.items()):
            units[base ^ label] = label
            waiting.append((child, base ^ label))
    size = (max(units) | 0xFF) + 1  # whole blocks, so that no byte leads out of the array
    blob = struct.pack(f"<{size}I", *(units.get(position, 0) for position in range(size)))
    return struct.pack("<I", len(blob)) + blob + texts


def _build_trie(replacements: Mapping[str, str]) -> tuple[_Node, bytes]:
    root, texts = _Node(), bytearray()
    for source, target in sorted(replacements.items()):
        if not source or "\0" in source + target:
            raise ValueError(f"cannot map {source!r} to {target!r}")
        node = root
        for byte in source.encode():
            node = node.children.setdefault(byte, _Node())
        node.value = len(texts)
        texts += target.encode() + b"\0"
    return root, bytes(texts)


def _free_base(units: Mapping[int, int], bases: set[int], labels: list[int], lowest_free: int) -> int:
    """The first base with a free position per label that no other node has, lest they share children."""
    first = lowest_free
    while True:
        base = first ^ labels[0]
        if base not in bases and all(base ^ label not in units for label in labels):
            return base
        first += 1
