"""Which rows of a model's embeddings look as if no training text had led to their tokens.

Source: Land & Bartolo 2024, "Fishing for Magikarp", section 2.2, https://arxiv.org/abs/2405.05417.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.vocabulary_list.embeddings.known_unused import Ids, KnownUnused, known_unused
from guiapp.analysis.vocabulary_list.embeddings.matrices import (
    OUTPUT_BIAS,
    EmbeddingMatrices,
    Rows,
    find_matrices,
)
from guiapp.analysis.vocabulary_list.embeddings.measures import (
    MatrixIndicators,
    Values,
    measured,
    reference_rows,
)
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import VocabError
from guiapp.native.checkpoint import Progress

SHARE = 0.02  # of all tokens, which the paper verifies
NEAR_UNUSED = 0.1  # of the way from the known unused rows to what is usual
MOST_OF_THEM, SET_APART = 0.9, 0.25  # so many known unused rows have less than this share of all tokens
COARSE_BITS = 4  # a number; fewer blur what is small
COMPARED = "cosine distance to the known unused rows"
NORM = "norm of the input row"


@dataclass(frozen=True, eq=False)
class Indicators:
    """What the embeddings of a model tell about its tokens.

    matrices   of what the model makes of ids, and of what makes ids again unless that is the same ("tied")
    known      the rows that are known to be unused, which the others were compared with; None without any
    groups     all that could be compared with: tokens that were hardly trained for a reason
    title      what `values` are
    values     float32[n], less is more suspicious: the norm, or for a tied model the cosine distance, as in
               the paper; the other where only that sets the known unused rows apart
    limit      up to which a token looks untrained: a tenth of the way from the known unused rows to all
               tokens, of both the median; where those are not set apart, the least 2 %, as in the paper
    remarks    what speaks against trusting this, one sentence each
    """

    matrices: tuple[MatrixIndicators, ...]
    known: KnownUnused | None
    groups: tuple[KnownUnused, ...]
    title: str
    values: Values
    limit: float
    remarks: tuple[str, ...]

    @property
    def input(self) -> MatrixIndicators:
        """Of what the model makes of ids."""
        return self.matrices[0]

    @property
    def last(self) -> MatrixIndicators:
        """Of what makes ids."""
        return self.matrices[-1]

    @property
    def column(self) -> str:
        """The name of `values` in lists of tokens."""
        return "norm" if self.title == NORM else "cosine"

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """bool[n]: the tokens of `groups`."""
        return _in_any(self.groups, len(self.values))

    @property
    def suspects(self) -> Ids:
        """The tokens up to the limit, the most suspicious first; those of `groups` aside."""
        ids = np.flatnonzero((self.values <= self.limit) & ~self.is_known)
        return ids[np.argsort(self.values[ids], kind="stable")].astype(np.int32)


def matrices_of(vocabulary: Vocabulary) -> EmbeddingMatrices:
    """Where the embeddings of a model are.  Raises VocabError for one without."""
    if vocabulary.path is None or vocabulary.format != "GGUF":
        raise VocabError("This model's file holds no embeddings. Open a GGUF that holds the whole model.")
    return find_matrices(vocabulary.path)


def token_indicators(
    vocabulary: Vocabulary,
    progress: Progress = lambda _share: None,
    unused: Sequence[int] | None = None,
) -> Indicators:
    """Read the embeddings of a model.

    progress  called with the share done; what it raises stops the work
    unused    rows to compare with, in place of those that are found
    Memory: 500 MB at most, whatever the size of the model.  Raises VocabError for a file without embeddings,
    or with broken ones.
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
    return _judged(read, known, groups, matrices.has_bias)


def _chosen(unused: Sequence[int], n_rows: int) -> KnownUnused:
    rows = np.unique(np.asarray(unused, np.int64))
    if not len(rows) or rows[0] < 0 or rows[-1] >= n_rows:
        raise VocabError(f"The rows to compare with are to be some of 0 to {n_rows - 1:,}.")
    return KnownUnused("chosen rows", rows.astype(np.int32))


def _report_part(progress: Progress, number: int, count: int, share: float) -> None:
    progress((number + share) / count)


def _in_any(groups: Sequence[KnownUnused], n_tokens: int) -> NDArray[np.bool_]:
    flags = np.zeros(n_tokens, np.bool_)
    for group in groups:
        flags[group.rows[group.rows < n_tokens]] = True
    return flags


class _Choice(NamedTuple):
    """An indicator that could be taken, with that of the known unused rows: each compared with the others."""

    title: str
    values: Values
    own: Values

    def limit(self, groups: Sequence[KnownUnused]) -> tuple[float, bool]:
        """Up to which value a token looks untrained, and whether the known unused rows are set apart."""
        others = self.values[~np.isnan(self.values) & ~_in_any(groups, len(self.values))]
        if not len(others):
            return float("nan"), False
        if not len(self.own) or np.quantile(self.own, MOST_OF_THEM) >= np.quantile(others, SET_APART):
            return float(np.quantile(others, SHARE)), False
        unused = float(np.median(self.own))
        return unused + NEAR_UNUSED * (float(np.median(others)) - unused), True


def _judged(
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
    remarks = [*_remarks(last, known, is_set_apart)]
    for matrix in read:
        remarks += _remarks_about(matrix)
    if has_bias:
        remarks.append(f"The model adds a bias to its output ({OUTPUT_BIAS}), which is not looked at.")
    return Indicators(read, known, groups, choice.title, choice.values, limit, tuple(remarks))


def _norms(rows: Rows | None) -> Values:
    norms: Values = np.zeros(0, np.float32) if rows is None else np.linalg.norm(rows, axis=1)
    return norms


def _cosines_to_others(rows: Rows | None) -> Values:
    """The cosine distance of each row to the mean of the others; none of a single row."""
    if rows is None or len(rows) == 1:
        return np.zeros(0, np.float32)
    means = (rows.sum(axis=0) - rows) / (len(rows) - 1)
    with np.errstate(all="ignore"):
        cosines: Values = np.einsum("ij,ij->i", rows, means) / (_norms(rows) * _norms(means))
    return np.float32(1) - np.nan_to_num(cosines, nan=1.0)


def _remarks(compared: MatrixIndicators, known: KnownUnused | None, is_set_apart: bool) -> Iterator[str]:
    if known is None:
        yield "No row is known to be unused, so there is nothing to compare with: only norms are told."
        return
    if np.isnan(compared.cosines).all():
        yield "The mean of the known unused rows is zero, which has no direction: norms are told instead."
    if not is_set_apart:
        yield (
            f"The {len(known.rows):,} {known.why} are not set apart from other tokens here, "
            "so it says little that a token has less than others."
        )


def _remarks_about(indicators: MatrixIndicators) -> Iterator[str]:
    matrix, n_tokens = indicators.matrix, len(indicators.norms)
    bits = 8 * matrix.row_bytes / matrix.width
    if bits < COARSE_BITS:
        how = f"{bits:.1f} bits a number ({matrix.kind.name})"
        yield f"{matrix.name} is stored in {how}: small rows are blurred."
    if indicators.n_broken:
        yield f"Rows of {matrix.name} that hold what is no number, or too large: {indicators.n_broken:,}."
    if matrix.n_rows < n_tokens:
        yield f"Tokens that have no row in {matrix.name}: {n_tokens - matrix.n_rows:,}."
