"""Longest match: take the longest token that fits, then the longest that fits behind it.

What a walk down the token tree gives.  Not always what merging gives, which may prefer two middle-sized
tokens to a long and a short one.  O(n · longest token), in practice one step for each byte; not offered
where a token has thousands of bytes, as only files made for it have, and most steps would lead nowhere.
Native twin: native/matching.cpp.
Source: TokenTree, https://github.com/mrgyularabai/Token-Tree.
"""

from __future__ import annotations

from collections.abc import Iterator

from guiapp.core.encode.reference.longest_match import Matches, Take


def steps(size: int, matches: Matches) -> Iterator[Take]:
    """Yield the tokens of a piece of `size` bytes, in order."""
    at = 0
    while at < size:
        token = matches.longest(at)
        if token is None:
            at, tokens = matches.fallback(at)
            yield from (Take(*token) for token in tokens)
        else:
            yield Take(token, at, at + matches.length(token))
            at += matches.length(token)
