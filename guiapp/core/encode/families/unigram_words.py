"""Where texts of a Unigram vocabulary fall into words that can be encoded one by one, and why elsewhere not.

Before a byte that becomes a space wherever it stands a text can be cut if

- each side is normalised alike whatever stands on the other: no prefix that is put in front of a text once,
  no user-defined token or key of the character map that holds such a byte;
- no token reaches over the cut: none holds U+2581, or the first bytes of it, behind its beginning;
- no unknown token does: U+2581 itself is a token, and the unknown one is none that text can become;
- sums of scores are the same but for what all ways to the cut have in common, as long as they are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.charsmap import Charsmap
from guiapp.core.text.normalizers import SPACE_SYMBOL
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import checkpoint, stoppable

EXACT_BITS = 53
LARGEST_SCORE = 1e30
LONGEST_TOKEN = 512  # bytes; texts made of beginnings of tokens take so many steps a byte
TEXT_AT_ONCE = 1 << 22  # bytes of the tokens
LEAST_BYTES = 1 << 12  # below, a text of which sums are exact is not worth looking for words in it


class UnigramWords:
    """What cuts of one vocabulary depend on.

    token_ids      the tokens that text can become
    scores         float64[n], as they are summed
    user_defined   texts of the user-defined tokens
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        charsmap: Charsmap,
        token_ids: NDArray[np.int32],
        user_defined: tuple[bytes, ...],
        scores: NDArray[np.float64],
        unknown: int,
        unknown_score: float,
    ) -> None:
        self._vocabulary = vocabulary
        self._charsmap = charsmap
        self._token_ids = token_ids
        self._user_defined = user_defined
        self._scores = scores
        self._unknown = unknown
        self._unknown_score = unknown_score

    @cached_property
    def cut_bytes(self) -> NDArray[np.bool_]:
        """bool[256]: bytes that become a space wherever they stand; nothing reaches over their start."""
        used = np.frombuffer(b"".join(self._user_defined), np.uint8)
        result = self._charsmap.spaces.copy()
        result[used] = False
        return result

    @cached_property
    def why_no_cuts(self) -> str:
        """A sentence for the user; empty where cuts are possible."""
        if self.only_first_has_prefix:
            return "The file puts one space before the first word only, so words are not alike."
        return self._why_dependent

    @cached_property
    def only_first_has_prefix(self) -> bool:
        """Whether a space is put before the first word of a text, but none before others."""
        rules = self._vocabulary.rules
        return rules.add_space_prefix and not rules.remove_extra_whitespaces

    @cached_property
    def _why_dependent(self) -> str:
        """Why words behind the first one cannot be encoded one by one."""
        if not (self._charsmap.is_whole and all(text.isascii() for text in stoppable(self._user_defined))):
            return "The file's character map or user-defined tokens may take characters apart."
        if not self.cut_bytes.any():
            return "A space is part of a user-defined token, or of a longer key of the file's character map."
        if not bool(np.all(np.abs(self._own_scores) < LARGEST_SCORE)):
            return "Some scores are not finite or out of all proportion, so sums of them tell nothing."
        if not self._has_space_symbol or self._unknown in self._token_ids:
            return "Unknown tokens may reach from one word into the next: U+2581 alone is not a token."
        if self._has_inner_symbol:
            return "Some tokens hold a space behind their beginning, so words depend on each other."
        return ""

    @cached_property
    def why_no_fast(self) -> str:
        """The same for `fast`, which takes the first word for itself; but words must be worth looking for."""
        if self._why_dependent:
            return self._why_dependent
        if (self._sizes > LONGEST_TOKEN).any():
            return f"Some tokens have more than {LONGEST_TOKEN} bytes, so to look for them takes too long."
        if self.longest_exact < LEAST_BYTES:
            return (
                "The scores are too fine for their sums to be exact, so ties may depend on the text before."
            )
        return ""

    @cached_property
    def _own_scores(self) -> NDArray[np.float64]:
        """Of all tokens that text can become, and of the unknown one."""
        checkpoint()
        return np.append(self._scores[self._token_ids], self._unknown_score)

    @cached_property
    def _is_own(self) -> NDArray[np.bool_]:
        """Whether text can become a token, of all tokens."""
        is_own = np.zeros(len(self._vocabulary), np.bool_)
        is_own[self._token_ids] = True
        return is_own

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        checkpoint()
        return np.diff(self._vocabulary.token_offsets)[self._token_ids]

    @cached_property
    def _has_space_symbol(self) -> bool:
        starts = self._vocabulary.token_offsets[self._token_ids[self._sizes == len(SPACE_SYMBOL)]]
        texts = self._vocabulary.token_data[starts[:, None] + np.arange(len(SPACE_SYMBOL))]
        return bool((texts == list(SPACE_SYMBOL)).all(axis=1).any())

    @cached_property
    def _has_inner_symbol(self) -> bool:
        return has_inner_symbol(self._vocabulary, self._token_ids)

    @cached_property
    def _exact_below(self) -> float:
        """Sums of scores below this are exact: all scores are multiples of what their last bits stand for."""
        scores = self._own_scores[self._own_scores != 0]
        if not np.isfinite(scores).all():
            return 0.0
        checkpoint()
        mantissas, exponents = np.frexp(scores)
        checkpoint()
        whole = np.ldexp(mantissas, EXACT_BITS).astype(np.int64)
        steps = np.ldexp((whole & -whole).astype(np.float64), exponents - EXACT_BITS)
        return float(2**EXACT_BITS * steps.min(initial=1.0))

    @cached_property
    def _worst_per_character(self) -> float:
        """What the best way gains or loses at most by one character."""
        worst = max(abs(self._unknown_score), float(self._own_scores[:-1].max(initial=0.0)))
        for data, offsets, ids in _some_at_once(self._vocabulary):
            n_before = np.concatenate([[0], np.cumsum(data & 0xC0 != 0x80)])
            is_single = np.diff(n_before[offsets]) <= 1
            singles = np.abs(self._scores[ids][is_single & self._is_own[ids]])
            worst = max(worst, float(singles.max(initial=0.0)))
        return worst

    @cached_property
    def _largest_score(self) -> float:
        return float(np.abs(self._own_scores).max())

    @cached_property
    def longest_exact(self) -> int:
        """The longest text of which all sums of scores are exact, whatever it holds; in bytes."""
        room = self._exact_below - self._largest_score
        if not room > 0:  # nor where some score is no number
            return 0
        return max(0, int(room / (self._worst_per_character * self._charsmap.growth)) - 1)

    def are_exact(self, ids: NDArray[np.int32]) -> bool:
        """Whether all sums were exact on the way to these tokens.

        A sum that is not on the best way has at most one token more or less to count than one that is.
        """
        if self._own_scores.max() > 0 or self._unknown in ids:
            return False
        total = -float(self._scores[ids].sum())
        next_sum = self._largest_score + int(self._sizes.max(initial=0)) * self._worst_per_character
        return total + next_sum < self._exact_below


