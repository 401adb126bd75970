"""The tokens of a vocabulary that a filter leaves, as the command line and scripts ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from guiapp.core.explain.spelling import Spelling
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.trials import unreached_apart
from guiapp.core.vocabulary_list.columns import columns_of, named
from guiapp.core.vocabulary_list.figures import TokenFigures
from guiapp.core.vocabulary_list.filters import listed, needs_trials
from guiapp.core.vocabulary_list.report import TokenList

REACHED = "reached"


def vocabulary_list(
    tokenizer: Tokenizer,
    query: str = "",
    sort: str | None = None,
    is_descending: bool = False,
    columns: Sequence[str] | None = None,
    spelling: Spelling = Spelling.SIGNS,
    progress: Callable[[float], None] = lambda share: None,
) -> TokenList:
    """The tokens that a filter leaves, sorted by a column, or the nearest to the texts in it first.

    Whether text reaches tokens is tried where the filter, the order or a column asks for it: some seconds.
    Raises QueryError, and TrialError where that cannot be tried.
    """
    names = [] if columns is None else columns
    shown, order = named(names), None if sort is None else named([sort])[0]
    figures = TokenFigures(tokenizer)
    if needs_trials(query) or REACHED in (*names, sort):
        figures = figures.with_unreached(unreached_apart(tokenizer, progress))
    ids = listed(figures, query, order, is_descending, progress)
    shown = shown or [column for column in columns_of(figures) if column.is_usual]
    return TokenList(figures, ids, shown, query, spelling)
