"""Tokens that look untrained: planted rows are found in every quantisation; the figures are the paper's."""

from collections.abc import Iterator

import numpy as np
import pytest
from embedded_models import rows_with_dead, write_model
from gguf import GGMLQuantizationType
from quantised_by_ggml import KINDS, quantised

from guiapp import open_model
from guiapp.analysis.vocabulary_list import embeddings as measures
from guiapp.analysis.vocabulary_list.embeddings import (
    COMPARED,
    INPUT,
    NORM,
    OUTPUT,
    Indicators,
    token_indicators,
)
from guiapp.errors import VocabError

F32 = GGMLQuantizationType.F32
N_TOKENS, WIDTH = 1200, 256
DEAD, KNOWN = range(100, 160), range(100, 120)
PLANTED = {*DEAD} - {*KNOWN}


def raw(rows: np.ndarray, kind: GGMLQuantizationType = F32) -> tuple[GGMLQuantizationType, np.ndarray]:
    return kind, rows.view(np.uint8) if kind == F32 else quantised(rows, kind)


def read(tmp_path, tensors: dict, known: range = KNOWN, **given: object) -> Indicators:
    path = write_model(tmp_path / "x.gguf", tensors, N_TOKENS, known)
    return token_indicators(open_model(path).vocabulary, **given)


def trained(offset: float = 0.1, seed: int = 0, n_rows: int = N_TOKENS) -> np.ndarray:
    return rows_with_dead(n_rows, WIDTH, DEAD, offset, seed)


def kinds() -> Iterator[object]:
    """All that are decoded, tied and untied in turn; ggml takes seconds to make tables for some."""
    for number, kind in enumerate((F32, *KINDS)):
        is_slow = kind.name in ("IQ1_S", "IQ1_M", "IQ2_XS", "IQ2_S")
        yield pytest.param(
            kind, number % 2 == 0, id=kind.name, marks=[pytest.mark.exhaustive] if is_slow else []
        )


@pytest.mark.parametrize(("kind", "is_tied"), [*kinds()])
def test_planted_rows_are_found_in_every_quantisation(kind, is_tied, tmp_path):
    tensors = {INPUT: raw(trained(), kind)}
    if not is_tied:
        tensors[OUTPUT] = raw(trained(seed=1), kind)
    indicators = read(tmp_path, tensors)
    assert indicators.title == (COMPARED if is_tied else NORM)
    assert {*indicators.suspects.tolist()} == PLANTED
    assert [*indicators.values[indicators.suspects]] == sorted(indicators.values[indicators.suspects])


@pytest.mark.parametrize(("n_sampled", "tolerance"), [(N_TOKENS, 1e-4), (300, 1e-3)])
def test_the_figures_are_those_of_the_definition(n_sampled, tolerance, tmp_path, monkeypatch):
    monkeypatch.setattr(measures, "SAMPLE_NUMBERS", n_sampled * WIDTH)
    random = np.random.default_rng(2)
    rows = trained() + np.outer(random.standard_normal(N_TOKENS), random.standard_normal(WIDTH)) * 0.05
    rows = rows.astype(np.float32)
    indicators = read(tmp_path, {INPUT: raw(rows)}).input
    rows = rows.astype(np.float64)  # what is rounded on the way depends on the processor
    component = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][0]
    without = rows - np.outer(rows @ component, component)
    for values, expected in (
        (indicators.norms, np.linalg.norm(rows, axis=1)),
        (indicators.distances, np.linalg.norm(rows - rows[KNOWN].mean(axis=0), axis=1)),
        (indicators.cosines, cosine_distances(rows)),
        (indicators.cosines_without_component, cosine_distances(without)),
    ):
        np.testing.assert_allclose(values, expected, atol=tolerance)


def cosine_distances(rows: np.ndarray) -> np.ndarray:
    mean = rows[KNOWN].mean(axis=0)
    return 1 - rows @ mean / (np.linalg.norm(rows, axis=1) * np.linalg.norm(mean))


def test_a_matrix_of_nothing_but_broken_rows_is_an_error(tmp_path):
    with pytest.raises(VocabError, match=r"no row with valid numbers in token_embd\.weight"):
        read(tmp_path, {INPUT: raw(np.full((N_TOKENS, WIDTH), np.inf, np.float32))})
