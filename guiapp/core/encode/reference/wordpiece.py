"""WordPiece: take the longest token that fits, then the longest that fits behind it, to the word's end.

Where no token fits, the whole word is one unknown token.  O(n · longest token) in the length of the word.
Native twin: native/wordpiece.cpp.
Source: BERT's tokenizer, Devlin et al. 2019, https://aclanthology.org/N19-1423.  GGUF files mark the start
of a word by U+2581; others know apart, by a `##` before their texts, the tokens that go on within a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from guiapp.core.encode.reference.longest_match import Miss, Take, Taken


@dataclass(frozen=True)
class GiveUp:
    """No token fits at `at`: what the word gave is forgotten, and it becomes one unknown token."""

    unknown_id: int
    at: int
    word_end: int

    def apply(self, tokens: Taken) -> None:
        tokens[:] = [(self.unknown_id, 0, self.word_end)]


@dataclass(frozen=True)
class TooLong:
    """The word has more characters than are looked at, and becomes one unknown token."""

    unknown_id: int
    word_end: int

    def apply(self, tokens: Taken) -> None:
        tokens[:] = [(self.unknown_id, 0, self.word_end)]


def steps(
    word: bytes,
    tokens: Mapping[bytes, int],
    longest_bytes: int,
    unknown_id: int,
    inner_tokens: Mapping[bytes, int] | None = None,
    most_characters: int | None = None,
) -> Iterator[Take | Miss | GiveUp | TooLong]:
    """Yield what is tried and taken from one word, in order.

    inner_tokens     those that are taken behind the start of a word, where these are others
    most_characters  that a word may have
    """
    at = 0
    if most_characters is not None and sum(byte & 0xC0 != 0x80 for byte in word) > most_characters:
        yield TooLong(unknown_id, len(word))
        return
    while at < len(word):
        if at > 0 and inner_tokens is not None:
            tokens = inner_tokens
        end = min(len(word), at + longest_bytes)
        while end > at and word[at:end] not in tokens:
            if end == len(word) or word[end] & 0xC0 != 0x80:
                yield Miss(at, end)
            end -= 1
        if end == at:
            yield GiveUp(unknown_id, at, len(word))
            return
        yield Take(tokens[word[at:end]], at, end)
        at = end
