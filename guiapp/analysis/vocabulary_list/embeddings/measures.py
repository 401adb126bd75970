"""What sets the rows of a matrix apart from those that are known to be unused, in two passes over them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.vocabulary_list.embeddings.known_unused import KnownUnused
from guiapp.analysis.vocabulary_list.embeddings.matrices import Matrix, Rows, blocks_of, rows_of
from guiapp.core.vocabulary.gguf_reader import BROKEN
from guiapp.core.vocabulary.quoting import quoted
from guiapp.errors import VocabError
from guiapp.native.checkpoint import Progress, checkpoint

Values = NDArray[np.float32]

MOST_REFERENCE_ROWS = 512  # of which the mean is taken
SAMPLE_NUMBERS = 1 << 24  # of the rows that the first principal component is estimated from at first
N_DIRECTIONS, N_ROUNDS = 8, 12  # of that estimate
NEAR_ZERO = 1e-3  # of the usual norm: a mean that is shorter has no direction
LARGEST_SQUARE = 1e30  # of a row's norm; rows beyond are broken, and would spoil the sums


@dataclass(frozen=True, eq=False)
class MatrixIndicators:
    """What sets the rows of one matrix apart.  Less is more suspicious.

    matrix     where it is
    norms      float32[n]  the length of each token's row
    distances  float32[n]  how far it is from the mean of the known unused rows
    cosines    float32[n]  the cosine distance to it, 0 to 2; 0 for a row of zeros
    cosines_without_component  the same without the matrix's first principal component
    n_broken   how many rows hold values that are no numbers, or too large
    All are NaN for tokens without a row or with a broken one; all but `norms` where nothing is known to be
    unused, and the cosines where that is all zeros.
    """

    matrix: Matrix
    norms: Values
    distances: Values
    cosines: Values
    cosines_without_component: Values
    n_broken: int


def measured(
    matrix: Matrix, n_tokens: int, known: KnownUnused | None, progress: Progress
) -> MatrixIndicators:
    """Read a matrix twice."""
    squares, component = _survey(matrix, lambda share: progress(share / 2))
    if np.isnan(squares).all():
        what = f"{quoted(matrix.path.name)} has no row in {matrix.name} that consists of numbers"
        raise VocabError(f"{what}. {BROKEN}")
    norms = np.sqrt(squares)
    nothing = np.full(matrix.n_rows, np.nan, np.float32)
    distances, cosines, without = nothing, nothing, nothing
    reference = reference_rows(matrix, known)
    if reference is not None:
        distances, cosines, without = _distances(
            matrix, norms, reference, component, lambda share: progress(0.5 + share / 2)
        )
    return MatrixIndicators(
        matrix=matrix,
        norms=_of_tokens(norms, n_tokens),
        distances=_of_tokens(distances, n_tokens),
        cosines=_of_tokens(cosines, n_tokens),
        cosines_without_component=_of_tokens(without, n_tokens),
        n_broken=int(np.isnan(squares).sum()),
    )


def _of_tokens(column: Values, n_tokens: int) -> Values:
    values = np.full(n_tokens, np.nan, np.float32)
    values[: len(column)] = column[:n_tokens]
    return values


def _sound_blocks(matrix: Matrix, progress: Progress) -> Iterator[tuple[int, Rows, Values]]:
    """The rows in blocks with the number of the first and their squared norms: zeros and NaN if broken."""
    for start, rows in blocks_of(matrix):
        progress(start / matrix.n_rows)
        yield start, rows, _mend(rows)
    progress(1.0)


def _mend(rows: Rows) -> Values:
    """Make zeros of broken rows.  Their squared norms, NaN of broken ones."""
    with np.errstate(all="ignore"):
        squares: Values = np.einsum("ij,ij->i", rows, rows)
        is_broken = ~(squares <= LARGEST_SQUARE)
    rows[is_broken] = 0
    squares[is_broken] = np.nan
    return squares


def _survey(matrix: Matrix, progress: Progress) -> tuple[Values, Values]:
    """Squared norms of all rows, and the first principal component.

    That is found by block power iteration: some rounds over a sample of rows, and one over all.
    """
    directions = _sampled_directions(matrix)
    squares = np.empty(matrix.n_rows, np.float32)
    sums = np.zeros((matrix.width, directions.shape[1] + 1))
    for start, rows, of_block in _sound_blocks(matrix, progress):
        squares[start : start + len(rows)] = of_block
        sums += rows.T @ np.column_stack([rows @ directions, np.ones(len(rows), np.float32)])
    mean = sums[:, -1] / matrix.n_rows
    turned = sums[:, :-1] / matrix.n_rows - np.outer(mean, mean @ directions)
    _values, mixed = np.linalg.eigh(directions.T @ turned)
    component = turned @ mixed[:, -1]
    length = np.linalg.norm(component)
    return squares, (component / length if length else component).astype(np.float32)


def _sampled_directions(matrix: Matrix) -> Values:
    """float32[width, k], orthonormal: nearly the directions in which rows differ most."""
    n_sampled = min(matrix.n_rows, max(1, SAMPLE_NUMBERS // matrix.width))
    rows = rows_of(matrix, np.linspace(0, matrix.n_rows - 1, n_sampled).astype(np.int64).tolist())
    _mend(rows)
    rows -= rows.mean(axis=0)
    start = np.random.default_rng(0).standard_normal((matrix.width, min(N_DIRECTIONS, matrix.width)))
    directions: Values = np.linalg.qr(start)[0].astype(np.float32)
    for _ in range(N_ROUNDS):
        checkpoint()
        directions = np.linalg.qr(rows.T @ (rows @ directions))[0]
    return directions


def reference_rows(matrix: Matrix, known: KnownUnused | None) -> Rows | None:
    """Those rows that are known to be unused, or some of them; None without any that are sound."""
    numbers = [] if known is None else known.rows[known.rows < matrix.n_rows].tolist()
    if not numbers:
        return None
    rows = rows_of(matrix, numbers[:: 1 + len(numbers) // MOST_REFERENCE_ROWS])
    sound = rows[~np.isnan(_mend(rows))]
    return sound if len(sound) else None


def _distances(
    matrix: Matrix, norms: Values, reference: Rows, component: Values, progress: Progress
) -> tuple[Values, Values, Values]:
    """Distance, cosine distance, and that without a component, of all rows to the mean of some."""
    mean = reference.mean(axis=0)
    length, along_mean = float(np.linalg.norm(mean)), float(mean @ component)
    both = np.column_stack([mean, component])
    distances, products = np.empty(matrix.n_rows, np.float32), np.empty((matrix.n_rows, 2), np.float32)
    for start, rows, _squares in _sound_blocks(matrix, progress):
        rows -= mean  # first, so that what is near the mean keeps its digits
        part = slice(start, start + len(rows))
        distances[part] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        products[part] = rows @ both
    distances[np.isnan(norms)] = np.nan
    if length < NEAR_ZERO * float(np.nanmedian(norms)):
        return distances, np.full_like(norms, np.nan), np.full_like(norms, np.nan)
    dots, along = products[:, 0] + mean @ mean, products[:, 1] + along_mean
    left, left_of_mean = np.sqrt(np.maximum(norms**2 - along**2, 0)), mean - along_mean * component
    return (
        distances,
        _cosine_distances(dots, norms, length),
        _cosine_distances(dots - along * along_mean, left, float(np.linalg.norm(left_of_mean))),
    )


def _cosine_distances(dots: Values, norms: Values, reference_norm: float) -> Values:
    with np.errstate(all="ignore"):
        distances: Values = 1 - dots / (norms * reference_norm)
    distances[norms == 0] = 0
    return np.clip(distances, 0, 2)
