"""RWKV World: take the longest token that the rest of the text begins with, again and again.

A byte that no token begins with is an unknown token.  So is one that begins tokens of which none fits to
its end: llama.cpp never returns from such a text.  O(n · longest token).
Native twin: native/rwkv.cpp.
Source: https://github.com/BlinkDL/RWKV-LM
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Tokens = list[tuple[int, int, int]]
"""Token id, start and end of each token so far."""


@dataclass(frozen=True)
class Take:
    """The longest token at `start` is taken; `is_unknown` where none fits."""

    token_id: int
    start: int
    end: int
    is_unknown: bool

    def apply(self, tokens: Tokens) -> None:
        tokens.append((self.token_id, self.start, self.end))


def steps(text: bytes, tokens: Mapping[bytes, int], longest_bytes: int, unknown_id: int) -> Iterator[Take]:
    """Yield the tokens of a text in order."""
    start = 0
    while start < len(text):
        end = min(len(text), start + longest_bytes)
        while end > start and text[start:end] not in tokens:
            end -= 1
        is_unknown = end == start
        end = max(end, start + 1)
        yield Take(unknown_id if is_unknown else tokens[text[start:end]], start, end, is_unknown)
        start = end
