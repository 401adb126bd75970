"""Long texts on several threads, cut where the tokens of neither side depend on the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, join_tokens
from guiapp.core.encode.families.pipeline import Pipeline
from guiapp.core.encode.parallel.share_out import share_out

LEAST_BYTES = 2 << 20  # below, threads take longer to start than they save
MOST_THREADS, MOST_ASKED_FOR = 8, 64  # each may have a cache of 20 MB
LEAST_PART = 1 << 17  # bytes
PARTS_PER_THREAD = 4  # some parts take longer than others, and threads have to wait for each other


def encode_in_parts(
    pipeline: Pipeline,
    fragment: NDArray[np.uint8],
    after_special: bool,
    encoder: str,
    n_threads: int,
    n_parts: int,
) -> FragmentTokens:
    """The tokens of a fragment by an exact encoder of its pipeline, from those of about `n_parts` parts."""
    bounds = _part_bounds(pipeline, fragment, n_parts)

    def encode_part(part: tuple[int, int]) -> FragmentTokens:
        start, end = part
        return pipeline.encode(fragment[start:end], after_special and start == 0, encoder).moved(start)

    return join_tokens(share_out(encode_part, list(pairwise(bounds)), n_threads))


def _part_bounds(pipeline: Pipeline, fragment: NDArray[np.uint8], n_parts: int) -> list[int]:
    """Where parts of about equal lengths begin, and the end of the last; fewer where cuts are rare."""
    size = len(fragment)
    bounds = [0]
    for part in range(1, n_parts):
        position = size * part // n_parts
        if position > bounds[-1]:
            cut = pipeline.cut_after(fragment, position)
            if cut >= size:
                break
            bounds.append(cut)
    return [*bounds, size]