def has_inner_symbol(vocabulary: Vocabulary, token_ids: NDArray[np.int32]) -> bool:
    """Whether U+2581, or its first bytes as the last ones, stand behind the start of some of these tokens."""
    counts = np.zeros(len(vocabulary), np.bool_)
    counts[token_ids] = True
    return any(
        _holds_symbol_after_start(data, offsets, counts[ids])
        for data, offsets, ids in _some_at_once(vocabulary)
    )


def _some_at_once(vocabulary: Vocabulary) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], slice]]:
    """All tokens, some MB of text at a time: the texts, where each begins in there, and the ids."""
    data, offsets = vocabulary.token_data, vocabulary.token_offsets
    bounds = np.searchsorted(offsets, np.arange(0, len(data), TEXT_AT_ONCE))
    for first, end in pairwise(np.unique([*bounds, len(offsets) - 1]).tolist()):
        checkpoint()
        start = offsets[first]
        yield data[start : offsets[end]], offsets[first : end + 1] - start, slice(first, end)


def _holds_symbol_after_start(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], counts: NDArray[np.bool_]
) -> bool:
    """Whether one of some tokens does that counts: U+2581, or as the token's last bytes its first ones."""
    places = np.flatnonzero(data == SPACE_SYMBOL[0])
    tokens = np.searchsorted(offsets, places, "right") - 1
    is_inner = (places > offsets[tokens]) & counts[tokens]
    places, ends = places[is_inner], offsets[tokens[is_inner] + 1]
    may_go_on = np.ones(len(places), np.bool_)
    for distance in range(1, len(SPACE_SYMBOL)):
        at = np.minimum(places + distance, len(data) - 1)
        may_go_on &= (places + distance >= ends) | (data[at] == SPACE_SYMBOL[distance])
    return bool(may_go_on.any())
