"""Whether a contender gives the right ids, and if not, how nearly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.normalized import n_equal_from_start


@dataclass(frozen=True)
class ContenderTokens:
    """What a contender made of a text; `spans` is None where it tells ids only."""

    ids: NDArray[np.int32]
    spans: NDArray[np.int64] | None


@dataclass(frozen=True)
class FirstIdDifference:
    """The first token that differs: where it begins in the text, and both ids (None behind the last one)."""

    index: int
    byte_offset: int
    expected: int | None
    actual: int | None

    def record(self) -> dict[str, int | None]:
        return {
            "index": self.index,
            "byte_offset": self.byte_offset,
            "expected_id": self.expected,
            "found_id": self.actual,
        }


@dataclass(frozen=True)
class Agreement:
    """How ids compare with the reference.

    share  of the reference's spans, how many the contender has too
    """

    exact: bool
    share: float
    first_difference: FirstIdDifference | None


def compare(
    reference: ContenderTokens, actual: ContenderTokens, token_lengths: NDArray[np.int64]
) -> Agreement:
    """Compare ids, and where they differ spans.

    The spans of contenders that tell ids only are what the lengths of their tokens add up to; the
    reference's are then taken in the same way, so that what a normaliser adds counts for both.
    """
    index = n_equal_from_start(reference.ids, actual.ids)
    if index == len(reference.ids) == len(actual.ids):
        return Agreement(True, 1.0, None)
    if reference.spans is not None and actual.spans is not None:
        reference_spans, spans = reference.spans, actual.spans
    else:
        reference_spans, spans = (_added_up(each.ids, token_lengths) for each in (reference, actual))
    return Agreement(
        False, _share(reference_spans, spans), _difference(index, reference, actual, reference_spans)
    )


def _difference(
    index: int, reference: ContenderTokens, actual: ContenderTokens, spans: NDArray[np.int64]
) -> FirstIdDifference:
    real = spans if reference.spans is None else reference.spans
    at_end = int(real[-1, 1]) if len(real) else 0
    return FirstIdDifference(
        index,
        int(real[index, 0]) if index < len(real) else at_end,
        int(reference.ids[index]) if index < len(reference.ids) else None,
        int(actual.ids[index]) if index < len(actual.ids) else None,
    )


def _added_up(ids: NDArray[np.int32], token_lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    known = np.clip(ids, 0, len(token_lengths) - 1)
    ends = np.cumsum(token_lengths[known])
    return np.stack([ends - token_lengths[known], ends], axis=1)


def _share(reference_spans: NDArray[np.int64], spans: NDArray[np.int64]) -> float:
    """The share of the rows of `reference_spans` that are rows of `spans`."""
    if not len(reference_spans):
        return 0.0
    keys = [each[:, 0] << 32 | each[:, 1] for each in (reference_spans, spans)]
    return float(np.isin(keys[0], keys[1]).mean())
