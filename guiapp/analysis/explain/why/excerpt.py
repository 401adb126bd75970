"""A token of a text with what is near it, cut out of however long a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.encode.encoding import Encoding

REACH_BYTES = 8192  # on each side of the token, of which parts are looked at that are ever larger


class Switches(NamedTuple):
    """How a text is encoded, and tokens are written; `encoder` is a name."""

    encoder: str
    add_special: bool = True
    parse_special: bool = True
    spelling: Spelling = Spelling.SIGNS


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A token with the text around it, from where one token begins to where another one ends.

    text          bytes of the whole text, from `offset` on
    begins, ends  whether the whole text begins and ends with it
    ids, starts, ends_of   the tokens in it, offsets in `text`
    target        which of them it is about; `first` is the number of the first in the whole text
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
        """The id of the wanted token, and its place in `text`."""
        return self.row(self.target)

    def row(self, index: int) -> tuple[int, int, int]:
        """The same of another one."""
        return int(self.ids[index]), int(self.starts[index]), int(self.ends_of[index])


def tokens_near(starts: NDArray[np.int64], ends: NDArray[np.int64], index: int, reach: int) -> slice:
    """The tokens that lie wholly within so many bytes of a token, that one included; spans never go back.

    Of a token without text of its own, those that have some before and behind it, however long they are: it
    comes of theirs.
    """
    first = int(np.searchsorted(starts, starts[index] - reach, side="left"))
    behind = int(np.searchsorted(ends, ends[index] + reach, side="right"))
    if starts[index] == ends[index]:
        first = min(first, max(int(np.searchsorted(starts, starts[index], side="left")) - 1, 0))
        behind = max(behind, min(int(np.searchsorted(ends, ends[index], side="right")) + 1, len(ends)))
    return slice(first, behind)


def excerpt_of(encoding: Encoding, index: int) -> Excerpt:
    """What is near one token of an encoding."""
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
