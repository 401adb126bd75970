"""Training a vocabulary for longest-match encoding, as the RWKV World vocabulary is used.

Encoding takes the longest token at each place, so a token is worth what it saves when text is cut that way.
Each round cuts the words with the vocabulary of that moment, and adds the pairs of neighbouring tokens that
would save most; at the end, tokens that the cutting never takes are dropped again.
The published vocabulary was collected by other means; only the way of encoding is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

SINGLE_BYTES = tuple(bytes([byte]) for byte in range(256))
MAX_TOKEN_BYTES = 24


@dataclass(frozen=True)
class Round:
    """The tokens added and dropped by one round, and how many tokens the text had before it."""

    added: tuple[bytes, ...]
    dropped: tuple[bytes, ...]
    n_tokens: int

    def apply(self, vocabulary: dict[bytes, None]) -> None:
        for token in self.dropped:
            del vocabulary[token]
        vocabulary.update(dict.fromkeys(self.added))


def cut(word: bytes, vocabulary: Collection[bytes]) -> list[bytes]:
    """The word as tokens, the longest first at each place.

    >>> cut(b"abacb", {b"a", b"b", b"c", b"ab", b"aba"})
    [b'aba', b'c', b'b']
    """
    tokens: list[bytes] = []
    at = 0
    while at < len(word):
        end = min(len(word), at + MAX_TOKEN_BYTES)
        while end > at + 1 and word[at:end] not in vocabulary:
            end -= 1
        tokens.append(word[at:end])
        at = end
    return tokens


def rounds(words: Mapping[bytes, int], n_tokens: int, n_rounds: int = 12) -> Iterator[Round]:
    """Yield the changes that lead from the 256 bytes to about `n_tokens` tokens, the same share each round.

    Of pairs that occur equally often, the one that sorts first by its bytes is preferred.  A pair must occur
    twice, and must be whole characters or the beginning of one.  Single bytes are never dropped.
    """
    vocabulary: dict[bytes, None] = dict.fromkeys(SINGLE_BYTES)
    for number in range(1, n_rounds + 1):
        pieces = {word: cut(word, vocabulary) for word in words}
        dropped = _unused(vocabulary, pieces.values())
        target = len(SINGLE_BYTES) + (n_tokens - len(SINGLE_BYTES)) * number // n_rounds
        room = target - len(vocabulary) + len(dropped)
        change = Round(
            added=tuple(_best_pairs(pieces, words)[: max(0, room)]),
            dropped=dropped,
            n_tokens=sum(len(tokens) * words[word] for word, tokens in pieces.items()),
        )
        change.apply(vocabulary)
        yield change


def train(words: Mapping[bytes, int], n_tokens: int) -> list[bytes]:
    """The vocabulary after all rounds: the 256 bytes, then by length and bytes."""
    vocabulary: dict[bytes, None] = dict.fromkeys(SINGLE_BYTES)
    for change in rounds(words, n_tokens):
        change.apply(vocabulary)
    return sorted(vocabulary, key=lambda token: (len(token), token))


def _unused(vocabulary: dict[bytes, None], pieces: Collection[list[bytes]]) -> tuple[bytes, ...]:
    used = {token for tokens in pieces for token in tokens}
    return tuple(token for token in vocabulary if len(token) > 1 and token not in used)


def _best_pairs(pieces: Mapping[bytes, list[bytes]], words: Mapping[bytes, int]) -> list[bytes]:
    counts: Counter[bytes] = Counter()
    for word, tokens in pieces.items():
        for left, right in pairwise(tokens):
            token = left + right
            if len(token) <= MAX_TOKEN_BYTES and not _breaks_characters(token):
                counts[token] += words[word]
    frequent = [token for token, count in counts.items() if count > 1]
    return sorted(frequent, key=lambda token: (-counts[token], token))


def _breaks_characters(token: bytes) -> bool:
    """Whether the token starts inside a character, or ends inside one that is not its first."""
    whole = token.decode("utf-8", "ignore").encode()
    return not token.startswith(whole) or (whole != b"" and whole != token) or token[0] & 0xC0 == 0x80
