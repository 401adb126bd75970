"""RWKV World: take the longest token that the rest of the text begins with, again and again.

A byte that no token begins with is an unknown token.  So is one that begins tokens of which none fits to
its end: llama.cpp never returns from such a text.  O(n · longest token).
Native twin: native/rwkv.cpp.
Source: https://github.com/BlinkDL/RWKV-LM
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from guiapp.core.encode.reference.longest_match import Take


def steps(text: bytes, tokens: Mapping[bytes, int], longest_bytes: int, unknown_id: int) -> Iterator[Take]:
    """Yield the tokens of a text in order."""
    start = 0
    while start < len(text):
        end = min(len(text), start + longest_bytes)
        while end > start and text[start:end] not in tokens:
            end -= 1
        token = tokens[text[start:end]] if end > start else unknown_id
        end = max(end, start + 1)
        yield Take(token, start, end)
        start = end
