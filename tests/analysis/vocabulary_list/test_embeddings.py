"""Tokens that look untrained: planted rows are found in every quantisation; the figures are the paper's."""

from collections.abc import Iterator

import numpy as np
import pytest
from embedded_models import rows_with_dead, write_model
from gguf import GGMLQuantizationType
from quantised_by_ggml import KINDS, quantised

import guiapp
from guiapp import open_model
from guiapp.analysis.vocabulary_list import embeddings as measures
from guiapp.analysis.vocabulary_list.embeddings import (
    COMPARED,
    INPUT,
    NORM,
    OUTPUT,
    Indicators,
    known_unused,
    repeating_prompt,
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
    found = read(tmp_path, tensors)
    assert found.title == (COMPARED if is_tied else NORM)
    assert {*found.suspects.tolist()} == PLANTED
    assert [*found.values[found.suspects]] == sorted(found.values[found.suspects])


@pytest.mark.parametrize(("n_sampled", "tolerance"), [(N_TOKENS, 1e-4), (300, 1e-3)])
def test_the_figures_are_those_of_the_definition(n_sampled, tolerance, tmp_path, monkeypatch):
    monkeypatch.setattr(measures, "SAMPLE_NUMBERS", n_sampled * WIDTH)
    random = np.random.default_rng(2)
    rows = trained() + np.outer(random.standard_normal(N_TOKENS), random.standard_normal(WIDTH)) * 0.05
    rows = rows.astype(np.float32)
    found = read(tmp_path, {INPUT: raw(rows)}).input
    component = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][0]
    without = rows - np.outer(rows @ component, component)
    for values, expected in (
        (found.norms, np.linalg.norm(rows, axis=1)),
        (found.distances, np.linalg.norm(rows - rows[KNOWN].mean(axis=0), axis=1)),
        (found.cosines, cosine_distances(rows)),
        (found.cosines_without_component, cosine_distances(without)),
    ):
        np.testing.assert_allclose(values, expected, atol=tolerance)


def cosine_distances(rows: np.ndarray) -> np.ndarray:
    mean = rows[KNOWN].mean(axis=0)
    return 1 - rows @ mean / (np.linalg.norm(rows, axis=1) * np.linalg.norm(mean))


def test_any_rows_can_be_compared_with(tmp_path):
    tensors = {INPUT: raw(trained())}
    found = read(tmp_path, tensors, range(0), unused=[150, 140, 140])
    assert (found.known.why, found.known.rows.tolist()) == ("chosen rows", [140, 150])
    assert {*found.suspects.tolist()} == {*DEAD} - {140, 150}
    found = read(tmp_path, tensors, range(0), unused=range(N_TOKENS))
    assert (len(found.suspects), np.isnan(found.limit)) == (0, True)
    assert "The 1,200 chosen rows are not set apart from other tokens here" in found.notes[0]
    for wrong in ([], [-1], [N_TOKENS]):
        with pytest.raises(VocabError, match="rows from 0 to 1,199"):
            read(tmp_path, tensors, unused=wrong)


def test_a_matrix_of_nothing_but_broken_rows_is_an_error(tmp_path):
    with pytest.raises(VocabError, match=r"no row in token_embd\.weight that consists of numbers"):
        read(tmp_path, {INPUT: raw(np.full((N_TOKENS, WIDTH), np.inf, np.float32))})


def test_progress_rises_to_the_end_and_may_stop_the_work(tmp_path):
    shares = []
    tensors = {INPUT: raw(trained()), OUTPUT: raw(trained(seed=1))}
    read(tmp_path, tensors, progress=shares.append)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)

    def stop(share: float) -> None:
        if share >= 0.25:
            raise InterruptedError(share)

    with pytest.raises(InterruptedError):
        read(tmp_path, tensors, progress=stop)


def test_bytes_that_no_text_has_and_double_ones_are_known_unused():
    vocabulary = open_model("demo:spm").vocabulary
    groups = {group.why: group.rows.tolist() for group in known_unused(vocabulary, len(vocabulary) + 2)}
    never, double, behind = [*groups.values()][:3]
    names = [vocabulary.raw_text(row).decode() for row in never]
    assert names == [f"<0x{byte:02X}>" for byte in (0xC0, 0xC1, *range(0xF5, 0x100))]
    spelled = [vocabulary.spell(vocabulary.token_bytes(row)) for row in double]
    assert len(spelled) > 50
    assert None not in map(vocabulary.find, spelled)
    assert behind == [len(vocabulary), len(vocabulary) + 1]


def test_a_token_is_repeated_eight_times_and_once_more():
    tokenizer = guiapp.open_model("demo:bpe")
    token = tokenizer.vocabulary.find(b"ing")
    text, holds_token = repeating_prompt(tokenizer, token)
    first, *lines, last = text.split("\n")
    assert first == "An echo gives back what it hears, letter by letter."
    assert lines == ["Heard: «ing» Given back: «ing»"] * 8
    assert last == "Heard: «ing» Given back: «"
    assert holds_token
