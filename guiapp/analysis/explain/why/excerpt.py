"""An excerpt of a text, which may be long, with one token and its context."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.encode.encoding import Encoding

REACH_BYTES = 8192  # on each side of the token; smaller parts are tried first


class Switches(NamedTuple):
    """Options of encoding, and the spelling of tokens; `encoder` is a name."""

    encoder: str
    add_special: bool = True
    parse_special: bool = True
    spelling: Spelling = Spelling.SIGNS


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A token with the text around it; begins and ends at borders of tokens.

    text          bytes of the whole text, from `offset` on
    begins, ends  whether the whole text begins or ends with the excerpt
    ids, starts, ends_of   the tokens in the excerpt, with offsets in `text`
    target        the index of the token in question; `first` is the first token's index in the whole text
    """

    text: bytes
    offset: int
    begins: bool
    ends: bool
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends_of: NDArray[np.int64]
    target: int
    first: int

    @property
    def token(self) -> tuple[int, int, int]:
        """The id, start and end of the target token."""
        return self.row(self.target)

    def row(self, index: int) -> tuple[int, int, int]:
        """The id, start and end of any token."""
        return int(self.ids[index]), int(self.starts[index]), int(self.ends_of[index])


def tokens_near(starts: NDArray[np.int64], ends: NDArray[np.int64], index: int, reach: int) -> slice:
    """The tokens wholly within `reach` bytes of a token, including it; starts and ends never decrease.

    For a token without text, include the tokens with text before and after it, however long they are: it
    results from their text.
    """
    first = int(np.searchsorted(starts, starts[index] - reach, side="left"))
    after = int(np.searchsorted(ends, ends[index] + reach, side="right"))
    if starts[index] == ends[index]:
        first = min(first, max(int(np.searchsorted(starts, starts[index], side="left")) - 1, 0))
        after = max(after, min(int(np.searchsorted(ends, ends[index], side="right")) + 1, len(ends)))
    return slice(first, after)


def excerpt_of(encoding: Encoding, index: int) -> Excerpt:
    """The excerpt around one token of an encoding."""
    starts, ends = encoding.spans[:, 0], encoding.spans[:, 1]
    near = tokens_near(starts, ends, index, REACH_BYTES)
    begins, is_last = near.start == 0, near.stop == len(encoding)
    start = 0 if begins else int(starts[near.start])
    end = len(encoding.text_bytes) if is_last else int(ends[near.stop - 1])
    return Excerpt(
        encoding.text_bytes[start:end],
        start,
        begins,
        is_last,
        encoding.token_ids[near],
        starts[near] - start,
        ends[near] - start,
        index - near.start,
        near.start,
    )
