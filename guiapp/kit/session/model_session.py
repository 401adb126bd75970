"""A model applied to a text: options, tokens, the selected token; and several models that are compared."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import Options, TokenStore, n_in_lines
from guiapp.analysis.explain.characters import n_characters
from guiapp.analysis.explain.round_trip import RoundTrip, round_trip_of
from guiapp.core.encode.catalogue import Algorithm
from guiapp.core.formats.tokenizer_config import name_before
from guiapp.core.open_model import open_model
from guiapp.kit.document.live_spans import PAUSE_MS, ExactSpans, Instead, Job, LiveSpans, compared, explained
from guiapp.kit.document.statistics import SelectionStatistics, TextStatistics
from guiapp.kit.session.loader import Load, ModelLoader
from guiapp.kit.session.text_session import PointedAt, TextSession
from guiapp.kit.spans.layout import token_at
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.state.background import Background, Progress
from guiapp.kit.state.settings import SharedSpelling

if TYPE_CHECKING:
    from guiapp.analysis.explain.encoder_agreement import EncoderAgreement
    from guiapp.analysis.hunt.other_readings import OtherReading
    from guiapp.core.encode.exactness import Exactness
    from guiapp.core.encode.tokenizer import Tokenizer

    OtherReadings = tuple[OtherReading, ...]

MOST_COMPARED = 4  # models at a time
READINGS_WAIT_MS = 1_000  # after opening a model: comparing other readings of it is not urgent


def _other_readings(tokenizer: Tokenizer, progress: Progress) -> OtherReadings:
    """The readings of the model by other programs; imports nothing if there obviously are none."""
    vocabulary, folder = tokenizer.vocabulary, list[str]()
    if vocabulary.path is None:
        return ()
    with suppress(OSError):
        folder = os.listdir(vocabulary.path.parent)
    if not vocabulary.readings and all(name_before(Path(name)) != "" for name in folder):
        return ()
    from guiapp.analysis.hunt.other_readings import readings_apart

    return readings_apart(vocabulary.path, vocabulary.chosen_pre or None, progress)


class ModelSession(TokenizedText):
    """One model and its tokens of a text.

    Token indexes count from 0 over all tokens, including BOS and EOS; spans are byte ranges of the text.
    After `tokens_changed` an index may refer to a different token.
    Several sessions may share one text.  When signals report an edit, text, tokens and selected tokens of
    all sessions are already up to date.

    text      the session of the text, which others share
    exact     the result of the exact encoder, while an approximate one is in use
    looked_at the token that the user chose last, if the text does not contain it

    Signals:
        vocabulary_changed(): another model is open; its tokens follow with `tokens_changed`.
        options_changed(): `options` is new.
        selected_token_changed(), hovered_token_changed(): the selected or hovered token is new.
        looked_at_changed(): the user looks at a token that the text does not contain.
        statistics_changed(): `statistics` or `selection_statistics` is new.
        closed(): the session emits nothing more.
    """

    vocabulary_changed = Signal()
    options_changed = Signal()
    selected_token_changed = Signal()
    looked_at_changed = Signal()
    hovered_token_changed = Signal()
    statistics_changed = Signal()
    closed = Signal()

    def __init__(
        self,
        text: TextSession,
        options: Options | None = None,
        load: Load = open_model,
        parent: QObject | None = None,
        checks: bool = True,
        spelling: SharedSpelling | None = None,
    ) -> None:
        """If `checks`, check the round trip, the encoder and other readings when typing pauses."""
        super().__init__(text.document, None, spelling or SharedSpelling(), parent=parent)
        self._checks = checks
        self.text = text
        self.loader = ModelLoader(load, self)
        self.spans = LiveSpans(text.document, self)
        self.exact = ExactSpans(text.document, self)
        self.round_trip = Background[RoundTrip](self, self._comparing_round_trip, is_watched=checks)
        self.encoder_check = Background["EncoderAgreement"](self, self._comparing_encoders, is_watched=checks)
        self.readings = Background["OtherReadings"](self, self._comparing_readings, is_watched=checks)
        self.options = options or Options()
        self._selected_token: int | None = None
        self._told_token: int | None = None  # the selected token of the last `selected_token_changed`
        self.looked_at: int | None = None
        self.loader.model_changed.connect(self._use_model)
        self.spans.encoded.connect(self._notify_tokens_changed)
        self.spans.timed.connect(self.statistics_changed)
        self._links = [
            self.document.written.connect(self._on_written),
            self.document.edited.connect(self._notify_tokens_changed),
            self.document.selection_changed.connect(self._on_caret_moved),
            text.chosen.connect(self._on_chosen),
            text.hovered_changed.connect(self.hovered_token_changed),
        ]

    def close(self) -> None:
        """Stop all work and disconnect from the text; nothing is emitted any more.

        Release the model as well, so that remaining references to this session do not hold hundreds of MB.
        """
        for link in self._links:
            QObject.disconnect(link)
        if self._is_hovered:
            self.text.hover(None)
        self.loader.wait()
        self.spans.close()
        self.exact.close()
        self.round_trip.close()
        self.encoder_check.close()
        self.readings.close()
        self.closed.emit()
        self.loader.model = None
        self._selected_token = None
        self._use_encoders()

    # Model and options

    @property
    def tokenizer(self) -> Tokenizer | None:
        return None if self.loader.model is None else self.loader.model.tokenizer

    @property
    def encoders(self) -> Mapping[str, Algorithm]:
        """The algorithms that the vocabulary offers, the default first."""
        return {} if self.tokenizer is None else self.tokenizer.encoders

    @property
    def algorithm(self) -> Algorithm | None:
        return self.encoders.get(self.options.encoder or next(iter(self.encoders), ""))

    @property
    def exactness(self) -> Exactness | None:
        """How reliably the tokens agree with those of the model's own library."""
        if self.tokenizer is None or self.algorithm is None:
            return None
        exactness = self.tokenizer.exactness
        if self.algorithm.exact:
            return exactness
        library = self.tokenizer.vocabulary.library
        reason = f"“{self.algorithm.title}” does not always give the same tokens as {library}."
        if self.encoder_check.value is not None:
            reason += f" {explained(self.encoder_check.value)}"
        elif self.document.size:
            reason += " Counting how many tokens are the same for this text …"
        if exactness.level != "exact":
            reason += f"\n\n{exactness.reason}"
        return replace(exactness, level="approximate", reason=reason)

    def set_add_special(self, add_special: bool) -> None:
        self.set_options(replace(self.options, add_special=add_special))

    def set_parse_special(self, parse_special: bool) -> None:
        self.set_options(replace(self.options, parse_special=parse_special))

    def set_encoder(self, name: str | None) -> None:
        self.set_options(replace(self.options, encoder=name))

    def set_options(self, options: Options) -> None:
        if options == self.options:
            return
        self.options = options
        self._use_encoders()
        self.encoder_check.forget()
        self.options_changed.emit()
        self._catch_up()

    def _use_model(self) -> None:
        if self.options.encoder not in self.encoders and self.options.encoder is not None:
            self.options = replace(self.options, encoder=None)
        self._use_encoders()
        self.readings.forget()
        self.readings.refresh(READINGS_WAIT_MS)
        self._selected_token = self._token_at_caret()
        self.vocabulary_changed.emit()
        self.options_changed.emit()
        self._notify_tokens_changed()

    def _use_encoders(self) -> None:
        self.spans.use(self.tokenizer, self.options)
        self.exact.use(self.tokenizer if self._checks else None, self.options)

    def _catch_up(self) -> None:
        self.spans.catch_up()
        self.exact.catch_up()

    # Tokens

    @property
    def tokens(self) -> TokenStore:
        """The tokens of the text, valid until the next edit; empty if it cannot be encoded."""
        return self.spans.tokens

    @property
    def n_affixes(self) -> tuple[int, int]:
        """How many tokens are added before and after the text; (0, 0) if it cannot be encoded."""
        if self.tokenizer is None or not self.options.add_special or not len(self.tokens):
            return 0, 0
        before, after = self.tokenizer.special_affixes()
        return len(before), len(after)

    def n_in_line(self, start: int, end: int) -> int:
        """How many tokens begin in a line of the text, without BOS and EOS."""
        first = self.tokens.first_from(start) if start else self.n_affixes[0]
        return max(self.tokens.first_from(end) - first, 0)

    def line_counter(self) -> Callable[[], NDArray[np.int64]]:
        """A function that returns `n_in_line` for all lines, callable in any thread."""
        return partial(n_in_lines, self.tokens.starts(), self.document.buffer.line_starts(), *self.n_affixes)

    def exact_instead(self, index: int) -> Instead | None:
        """What the exact encoder gives instead of a token; None if the same, or unknown."""
        return self.exact.instead_of(self.tokens, index)

    @property
    def is_encoding(self) -> bool:
        return self.spans.is_behind

    @property
    def statistics(self) -> TextStatistics:
        document, spans = self.document, self.spans
        length = document.n_characters, document.size
        return TextStatistics(len(self.tokens), *length, spans.elapsed_ns, spans.timed_bytes)

    @property
    def selection_statistics(self) -> SelectionStatistics | None:
        """Counts of the selected text; None if nothing is selected."""
        if not self.document.has_selection:
            return None
        start, end = self.document.selection
        is_exact = self.algorithm is not None and self.algorithm.exact
        n_tokens = self.spans.count_part(start, end) if is_exact else None
        counted = n_tokens
        if counted is None:
            counted = self.tokens.n_with_text(*self.tokens.indexes_in(start, end))
        n_selected = n_characters(self.document.slice(start, end))
        return SelectionStatistics(counted, n_tokens is not None, n_selected, end - start)

    @property
    def tokens_of_selected_text(self) -> tuple[int, int] | None:
        """The tokens [start, end) that overlap the selection; None if nothing is selected."""
        return self.tokens.indexes_in(*self.document.selection) if self.document.has_selection else None

    # Selection

    @property
    def hovered_token(self) -> int | None:
        """The token under the mouse; for a token of another model, the one that covers its first byte."""
        hovered = self.text.hovered
        if hovered is None or (index := self._index_of(hovered)) is None:
            return None
        return index if index < len(self.tokens) else None

    @property
    def _is_hovered(self) -> bool:
        return self.text.hovered is not None and self.text.hovered.model is self

    def select_token(self, index: int | None) -> None:
        """Select a token and move the caret to its start; other models follow, unless it has no text."""
        if index is not None and index != self.selected_token:
            start, end = self.tokens.span(index)
            if start < end:
                self.text.choose(PointedAt(self, index, start, end))
        self._set_selected(index)

    @property
    def selected_token(self) -> int | None:
        return self._selected_token

    @property
    def selected_id(self) -> int | None:
        """The id of the selected token."""
        index = self.selected_token
        if index is None or index >= len(self.tokens):
            return None
        return int(self.tokens.ids(index, index + 1)[0])

    def next_use(self, token_id: int) -> int | None:
        """The index of the next occurrence after the selected token, wrapping around; None if none."""
        indexes = np.flatnonzero(self.tokens.ids(0, len(self.tokens)) == token_id)
        if not len(indexes):
            return None
        selected = -1 if self.selected_token is None else self.selected_token
        return int(indexes[np.searchsorted(indexes, selected, "right") % len(indexes)])

    def select_use(self, token_id: int) -> None:
        """Select the next occurrence of a token, unless the selected token is one already."""
        self.looked_at = None
        if token_id == self.selected_id:
            return
        if (index := self.next_use(token_id)) is not None:
            self.select_token(index)
        else:
            self.looked_at = token_id
            self.looked_at_changed.emit()

    def hover_token(self, index: int | None) -> None:
        self.text.hover(None if index is None else PointedAt(self, index, *self.tokens.span(index)))

    def _index_of(self, pointed_at: PointedAt) -> int | None:
        """The index of the corresponding token of this model."""
        model, token, start, end = pointed_at
        if model is self:
            return token
        if model is not None and start == end:
            return None  # BOS or EOS of another model
        index = token_at(self.spans_in(start, start + 1), start)
        return index if index >= 0 else None

    def _on_chosen(self, chosen: PointedAt) -> None:
        index = self._index_of(chosen)
        self._set_selected(self._token_at_caret() if index is None else index)

    def _on_caret_moved(self) -> None:
        if not self.text.is_choosing:
            self._set_selected(self._token_at_caret())
        self.statistics_changed.emit()
        self.spans.expect_edit()
        self.exact.expect_edit()

    def _token_at_caret(self) -> int | None:
        """The selected token if the caret touches it, else the one after the caret."""
        caret = self.document.caret
        if self.selected_token is not None and self.selected_token < len(self.tokens):
            start, end = self.tokens.span(self.selected_token)
            if start <= caret <= end:
                return self.selected_token
        window = self.spans_in(caret, caret)
        after = token_at(window, caret)
        if after < 0 and caret > 0:
            after = token_at(window, caret - 1)
        return after if after >= 0 else None

    def _set_selected(self, index: int | None) -> None:
        self._selected_token = index
        if index != self._told_token:
            self._told_token, self.looked_at = index, None
            self.selected_token_changed.emit()

    # Following the text

    def _on_written(self, edit: TextEdit) -> None:
        """Update the tokens before other objects are notified of the edit."""
        self.spans.apply_edit(edit)
        self.exact.apply_edit(edit)
        self._selected_token = self._token_at_caret()

    def _notify_tokens_changed(self, edit: TextEdit | None = None) -> None:
        self._selected_token, self.looked_at = self._token_at_caret(), None
        self.round_trip.forget()
        self.encoder_check.forget()
        if self._is_hovered:
            self.hover_token(self.hovered_token)  # it may have moved or disappeared
        self.tokens_changed.emit(edit, self.tokens)
        self._set_selected(self.selected_token)
        self.statistics_changed.emit()
        if not self.is_encoding:
            self.round_trip.refresh(PAUSE_MS)
            if self.algorithm is not None and not self.algorithm.exact:
                self.encoder_check.refresh(PAUSE_MS)
        self._catch_up()  # last: its thread competes with later listeners for the GIL

    def _comparing_round_trip(self) -> Job[RoundTrip] | None:
        n_tokens = len(self.tokens)
        if self.tokenizer is None or not (n_tokens or self.document.size):
            return None
        before, after = self.n_affixes
        token_ids = self.tokens.ids(before, n_tokens - after)
        return partial(round_trip_of, self.tokenizer, self.document.text(), token_ids, self.options)

    def _comparing_readings(self) -> Callable[[Progress], OtherReadings] | None:
        return None if self.tokenizer is None else partial(_other_readings, self.tokenizer)

    def _comparing_encoders(self) -> Job[EncoderAgreement] | None:
        if self.tokenizer is None or not (len(self.tokens) or self.document.size):
            return None
        return partial(compared, self.tokenizer, self.document.text(), self.options)


