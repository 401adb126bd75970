"""Building a `precompiled_charsmap`: SentencePiece's table of what a normaliser replaces by what.

The table is a byte trie folded into one array of 32-bit units (a double array, as the darts-clone library
writes it), followed by the replacements, each ended by a NUL byte.  A node at position `p` keeps its
children at `p ^ base ^ byte`; where a string ends, the unit at `p ^ base` says where its replacement starts.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

HAS_VALUE = 1 << 8
IS_VALUE = 1 << 31
BASE_SHIFT = 10
ROOT = 0


@dataclass
class _Node:
    children: dict[int, _Node] = field(default_factory=dict)
    value: int | None = None


def build_charsmap(replacements: Mapping[str, str]) -> bytes:
    """The table for these replacements, byte order and size header included.

    Sources must not be empty and neither side may hold U+0000, which ends a string in this format.
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
            units[position] |= HAS_VALUE
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
    """The first base with a free place per label, and no other node's, lest they share children."""
    first = lowest_free
    while True:
        base = first ^ labels[0]
        if base not in bases and all(base ^ label not in units for label in labels):
            return base
        first += 1
