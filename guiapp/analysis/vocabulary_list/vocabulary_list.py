"""The tokens of a vocabulary that a filter leaves, as the command line and scripts ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.trials import unreached_apart
from guiapp.analysis.vocabulary_list.columns import columns_of, named
from guiapp.analysis.vocabulary_list.figures import TokenFigures
from guiapp.analysis.vocabulary_list.filters import listed, needs_trials
from guiapp.analysis.vocabulary_list.report import TokenList
from guiapp.core.encode.tokenizer import Tokenizer

REACHED = "reached"


def vocabulary_list(
    tokenizer: Tokenizer,
    query: str = "",
    sort: str | None = None,
    is_descending: bool = False,
    columns: Sequence[str] | None = None,
    spelling: Spelling = Spelling.SIGNS,
    progress: Callable[[float], None] = lambda share: None,
    reads_embeddings: bool = False,
    unused: Sequence[int] | None = None,
) -> TokenList:
    """The tokens that a filter leaves, sorted by a column, or the nearest to the texts in it first.

    Whether text reaches tokens is tried where the filter, the order or a column asks for it: some seconds.
    reads_embeddings  up to a minute, for more columns and `is:untrained`
    unused            rows of the embeddings to compare the others with, in place of those that are found
    Raises QueryError, TrialError where reaching cannot be tried, VocabError where there are no embeddings.
    """
    names = [] if columns is None else columns
    shown, order = named(names), None if sort is None else named([sort])[0]
    figures = TokenFigures(tokenizer)
    if reads_embeddings:
        from guiapp.analysis.vocabulary_list.embeddings.indicators import (
            token_indicators,  # and gguf, which takes time
        )

        figures = figures.with_indicators(token_indicators(tokenizer.vocabulary, progress, unused))
    if needs_trials(query) or REACHED in (*names, sort):
        figures = figures.with_unreached(unreached_apart(tokenizer, progress))
    ids = listed(figures, query, order, is_descending, progress)
    shown = shown or [column for column in columns_of(figures) if column.is_usual]
    return TokenList(figures, ids, shown, query, spelling)
