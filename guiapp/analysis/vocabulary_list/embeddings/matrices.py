"""Matrices with one row for each token, read from a GGUF in blocks: never a whole one is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import FileIO
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize
from numpy.typing import NDArray

from guiapp.core.formats.file_bytes import HeaderBytes, open_regular, state_of
from guiapp.core.formats.gguf_reader import BROKEN, TensorPlace, all_parts, read_header, tensor_places
from guiapp.core.text.figures import quoted
from guiapp.errors import VocabError
from guiapp.native.checkpoint import checkpoint

INPUT, OUTPUT, OUTPUT_BIAS = "token_embd.weight", "output.weight", "output.bias"
MOST_ROWS = 1 << 22  # sixteen times as many as any model has
WIDEST = 1 << 16  # four times as wide as any model
BLOCK_ELEMENTS = 1 << 20  # that are decoded at once; decoding takes some five times their memory

Rows = NDArray[np.float32]


class Matrix(NamedTuple):
    """A matrix in a file.

    kind   how its numbers are stored
    at     the byte where its data begin
    width  how many numbers a row has
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
    """What a model makes of ids, and ids of.

    output    None where the input's matrix is used again, "tied"
    has_bias  whether something is added to what `output` gives
    """

    input: Matrix
    output: Matrix | None
    has_bias: bool


def find_matrices(path: Path) -> EmbeddingMatrices:
    """Those of a GGUF, which may be split into several files.  Raises VocabError where there are none."""
    tensors: dict[str, tuple[Path, TensorPlace]] = {}
    for part in all_parts(path):
        source = HeaderBytes(part, lambda _share: checkpoint())
        try:
            names = [name.encode() for name in (INPUT, OUTPUT, OUTPUT_BIAS)]
            places = tensor_places(source, read_header(source), names)
        finally:
            source.close()
        tensors |= {name.decode(): (part, place) for name, place in places.items()}
    if INPUT not in tensors:
        raise VocabError(
            f"{quoted(path.name)} holds no embeddings ({INPUT}). Choose a file that holds the whole model."
        )
    output = _matrix(OUTPUT, *tensors[OUTPUT]) if OUTPUT in tensors else None
    return EmbeddingMatrices(_matrix(INPUT, *tensors[INPUT]), output, OUTPUT_BIAS in tensors)


def _matrix(name: str, path: Path, place: TensorPlace) -> Matrix:
    def error(what: str, advice: str = BROKEN) -> VocabError:
        return VocabError(f"{quoted(path.name)} has a tensor {name} {what}. {advice}")

    width, *rest = place.shape or (0,)
    if len(rest) != 1 or not 0 < rest[0] <= MOST_ROWS or not 0 < width <= WIDEST:
        shape = " × ".join(f"{size:,}" for size in place.shape)
        raise error(f"of {shape or 'no'} numbers, which is no row for each token")
    kind = next((each for each in GGMLQuantizationType if each == place.kind), None)
    if kind is None or not _is_decoded(kind):
        stored = f"type {place.kind}" if kind is None else kind.name
        raise error(f"that is stored as {stored}, which is not decoded", "Choose another quantisation.")
    block, _size = GGML_QUANT_SIZES[kind]
    if width % block:
        raise error(f"whose rows of {width:,} numbers are no whole blocks of {block}")
    return Matrix(path, name, kind, place.at, rest[0], width)


def _is_decoded(kind: GGMLQuantizationType) -> bool:
    try:
        _decode(np.zeros((1, GGML_QUANT_SIZES[kind][1]), np.uint8), kind)
    except NotImplementedError:
        return False
    return True


def _decode(raw: NDArray[np.uint8], kind: GGMLQuantizationType) -> Rows:
    with np.errstate(all="ignore"):  # of a hostile file; the numbers that it makes are looked at later
        rows: Rows = dequantize(raw, kind)
    return rows


def blocks_of(matrix: Matrix) -> Iterator[tuple[int, Rows]]:
    """All rows in blocks, each with the number of its first row; a block may be written on."""
    size = max(1, BLOCK_ELEMENTS // matrix.width)
    with _opened(matrix) as file:
        for start in range(0, matrix.n_rows, size):
            checkpoint()
            yield start, _read(file, matrix, start, min(start + size, matrix.n_rows))


def rows_of(matrix: Matrix, numbers: Sequence[int]) -> Rows:
    """Some rows, float32[k, width], of ascending numbers."""
    size, rows = max(1, BLOCK_ELEMENTS // matrix.width), np.empty((len(numbers), matrix.width), np.float32)
    cuts = [at for at, (left, right) in enumerate(pairwise(numbers), 1) if right != left + 1]
    with _opened(matrix) as file:
        for first, last in pairwise([0, *cuts, len(numbers)]):
            for at in range(first, last, size):
                checkpoint()
                end = min(at + size, last)
                rows[at:end] = _read(file, matrix, numbers[at], numbers[end - 1] + 1)
    return rows


def _opened(matrix: Matrix) -> FileIO:
    file = open_regular(matrix.path)
    end, size = matrix.at + matrix.n_rows * matrix.row_bytes, state_of(file).size_bytes
    if end > size:
        file.close()
        raise VocabError(
            f"{quoted(matrix.path.name)} is incomplete: {matrix.name} ends at byte {end:,}, "
            f"the file at {size:,}. Fetch the whole model."
        )
    return file


def _read(file: FileIO, matrix: Matrix, start: int, end: int) -> Rows:
    raw = np.empty((end - start, matrix.row_bytes), np.uint8)
    left = raw.reshape(-1).data
    try:
        file.seek(matrix.at + start * matrix.row_bytes)
        while left:
            n_read = file.readinto(left)
            if not n_read:
                raise VocabError(f"{quoted(matrix.path.name)} became shorter while it was read. Try again.")
            left = left[n_read:]
    except OSError as error:
        reason = f"cannot be read: {error.strerror}. Check the disk or copy the file."
        raise VocabError(f"{quoted(matrix.path.name)} {reason}") from error
    return _decode(raw, matrix.kind)
