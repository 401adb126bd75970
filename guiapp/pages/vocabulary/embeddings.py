"""Embeddings of the Vocabulary page's model: reading them, and the data of a scatter plot."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.vocabulary_list.columns import BY_NAME, TokenFigures
from guiapp.analysis.vocabulary_list.listing import Flags, Ids
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.kit.token_table.vocabulary import VocabularyModel

if TYPE_CHECKING:
    from guiapp.analysis.vocabulary_list.embeddings import Indicators, Prompt

ACROSS = "norm"
UPWARDS = "cosine", "length"  # columns for the y axis: the first that has values
UNTRAINED = "is:untrained"


class EmbeddingsPlot(NamedTuple):
    """Tokens as points: norms on the x axis, another column on the y axis.

    up           the name of the column on the y axis
    tokens       int32[k]: the tokens that have both values
    x, y         float64[k]
    limit_across, limit_up   tokens up to this value look untrained; None if the axis does not show it
    is_suspect, is_known     bool[k]: looks untrained; is known to be unused, or could be
    is_unreached bool[k]: not reached by any trial; all False if nothing was tried
    """

    up: str
    tokens: Ids
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    limit_across: float | None
    limit_up: float | None
    is_suspect: Flags
    is_known: Flags
    is_unreached: Flags


class EmbeddingsModel(Working):
    """Reads the embeddings on request, and passes them to the list of tokens.

    problem  why they could not be read, or ""

    Signals:
        changed(): `indicators`, `problem` or `picture` is new, or reading starts or ends.
    """

    changed = Signal()

    def __init__(self, model: VocabularyModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.problem = ""
        self.picture: EmbeddingsPlot | None = None
        self.reading = LatestJob["Indicators"](self, self._take, self._fail)
        self.reading.busy_changed.connect(self.changed)
        self._vocabulary: Vocabulary | None = None
        model.source_changed.connect(self._on_source_changed)

    @property
    def indicators(self) -> Indicators | None:
        """The indicators, or None until the embeddings are read."""
        source = self._model.source
        return None if source is None else source.indicators

    def read(self, unused: Ids | None = None) -> None:
        """Read the embeddings, and compare them with rows `unused`, by default those known to be unused."""
        if self._model.source is not None:
            self.problem = ""
            vocabulary = self._model.source.vocabulary
            self.reading.start(partial(_read, vocabulary, None if unused is None else unused.tolist()))

    def list_suspects(self) -> None:
        """List the tokens that look untrained, the most suspicious first; or list all tokens again."""
        if (indicators := self.indicators) is not None:
            self._model.sort_by(indicators.column, is_descending=False)
            self._model.toggle_term(UNTRAINED)

    def step(self, by: int) -> None:
        """Select the next or the previous suspect."""
        if self.indicators is not None and len(suspects := self.indicators.suspects):
            at = np.flatnonzero(suspects == self._model.chosen)
            row = int(at[0]) + by if len(at) else 0 if by > 0 else -1
            self._model.choose(int(suspects[row % len(suspects)]))

    @property
    def n_unreached(self) -> int | None:
        """How many suspects were not reached with text by any trial, or None if unknown."""
        source = self._model.source
        if source is None or self.indicators is None or source.is_reached is None:
            return None
        return int((source.is_reached[self.indicators.suspects] == 0).sum())

    def prompt(self) -> Prompt | None:
        """A prompt to test the model with the chosen token, or None if it is not made of whole characters."""
        from guiapp.analysis.vocabulary_list.embeddings import repeating_prompt

        source, token = self._model.source, self._model.chosen
        return None if source is None or token is None else repeating_prompt(source.tokenizer, token)

    def values(self, token: int) -> Mapping[str, str]:
        """The values of a token in the plot, by column name."""
        source, picture = self._model.source, self.picture
        if source is None or picture is None:
            return {}
        names, spelling = dict.fromkeys((ACROSS, picture.up)), self._model.session.spelling.now
        return {name: BY_NAME[name].text(source, token, spelling) for name in names}

    def _take(self, indicators: Indicators) -> None:
        assert self._model.source is not None
        self._model.use(self._model.source.with_indicators(indicators))
        self._model.add_columns((ACROSS, indicators.column))
        self._model.try_reaching()

    def _fail(self, problem: str) -> None:
        self.problem = problem
        self.changed.emit()

    def _on_source_changed(self) -> None:
        source = self._model.source
        vocabulary = None if source is None else source.vocabulary
        if vocabulary is not self._vocabulary:
            self._vocabulary, self.problem = vocabulary, ""
            self.reading.cancel()
        self.picture = None if source is None else _picture(source)
        self.changed.emit()


def _picture(figures: TokenFigures) -> EmbeddingsPlot | None:
    indicators, across = figures.indicators, BY_NAME[ACROSS].values(figures)
    if indicators is None or across is None:
        return None
    values = ((name, BY_NAME[name].values(figures)) for name in UPWARDS)
    up, upwards = next(each for each in values if each[1] is not None and np.isfinite(each[1]).any())
    assert upwards is not None
    tokens = np.flatnonzero(np.isfinite(across) & np.isfinite(upwards)).astype(np.int32)
    reached = figures.is_reached
    return EmbeddingsPlot(
        up=up,
        tokens=tokens,
        x=across[tokens].astype(np.float64),
        y=upwards[tokens].astype(np.float64),
        limit_across=indicators.limit if indicators.column == ACROSS else None,
        limit_up=indicators.limit if indicators.column == up else None,
        is_suspect=figures.flags(indicators.suspects)[tokens],
        is_known=indicators.is_known[tokens],
        is_unreached=np.zeros(len(tokens), np.bool_) if reached is None else reached[tokens] == 0,
    )


def _read(vocabulary: Vocabulary, unused: list[int] | None, progress: Progress) -> Indicators:
    from guiapp.analysis.vocabulary_list.embeddings import (
        token_indicators,  # imported here, because it imports gguf, which is slow
    )

    return token_indicators(vocabulary, progress, unused)
