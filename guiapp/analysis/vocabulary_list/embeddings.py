"""Finds tokens whose embeddings look untrained.

Matrices are read from a GGUF in blocks, so that no whole matrix is ever in memory.
Source: Land & Bartolo 2024, "Fishing for Magikarp", section 2.2, https://arxiv.org/abs/2405.05417.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize
from numpy.typing import NDArray

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.file_bytes import HeaderBytes
from guiapp.core.formats.gguf_reader import BROKEN, TensorInfo, all_parts, read_header, tensor_infos
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.special_ids import reserved
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError, VocabError
from guiapp.native.checkpoint import Progress, checkpoint

Ids = NDArray[np.int32]
Values = NDArray[np.float32]
Rows = NDArray[np.float32]
INPUT, OUTPUT, OUTPUT_BIAS = "token_embd.weight", "output.weight", "output.bias"
MOST_ROWS = 1 << 22  # sixteen times the rows of any known model
WIDEST = 1 << 16  # four times the width of any known model
BLOCK_ELEMENTS = 1 << 20  # numbers decoded at once; decoding takes some five times their memory
NEVER_IN_UTF_8 = frozenset({0xC0, 0xC1, *range(0xF5, 0x100)})
FEWEST = 3  # rows for a meaningful mean
MOST_REFERENCE_ROWS = 512  # rows in the mean of the known unused rows
SAMPLE_NUMBERS = 1 << 24  # numbers in the sample for the first estimate of the principal component
N_DIRECTIONS, N_ROUNDS = 8, 12  # of that estimate
NEAR_ZERO = 1e-3  # times the median norm: a shorter mean has no reliable direction
LARGEST_SQUARE = 1e30  # squared norm; rows with a larger one count as broken and would spoil the sums
SHARE = 0.02  # of all tokens: as many as the paper verifies
NEAR_UNUSED = 0.1  # of the distance between the medians of the known unused rows and of all tokens
MOST_OF_THEM, SET_APART = 0.9, 0.25  # this quantile of the unused rows must be below this one of others
COARSE_BITS = 4  # per number; with fewer, small values are inexact
COMPARED = "cosine distance to the known unused rows"
NORM = "norm of the input row"


@dataclass(frozen=True, eq=False)
class Indicators:
    """The evaluation of the embeddings of a model.

    matrices   the input matrix, and the output matrix unless it is the same one ("tied")
    known      the rows known to be unused, with which the others were compared; None if there are none
    groups     all groups of rows that are probably untrained, for comparison
    title      the name of the indicator in `values`
    values     float32[n], lower is more suspicious: the norm, or for a tied model the cosine distance, as in
               the paper; the other one if only that one separates the known unused rows
    limit      the highest value that looks untrained: a tenth of the distance from the median of the known
               unused rows to the median of all tokens; without a separation, the lowest 2 %, as in the paper
    notes      reasons to doubt the result, one sentence each
    """

    matrices: tuple[MatrixIndicators, ...]
    known: KnownUnused | None
    groups: tuple[KnownUnused, ...]
    title: str
    values: Values
    limit: float
    notes: tuple[str, ...]

    @property
    def input(self) -> MatrixIndicators:
        """The indicators of the input matrix."""
        return self.matrices[0]

    @property
    def last(self) -> MatrixIndicators:
        """The indicators of the output matrix."""
        return self.matrices[-1]

    @property
    def column(self) -> str:
        """The name of `values` in lists of tokens."""
        return "norm" if self.title == NORM else "cosine"

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """bool[n]: whether a token is in one of `groups`."""
        return _in_any(self.groups, len(self.values))

    @property
    def suspects(self) -> Ids:
        """The tokens up to the limit, most suspicious first, without those in `groups`."""
        ids = np.flatnonzero((self.values <= self.limit) & ~self.is_known)
        return ids[np.argsort(self.values[ids], kind="stable")].astype(np.int32)

    @property
    def record(self) -> dict[str, object]:
        """The results for all tokens, as a JSON record."""
        matrices = (each.matrix for each in self.matrices)
        return {
            "indicator": self.title,
            "limit": self.limit if isfinite(self.limit) else None,
            "untrained": len(self.suspects),
            "compared_with": None
            if self.known is None
            else {"what": self.known.why, "rows": self.known.rows.tolist()},
            "tensors": [
                {"name": each.name, "type": each.kind.name, "rows": each.n_rows, "width": each.width}
                for each in matrices
            ],
            "remarks": [*self.notes],
        }

    @property
    def sentences(self) -> Iterator[str]:
        """The results for all tokens, as sentences."""
        if self.known is not None:
            yield f"Embeddings are compared with the mean of {len(self.known.rows):,} {self.known.why}."
        limit = f"a {self.title} up to {self.limit:.4g}"
        yield f"{counted(len(self.suspects), 'token')} with {limit}: possibly untrained."
        yield from self.notes


def matrices_of(vocabulary: Vocabulary) -> EmbeddingMatrices:
    """Locate the embeddings of a model.  Raises VocabError if it has none."""
    if vocabulary.path is None or vocabulary.format != "GGUF":
        raise VocabError("This file has no embeddings. Open a GGUF that holds the whole model.")
    return find_matrices(vocabulary.path)


def token_indicators(
    vocabulary: Vocabulary,
    progress: Progress = lambda _share: None,
    unused: Sequence[int] | None = None,
) -> Indicators:
    """Read and evaluate the embeddings of a model.

    progress  called with the fraction done; may raise to cancel
    unused    rows to compare with, instead of the detected ones
    Memory: at most 500 MB for models of any size.  Raises VocabError for a file without embeddings, or with
    broken ones.
    """
    matrices = matrices_of(vocabulary)
    groups = known_unused(vocabulary, matrices.input.n_rows)
    if unused is not None:
        groups = (_chosen(unused, matrices.input.n_rows), *groups)
    known = groups[0] if groups else None
    both = [matrix for matrix in (matrices.input, matrices.output) if matrix is not None]
    read = tuple(
        measured(matrix, len(vocabulary), known, partial(_report_part, progress, number, len(both)))
        for number, matrix in enumerate(both)
    )
    return _assess(read, known, groups, matrices.has_bias)


def _chosen(unused: Sequence[int], n_rows: int) -> KnownUnused:
    rows = np.unique(np.asarray(unused, np.int64))
    if not len(rows) or rows[0] < 0 or rows[-1] >= n_rows:
        raise VocabError(f"Ids of unused tokens must be from 0 to {n_rows - 1:,}.")
    return KnownUnused("chosen rows", rows.astype(np.int32))


def _report_part(progress: Progress, number: int, count: int, share: float) -> None:
    progress((number + share) / count)


def _in_any(groups: Sequence[KnownUnused], n_tokens: int) -> NDArray[np.bool_]:
    flags = np.zeros(n_tokens, np.bool_)
    for group in groups:
        flags[group.rows[group.rows < n_tokens]] = True
    return flags


class _Choice(NamedTuple):
    """A candidate indicator: `values` of all tokens; `own` of each known unused row against the others."""

    title: str
    values: Values
    own: Values

    def limit(self, groups: Sequence[KnownUnused]) -> tuple[float, bool]:
        """The highest value that looks untrained, and whether the known unused rows are separated."""
        others = self.values[~np.isnan(self.values) & ~_in_any(groups, len(self.values))]
        if not len(others):
            return float("nan"), False
        if not len(self.own) or np.quantile(self.own, MOST_OF_THEM) >= np.quantile(others, SET_APART):
            return float(np.quantile(others, SHARE)), False
        unused = float(np.median(self.own))
        return unused + NEAR_UNUSED * (float(np.median(others)) - unused), True


def _assess(
    read: tuple[MatrixIndicators, ...],
    known: KnownUnused | None,
    groups: tuple[KnownUnused, ...],
    has_bias: bool,
) -> Indicators:
    first, last = read[0], read[-1]
    norm = _Choice(NORM, first.norms, _norms(reference_rows(first.matrix, known)))
    cosine = _Choice(COMPARED, last.cosines, _cosines_to_others(reference_rows(last.matrix, known)))
    choices = [cosine, norm] if first is last else [norm, cosine]
    choices = [choice for choice in choices if not np.isnan(choice.values).all()]
    choice = next((choice for choice in choices if choice.limit(groups)[1]), choices[0])
    limit, is_set_apart = choice.limit(groups)
    notes = [*_notes(last, known, is_set_apart)]
    for matrix in read:
        notes += _matrix_notes(matrix)
    if has_bias:
        notes.append(f"The model adds a bias to its output ({OUTPUT_BIAS}), which is ignored here.")
    return Indicators(read, known, groups, choice.title, choice.values, limit, tuple(notes))


def _norms(rows: Rows | None) -> Values:
    norms: Values = np.zeros(0, np.float32) if rows is None else np.linalg.norm(rows, axis=1)
    return norms


def _cosines_to_others(rows: Rows | None) -> Values:
    """The cosine distance of each row to the mean of the others; empty for a single row."""
    if rows is None or len(rows) == 1:
        return np.zeros(0, np.float32)
    means = (rows.sum(axis=0) - rows) / (len(rows) - 1)
    with np.errstate(all="ignore"):
        cosines: Values = np.einsum("ij,ij->i", rows, means) / (_norms(rows) * _norms(means))
    return np.float32(1) - np.nan_to_num(cosines, nan=1.0)


def _notes(compared: MatrixIndicators, known: KnownUnused | None, is_set_apart: bool) -> Iterator[str]:
    if known is None:
        yield "No tokens are known to be unused, so only norms are shown."
        return
    if np.isnan(compared.cosines).all():
        yield "The mean embedding of the unused tokens is zero, so norms are used instead."
    if not is_set_apart:
        yield (f"Here the {len(known.rows):,} {known.why} look like other tokens: a low value means little.")


def _matrix_notes(indicators: MatrixIndicators) -> Iterator[str]:
    matrix, n_tokens = indicators.matrix, len(indicators.norms)
    bits = 8 * matrix.row_bytes / matrix.width
    if bits < COARSE_BITS:
        how = f"{bits:.1f} bits per number ({matrix.kind.name})"
        yield f"{matrix.name} is stored in {how}: small values are inexact."
    if indicators.n_broken:
        yield f"Rows of {matrix.name} with invalid or too large numbers: {indicators.n_broken:,}."
    if matrix.n_rows < n_tokens:
        yield f"Tokens without a row in {matrix.name}: {n_tokens - matrix.n_rows:,}."


# The distance of all rows of a matrix from the known unused rows, in two passes over the file


@dataclass(frozen=True, eq=False)
class MatrixIndicators:
    """Indicators for the rows of one matrix.  Lower is more suspicious.

    matrix     its location in a file
    norms      float32[n]  the norm of each token's row
    distances  float32[n]  its distance to the mean of the known unused rows
    cosines    float32[n]  the cosine distance to that mean, 0 to 2; 0 for a row of zeros
    cosines_without_component  the same without the matrix's first principal component
    n_broken   the number of rows with NaN or too large values
    All are NaN for tokens without a row or with a broken one.  Without known unused rows all but `norms` are
    NaN; if their mean is about zero, the cosines are.
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
    """Compute the indicators of a matrix, reading it twice."""
    squares, component = _survey(matrix, lambda share: progress(share / 2))
    if np.isnan(squares).all():
        what = f"{quoted(matrix.path.name)} has no row with valid numbers in {matrix.name}"
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
    """Yield blocks: first row number, rows, squared norms; a broken row becomes zeros and its norm NaN."""
    for start, rows in blocks_of(matrix):
        progress(start / matrix.n_rows)
        yield start, rows, _zero_broken(rows)
    progress(1.0)


