"""Whether a contender gives the right ids, and if not, how nearly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.common_ends import n_equal_from_start


@dataclass(frozen=True)
class Tokens:
    """What a contender made of a text; `spans` is None where it tells ids only."""

    ids: NDArray[np.int32]
    spans: NDArray[np.int64] | None


@dataclass(frozen=True)
class FirstDifference:
    """The first token that differs: where it begins in the text, and both ids (None behind the last one)."""

    index: int
    byte_offset: int
    expected: int | None
    found: int | None

    def record(self) -> dict[str, int | None]:
        return {
            "index": self.index,
            "byte_offset": self.byte_offset,
            "expected_id": self.expected,
            "found_id": self.found,
        }


@dataclass(frozen=True)
class Agreement:
    """How ids compare with the reference.

    share  of the reference's spans, how many the contender has too
    """

    exact: bool
    share: float
    first_difference: FirstDifference | None


def compare(reference: Tokens, found: Tokens, token_lengths: NDArray[np.int64]) -> Agreement:
    """Compare ids, and where they differ spans.

    The spans of contenders that tell ids only are what the lengths of their tokens add up to; the
    reference's are then taken in the same way, so that what a normaliser adds counts for both.
    """
    index = n_equal_from_start(reference.ids, found.ids)
    if index == len(reference.ids) == len(found.ids):
        return Agreement(True, 1.0, None)
    if reference.spans is not None and found.spans is not None:
        wanted, spans = reference.spans, found.spans
    else:
        wanted, spans = (_added_up(each.ids, token_lengths) for each in (reference, found))
    return Agreement(False, _share(wanted, spans), _difference(index, reference, found, wanted))


def _difference(index: int, reference: Tokens, found: Tokens, spans: NDArray[np.int64]) -> FirstDifference:
    real = spans if reference.spans is None else reference.spans
    at_end = int(real[-1, 1]) if len(real) else 0
    return FirstDifference(
        index,
        int(real[index, 0]) if index < len(real) else at_end,
        int(reference.ids[index]) if index < len(reference.ids) else None,
        int(found.ids[index]) if index < len(found.ids) else None,
    )


def _added_up(ids: NDArray[np.int32], token_lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    known = np.clip(ids, 0, len(token_lengths) - 1)
    ends = np.cumsum(token_lengths[known])
    return np.stack([ends - token_lengths[known], ends], axis=1)


def _share(wanted: NDArray[np.int64], spans: NDArray[np.int64]) -> float:
    """The share of the rows of `wanted` that are rows of `spans`."""
    if not len(wanted):
        return 0.0
    keys = [each[:, 0] << 32 | each[:, 1] for each in (wanted, spans)]
    return float(np.isin(keys[0], keys[1]).mean())