class ComparedModels(QObject):
    """The sessions of one text; the first is the window's own, which is never removed.

    sessions  from left to right

    Signals:
        sessions_changed(): `sessions` is new; removed ones will be closed.
        models_changed(): the open or loading models, or `partner`, are new.
    """

    sessions_changed = Signal()
    models_changed = Signal()

    def __init__(self, session: ModelSession, load: Load = open_model) -> None:
        super().__init__()
        self._load = load
        self.sessions = [session]
        self._partner: ModelSession | None = None
        self._connect(session)
        self.sessions_changed.connect(self.models_changed)

    @property
    def partner(self) -> ModelSession | None:
        """The second of two compared models: the one chosen last, else the first that was added."""
        others = self.sessions[1:]
        return self._partner if self._partner in others else next(iter(others), None)

    def choose_partner(self, session: ModelSession) -> None:
        if session is not self.partner:
            self._partner = session
            self.models_changed.emit()

    @property
    def can_add(self) -> bool:
        return len(self.sessions) < MOST_COMPARED

    def add(self, name: str, pre: str | None = None) -> ModelSession:
        """Start opening one more model, with the options of the first one; `pre` as in `open_model`."""
        assert self.can_add
        first = self.sessions[0]
        session = ModelSession(first.text, first.options, self._load, self, False, first.spelling)
        self._connect(session)
        self.sessions.append(session)
        self.sessions_changed.emit()
        session.loader.open(name, pre)
        return session

    def _connect(self, session: ModelSession) -> None:
        loader = session.loader
        for signal in (loader.loading_changed, loader.refused_changed, loader.failed):
            signal.connect(self.models_changed)
        session.vocabulary_changed.connect(self.models_changed)

    def remove(self, session: ModelSession) -> None:
        """Remove and close a session that was added."""
        self.sessions.remove(session)
        self.sessions_changed.emit()
        session.close()
        session.deleteLater()

    def stop(self) -> None:
        """Close the added sessions; they emit nothing more."""
        for session in self.sessions[1:]:
            session.close()
