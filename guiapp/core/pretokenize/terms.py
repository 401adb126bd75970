"""What is known of windows of four bytes, by their groups, as terms to look up for many bytes at once.

A term is a product of four sets of groups, one for each place in a window.  With a lookup for each place, and
eight terms in the bits of a byte, a processor tries eight terms on sixteen windows in a few instructions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.regex import elements, union

N_GROUPS, PLACES = 8, 4
RARE = 0  # the group of bytes that nothing is known of

# What is known of a cut in the middle of a window.  What is CAREFUL is UNSURE if one of the two bytes before
# the window is special: RARE or an apostrophe.
CUT, UNSURE, CAREFUL = 1, 2, 4

TERMS, LANES, MOST_ROWS = 8, 16, 6
SEEDS = 8  # windows that are tried for each term

WindowSet = int  # sets of windows, each a bit, as of an array [8, 8, 8, 8]


def _windows(are_in: NDArray[np.bool_]) -> WindowSet:
    return int.from_bytes(np.packbits(are_in.reshape(-1), bitorder="little").tobytes(), "little")


# For each place in a window and each group: the windows that have it there.
HOLDING = [
    [_windows(place == group) for group in range(N_GROUPS)] for place in np.indices((N_GROUPS,) * PLACES)
]


class Term(NamedTuple):
    """The windows that have some groups in each place: a product of four sets, each of windows.

    tells  what is known of them; of all others where the term is not one that `holds`
    """

    places: tuple[WindowSet, ...]
    tells: int
    holds: bool = True

    @property
    def product(self) -> WindowSet:
        return _product(self.places)


def terms_for(known: NDArray[np.int64]) -> list[Term]:
    """Terms that tell of each window what is known: 0, CUT, UNSURE, CAREFUL or CUT | CAREFUL.

    known  [8, 8, 8, 8], by the groups of its bytes; those with a RARE one are UNSURE

    Of what is unsure, terms may tell anything besides.
    """
    cut, unsure, careful = (_windows((known & flag) != 0) for flag in (CUT, UNSURE, CAREFUL))
    common = tuple(union(place[RARE + 1 :]) for place in HOLDING)
    return [
        Term(common, UNSURE, holds=False),
        *(Term(places, CUT) for places in _cover(cut, unsure)),
        *(Term(places, UNSURE) for places in _cover(unsure & _product(common), unsure)),
        *(Term(places, CAREFUL) for places in _cover(careful, unsure)),
    ]


def _cover(wanted: WindowSet, is_open: WindowSet) -> Iterator[tuple[WindowSet, ...]]:
    """Products that hold all wanted windows and no others but open ones: few, if not the fewest."""
    others = ~(wanted | is_open)
    while wanted:
        seeds = [*elements(wanted)]
        found = [_widened(seed, others) for seed in seeds[:: len(seeds) // SEEDS + 1]]
        best = max(found, key=lambda places: (_product(places) & wanted).bit_count())
        yield best
        wanted &= ~_product(best)


def _widened(window: int, others: WindowSet) -> tuple[WindowSet, ...]:
    """A product that holds a window and none of the others; first as wide as possible at the edges."""
    places = [next(each for each in place if each >> window & 1) for place in HOLDING]
    for at in (0, 3, 1, 2):
        rest = _product(places[:at] + places[at + 1 :]) & others
        places[at] = union(each for each in HOLDING[at] if not each & rest)
    return tuple(places)


def _product(places: Iterable[WindowSet]) -> WindowSet:
    return reduce(and_, places)


def term_rows(known: NDArray[np.int64]) -> NDArray[np.uint8] | None:
    """`terms_for` as the native library takes them, in rows of up to TERMS; None if these are too many.

    A row has for each place and each group, of which processors have LANES, the terms whose set holds it, as
    bits; then those that hold not only beside special bytes, those that tell a cut, those that tell that it
    is unsure, and those that tell it by not holding.
    """
    terms = terms_for(known)
    if len(terms) > MOST_ROWS * TERMS:
        return None
    return np.concatenate([_row(terms[at : at + TERMS]) for at in range(0, len(terms), TERMS)])


def _row(terms: list[Term]) -> NDArray[np.uint8]:
    holding, masks = np.zeros((PLACES, LANES), np.uint8), np.zeros(4, np.uint8)
    for number, (places, tells, holds) in enumerate(terms):
        for at, place in enumerate(places):
            holding[at, :N_GROUPS] |= (
                np.array([bool(place & each) for each in HOLDING[at]], np.uint8) << number
            )
        masks |= np.array([tells != CAREFUL, tells == CUT, tells != CUT, not holds], np.uint8) << number
    return np.concatenate([holding.reshape(-1), masks])
