"""Matrices in files: the numbers that ggml itself decodes, and what is said about hostile ones."""

import os
from operator import attrgetter

import numpy as np
import pytest
from embedded_models import placed, write_model
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf_builder import Tensor, vocab_file
from quantised_by_ggml import KINDS, decoded

from guiapp.analysis.vocabulary_list import embeddings as matrices
from guiapp.analysis.vocabulary_list.embeddings import blocks_of, find_matrices, rows_of
from guiapp.errors import VocabError

F32 = GGMLQuantizationType.F32
INPUT, OUTPUT = matrices.INPUT, matrices.OUTPUT


def raw(n_rows: int, width: int = 4) -> tuple[GGMLQuantizationType, np.ndarray]:
    return F32, np.arange(n_rows * width, dtype=np.float32).reshape(n_rows, width).view(np.uint8)


@pytest.mark.parametrize("kind", KINDS, ids=attrgetter("name"))
def test_rows_are_the_numbers_that_ggml_decodes(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(matrices, "BLOCK_ELEMENTS", 512 * 16)
    block, size = GGML_QUANT_SIZES[kind]
    data = np.random.default_rng(3).integers(0, 256, (70, 512 // block * size), np.uint8)
    matrix = find_matrices(write_model(tmp_path / "x.gguf", {INPUT: (kind, data)}, 70)).input
    starts, blocks = zip(*blocks_of(matrix), strict=True)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(np.concatenate(blocks), decoded(data, kind), rtol=1e-5, atol=1e-6)
    assert starts == (0, 16, 32, 48, 64)
    some = [0, 3, 4, 5, 17, *range(20, 60), 69]
    np.testing.assert_array_equal(rows_of(matrix, some), np.concatenate(blocks)[some])


def test_what_gguf_does_not_decode_is_refused_by_name(tmp_path):
    for kind in set(GGMLQuantizationType) - {F32, *KINDS}:
        _block, size = GGML_QUANT_SIZES[kind]
        path = write_model(tmp_path / "x.gguf", {INPUT: (kind, np.zeros((3, size), np.uint8))}, 3)
        with pytest.raises(VocabError, match=f"in the format {kind.name}, which cannot be read"):
            find_matrices(path)


def test_a_model_in_several_files_is_read_from_all_of_them(tmp_path):
    first = write_model(tmp_path / "m-00001-of-00003.gguf", {INPUT: raw(3)}, 3)
    for number, name in ((2, "blk.0.attn_q.weight"), (3, OUTPUT)):
        write_model(tmp_path / f"m-0000{number}-of-00003.gguf", {name: raw(3, 8)}, 3)
    result = find_matrices(first)
    assert (result.input.path, result.output.path.name) == (first, "m-00003-of-00003.gguf")
    assert [block.tolist() for _, block in blocks_of(result.output)] == [
        raw(3, 8)[1].view(np.float32).tolist()
    ]
    (tmp_path / "m-00003-of-00003.gguf").unlink()
    assert find_matrices(first).output is None


@pytest.mark.parametrize(
    ("shape", "kind", "offset", "message"),
    [
        ((4,), 0, 0, "of 4 numbers, not one row for each token"),
        ((), 0, 0, "of no numbers"),
        ((4, 3, 2), 0, 0, "of 4 × 3 × 2 numbers"),
        ((4, 0), 0, 0, "of 4 × 0 numbers"),
        ((4, matrices.MOST_ROWS + 1), 0, 0, "not one row for each token"),
        ((matrices.WIDEST + 1, 3), 0, 0, "not one row for each token"),
        ((4, 3), 4, 0, "in the format type 4, which cannot be read"),
        ((4, 3), -1, 0, "in the format type -1, which cannot be read"),
        ((128, 3), 12, 0, "whose rows of 128 numbers are not a multiple of 256"),
        ((4, 3), 0, (1 << 64) - 32, "is incomplete"),
        ((4, 4), 0, 0, "is incomplete"),
    ],
)
def test_a_hostile_matrix_is_refused_in_one_sentence(shape, kind, offset, message, tmp_path):
    file = vocab_file(tokens=["a", "b", "c"], scores=[0.0] * 3, types=[1] * 3)
    file.tensors = [Tensor(INPUT, shape, kind, offset)]
    header = file.to_bytes()
    (tmp_path / "x.gguf").write_bytes(header + bytes(-len(header) % 32) + bytes(4 * 4 * 3))
    with pytest.raises(VocabError, match=message) as caught:
        list(blocks_of(find_matrices(tmp_path / "x.gguf").input))
    assert "\n" not in str(caught.value)


def test_a_file_truncated_while_it_is_read_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(matrices, "BLOCK_ELEMENTS", 4)
    path = write_model(tmp_path / "x.gguf", {INPUT: raw(64)}, 64)
    blocks = blocks_of(find_matrices(path).input)
    next(blocks)
    os.truncate(path, path.stat().st_size - 512)
    with pytest.raises(VocabError, match="is incomplete"):
        list(blocks)


def test_tensors_lie_at_their_aligned_offsets(tmp_path):
    infos, _data = placed({INPUT: raw(3), OUTPUT: raw(3, 8)})
    assert [info.offset for info in infos] == [0, 64]
    path = write_model(tmp_path / "x.gguf", {INPUT: raw(3), OUTPUT: raw(3, 8)}, 3)
    result = find_matrices(path)
    assert (result.output.at - result.input.at, result.output.at % 32) == (64, 0)