def _zero_broken(rows: Rows) -> Values:
    """Set broken rows to zero in place; return the squared norms of all rows, NaN for broken ones."""
    with np.errstate(all="ignore"):
        squares: Values = np.einsum("ij,ij->i", rows, rows)
        is_broken = ~(squares <= LARGEST_SQUARE)
    rows[is_broken] = 0
    squares[is_broken] = np.nan
    return squares


def _survey(matrix: Matrix, progress: Progress) -> tuple[Values, Values]:
    """The squared norms of all rows, and the first principal component.

    Computes the component by block power iteration: some rounds over a sample of rows, and one over all.
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
    """float32[width, k], orthonormal: approximately the directions of greatest variance."""
    n_sampled = min(matrix.n_rows, max(1, SAMPLE_NUMBERS // matrix.width))
    rows = rows_of(matrix, np.linspace(0, matrix.n_rows - 1, n_sampled).astype(np.int64).tolist())
    _zero_broken(rows)
    rows -= rows.mean(axis=0)
    start = np.random.default_rng(0).standard_normal((matrix.width, min(N_DIRECTIONS, matrix.width)))
    directions: Values = np.linalg.qr(start)[0].astype(np.float32)
    for _ in range(N_ROUNDS):
        checkpoint()
        directions = np.linalg.qr(rows.T @ (rows @ directions))[0]
    return directions


def reference_rows(matrix: Matrix, known: KnownUnused | None) -> Rows | None:
    """The known unused rows, or a sample of them, without broken ones; None if none are left."""
    numbers = [] if known is None else known.rows[known.rows < matrix.n_rows].tolist()
    if not numbers:
        return None
    rows = rows_of(matrix, numbers[:: 1 + len(numbers) // MOST_REFERENCE_ROWS])
    sound = rows[~np.isnan(_zero_broken(rows))]
    return sound if len(sound) else None


def _distances(
    matrix: Matrix, norms: Values, reference: Rows, component: Values, progress: Progress
) -> tuple[Values, Values, Values]:
    """Distance, cosine distance and cosine distance without `component` of all rows to a mean."""
    mean = reference.mean(axis=0)
    length, left_of_mean = float(np.linalg.norm(mean)), mean - float(mean @ component) * component
    distances, dots, left, left_dots = np.empty((4, matrix.n_rows), np.float32)
    for start, rows, _squares in _sound_blocks(matrix, progress):
        rows -= mean  # first, so that rows near the mean keep their precision
        part = slice(start, start + len(rows))
        distances[part] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        dots[part] = rows @ mean
        rows -= np.outer(rows @ component, component)  # not from the squares, which would lose precision
        rows += left_of_mean
        left[part] = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        left_dots[part] = rows @ left_of_mean
    distances[np.isnan(norms)] = np.nan
    if length < NEAR_ZERO * float(np.nanmedian(norms)):
        return distances, np.full_like(norms, np.nan), np.full_like(norms, np.nan)
    return (
        distances,
        _cosine_distances(dots + mean @ mean, norms, length),
        _cosine_distances(left_dots, left, float(np.linalg.norm(left_of_mean))),
    )


def _cosine_distances(dots: Values, norms: Values, reference_norm: float) -> Values:
    with np.errstate(all="ignore"):
        distances: Values = 1 - dots / (norms * reference_norm)
    distances[norms == 0] = 0
    return np.clip(distances, 0, 2)


class KnownUnused(NamedTuple):
    """Rows whose tokens cannot occur in training texts.

    why   a plural noun phrase for them
    rows  numbers of rows, ascending; numbers from the size of the vocabulary on have no token
    """

    why: str
    rows: Ids


def known_unused(vocabulary: Vocabulary, n_rows: int) -> tuple[KnownUnused, ...]:
    """All groups of a model with `n_rows` rows, most reliable first; groups of too few rows last."""
    n_tokens = len(vocabulary)
    data, offsets = vocabulary.token_bytes_table
    single = np.flatnonzero((np.diff(offsets) == 1) & ((vocabulary.attributes & Attribute.CONTROL) == 0))
    is_byte = (vocabulary.attributes[single] & Attribute.BYTE) > 0
    is_never = np.isin(data[offsets[single]], [*NEVER_IN_UTF_8])
    is_double = is_byte & ~vocabulary.token_tree.is_matched[single] & ~is_never
    groups: tuple[tuple[str, NDArray[np.integer]], ...] = (
        ("tokens for bytes that UTF-8 never has", single[is_never]),
        ("byte tokens whose character is a token itself", single[is_double]),
        ("rows without a token", np.arange(n_tokens, n_rows)),
        ("tokens named or marked as unused or reserved", np.flatnonzero(reserved(vocabulary))),
    )
    there = [KnownUnused(why, rows[rows < n_rows].astype(np.int32)) for why, rows in groups]
    return tuple(
        sorted((group for group in there if len(group.rows)), key=lambda group: len(group.rows) < FEWEST)
    )


# Matrices with one row for each token


class Matrix(NamedTuple):
    """A matrix in a file.

    kind   the format of its numbers
    at     byte offset of its data
    width  numbers in a row
    """

    path: Path
    name: str
    kind: GGMLQuantizationType
    at: int
    n_rows: int
    width: int

    @property
    def row_bytes(self) -> int:
        block, size = GGML_QUANT_SIZES[self.kind]
        return self.width // block * size


class EmbeddingMatrices(NamedTuple):
    """The input and output embeddings of a model.

    output    None if the input matrix is used for output as well ("tied")
    has_bias  whether a bias is added to the output
    """

    input: Matrix
    output: Matrix | None
    has_bias: bool


def find_matrices(path: Path) -> EmbeddingMatrices:
    """Locate the matrices in a GGUF, which may be split into files.  Raises VocabError if there are none."""
    tensors: dict[str, tuple[Path, TensorInfo]] = {}
    for part in all_parts(path):
        source = HeaderBytes(part, lambda _share: checkpoint())
        try:
            names = [name.encode() for name in (INPUT, OUTPUT, OUTPUT_BIAS)]
            infos = tensor_infos(source, read_header(source), names)
        finally:
            source.close()
        tensors |= {name.decode(): (part, info) for name, info in infos.items()}
    if INPUT not in tensors:
        raise VocabError(
            f"{quoted(path.name)} has no embeddings ({INPUT}). Choose a file that holds the whole model."
        )
    output = _matrix(OUTPUT, *tensors[OUTPUT]) if OUTPUT in tensors else None
    return EmbeddingMatrices(_matrix(INPUT, *tensors[INPUT]), output, OUTPUT_BIAS in tensors)


def _matrix(name: str, path: Path, info: TensorInfo) -> Matrix:
    def error(what: str, advice: str = BROKEN) -> VocabError:
        return VocabError(f"{quoted(path.name)} has a tensor {name} {what}. {advice}")

    width, *rest = info.shape or (0,)
    if len(rest) != 1 or not 0 < rest[0] <= MOST_ROWS or not 0 < width <= WIDEST:
        shape = " × ".join(f"{size:,}" for size in info.shape)
        raise error(f"of {shape or 'no'} numbers, not one row for each token")
    kind = next((each for each in GGMLQuantizationType if each == info.kind), None)
    if kind is None or not _is_decoded(kind):
        stored = f"type {info.kind}" if kind is None else kind.name
        raise error(f"in the format {stored}, which cannot be read", "Choose another quantization.")
    block, _size = GGML_QUANT_SIZES[kind]
    if width % block:
        raise error(f"whose rows of {width:,} numbers are not a multiple of {block}")
    return Matrix(path, name, kind, info.at, rest[0], width)


def _is_decoded(kind: GGMLQuantizationType) -> bool:
    try:
        _decode(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except NotImplementedError:
        return False
    return True


def _decode(raw: NDArray[np.uint8], kind: GGMLQuantizationType) -> Rows:
    with np.errstate(all="ignore"):  # hostile files; the numbers are checked later
        rows: Rows = dequantize(raw, kind)
    return rows


def blocks_of(matrix: Matrix) -> Iterator[tuple[int, Rows]]:
    """Yield all rows in blocks, each with the number of its first row; callers may modify a block."""
    size = max(1, BLOCK_ELEMENTS // matrix.width)
    for start in range(0, matrix.n_rows, size):
        yield start, _read(matrix, start, min(start + size, matrix.n_rows))


def rows_of(matrix: Matrix, numbers: Sequence[int]) -> Rows:
    """The rows with some ascending numbers, float32[k, width]."""
    size, rows = max(1, BLOCK_ELEMENTS // matrix.width), np.empty((len(numbers), matrix.width), np.float32)
    cuts = [at for at, (left, right) in enumerate(pairwise(numbers), 1) if right != left + 1]
    for first, last in pairwise([0, *cuts, len(numbers)]):
        for at in range(first, last, size):
            end = min(at + size, last)
            rows[at:end] = _read(matrix, numbers[at], numbers[end - 1] + 1)
    return rows


def _read(matrix: Matrix, start: int, end: int) -> Rows:
    """Read the rows [start, end)."""
    checkpoint()
    n_bytes, at = (end - start) * matrix.row_bytes, matrix.at + start * matrix.row_bytes
    try:
        raw = np.fromfile(matrix.path, np.uint8, n_bytes, offset=at)
    except OverflowError:  # an offset beyond any file
        raw = np.empty(0, np.uint8)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}. Check the disk or copy the file."
        raise VocabError(f"{quoted(matrix.path.name)} {reason}") from error
    if len(raw) < n_bytes:
        raise VocabError(
            f"{quoted(matrix.path.name)} is incomplete: {matrix.name} extends beyond its end. "
            "Download the whole model."
        )
    return _decode(raw.reshape(-1, matrix.row_bytes), matrix.kind)


# A test of whether a model knows a token: it must repeat the token after many examples


N_EXAMPLES = 8
OPENING = "An echo gives back what it hears, letter by letter.\n"
LINE = "Heard: «{0}» Given back: «{0}»\n"
LAST = "Heard: «{0}» Given back: «"


class Prompt(NamedTuple):
    """A text for the model to continue.

    holds_token  whether the encoded text contains the token; if not, the test is meaningless
    """

    text: str
    holds_token: bool


def repeating_prompt(tokenizer: Tokenizer, token_id: int) -> Prompt | None:
    """A text that a model continues with the token if it knows it; None for partial characters."""
    try:
        token = tokenizer.vocabulary.token_bytes(token_id).decode()
    except UnicodeDecodeError:
        return None
    text = OPENING + N_EXAMPLES * LINE.format(token) + LAST.format(token)
    try:
        found = tokenizer.encode(text, add_special=False, parse_special=False).token_ids
    except EncodeError:
        return Prompt(text, False)
    return Prompt(text, int((found == token_id).sum()) > N_EXAMPLES)
