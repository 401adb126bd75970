"""What all pages share: the model, the text, the options and the selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp import open_model
from guiapp.core.catalogue import Algorithm
from guiapp.core.editing.options import Options
from guiapp.core.editing.text_buffer import TextEdit
from guiapp.core.editing.token_store import TokenStore
from guiapp.core.errors import TokenloupeError
from guiapp.core.explain.characters import n_characters
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.models.loader import Load, ModelLoader
from guiapp.viewmodels.text import round_trip
from guiapp.viewmodels.text.check import TextCheck
from guiapp.viewmodels.text.document import TextDocument
from guiapp.viewmodels.text.encoder_check import EncoderCheckInput, compared, explained
from guiapp.viewmodels.text.files import read_text, write_text
from guiapp.viewmodels.text.live_spans import LiveSpans
from guiapp.viewmodels.text.origins import TextOrigins
from guiapp.viewmodels.text.round_trip import RoundTripInput
from guiapp.viewmodels.text.statistics import SelectionStatistics, TextStatistics
from guiapp.viewmodels.tokens.layout import SpanWindow, token_at

if TYPE_CHECKING:
    from guiapp.core.explain.exactness import Exactness
    from guiapp.core.tokenizer import Tokenizer


class Workspace(QObject):
    """The state of the program; a `TokenSource` for panels, and a `SpanSource` for editors.

    An edit is told of when all of it has arrived: text, tokens and selection are those after it, whoever
    asks first.

    Signals:
        vocabulary_changed(): another model is open; its tokens follow with `tokens_changed`.
        options_changed(): `options` is new.
        tokens_changed(TextEdit | None, TokenStore): the tokens are new or moved, by an edit if there is one.
        selected_token_changed(), hovered_token_changed(): which token is pointed at.
        statistics_changed(): `statistics` or `selection_statistics` is new.
        text_file_changed(): `text_path` or `is_modified` is new.
        text_left(): another text takes the place of the present one, right now.
        text_file_failed(str): why a text could not be opened or saved.
        pointed_out(object, object): people are to see this stretch of the text, from byte to byte.
    """

    vocabulary_changed = Signal()
    options_changed = Signal()
    tokens_changed = Signal(object, object)
    selected_token_changed = Signal()
    hovered_token_changed = Signal()
    statistics_changed = Signal()
    text_file_changed = Signal()
    text_left = Signal()
    text_file_failed = Signal(str)
    pointed_out = Signal(object, object)

    def __init__(
        self,
        text: bytes = b"",
        options: Options | None = None,
        load: Load = open_model,
    ) -> None:
        super().__init__()
        self.document = TextDocument(text, self)
        self.loader = ModelLoader(load, self)
        self.spans = LiveSpans(self.document, self)
        self.round_trip = TextCheck(round_trip.compare, self)
        self.encoder_check = TextCheck(compared, self)
        self._options = options or Options()
        self._selected_token: int | None = None
        self._told_token: int | None = None  # the selected one that others know
        self._hovered_token: int | None = None
        self._follows_caret = True
        self._origins = TextOrigins()
        self._is_replacing_text = False
        self._told_file: tuple[Path | None, bool] = (None, False)
        self.text_job = LatestJob[tuple[Path, bytes]](self)
        self.text_job.done.connect(self._take_text)
        self.text_job.failed.connect(self.text_file_failed)
        self.loader.model_changed.connect(self._use_model)
        self.spans.encoded.connect(self._take_tokens)
        self.spans.timed.connect(self.statistics_changed)
        self.document.written.connect(self._follow_edit)
        self.document.edited.connect(self._tell_edit)
        self.document.selection_changed.connect(self._follow_caret)

    # Model and options

    @property
    def tokenizer(self) -> Tokenizer | None:
        return None if self.loader.model is None else self.loader.model.tokenizer

    @property
    def vocabulary(self) -> Vocabulary | None:
        return None if self.tokenizer is None else self.tokenizer.vocabulary

    @property
    def encoders(self) -> Mapping[str, Algorithm]:
        """The algorithms that the vocabulary offers, the default first."""
        return {} if self.tokenizer is None else self.tokenizer.encoders

    @property
    def algorithm(self) -> Algorithm | None:
        """The algorithm in use."""
        return self.encoders.get(self._options.encoder or next(iter(self.encoders), ""))

    @property
    def exactness(self) -> Exactness | None:
        """How far the tokens can be trusted to be those of the model's own library."""
        if self.tokenizer is None or self.algorithm is None:
            return None
        exactness = self.tokenizer.exactness
        if self.algorithm.exact:
            return exactness
        reason = (
            f"“{self.algorithm.title}” does not always give {self.tokenizer.vocabulary.library}'s tokens."
        )
        if self.encoder_check.result is not None:
            reason += f" {explained(self.encoder_check.result)}"
        elif self.document.size:
            reason += " How many of its tokens are the same for this text is being found out."
        if exactness.level != "exact":
            reason += f"\n\n{exactness.reason}"
        return replace(exactness, level="approximate", reason=reason)

    @property
    def options(self) -> Options:
        return self._options

    def set_add_special(self, add_special: bool) -> None:
        self._set_options(replace(self._options, add_special=add_special))

    def set_parse_special(self, parse_special: bool) -> None:
        self._set_options(replace(self._options, parse_special=parse_special))

    def set_encoder(self, name: str | None) -> None:
        self._set_options(replace(self._options, encoder=name))

    def _set_options(self, options: Options) -> None:
        if options == self._options:
            return
        self._options = options
        self._hand_over()
        self.encoder_check.forget()
        self.options_changed.emit()
        self.spans.catch_up()

    def _use_model(self) -> None:
        if self._options.encoder not in self.encoders and self._options.encoder is not None:
            self._options = replace(self._options, encoder=None)
        self._hand_over()
        self._selected_token = self._token_at_caret()
        self.hover_token(None)
        self.vocabulary_changed.emit()
        self.options_changed.emit()
        self._tell_tokens(None)

    def _hand_over(self) -> None:
        if self.tokenizer is not None:
            self.spans.use(self.tokenizer, self._options)

    # Tokens

    @property
    def tokens(self) -> TokenStore:
        """Those of the text, to read from until the next edit; none where it cannot be encoded."""
        return self.spans.encoded_text.tokens

    def spans_in(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap or touch the bytes [start, end]."""
        first, last = self.tokens.first_ending_from(start), self.tokens.first_behind(end)
        return SpanWindow(first, *self.tokens.between(first, last))

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        if self.vocabulary is None:
            return np.zeros(len(ids), np.uint16)
        attributes: NDArray[np.uint16] = self.vocabulary.signs[ids]
        return attributes

    def label_of(self, token_id: int) -> str:
        """What to call a token that is not in the text."""
        return "" if self.vocabulary is None else visible_text(self.vocabulary.raw_text(token_id))

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    @property
    def is_encoding(self) -> bool:
        return self.spans.is_behind

    def token_ids(self, start: int, end: int) -> NDArray[np.int32]:
        return self.tokens.ids(start, end)

    def tints(self, start: int, end: int) -> NDArray[np.uint8]:
        return self.tokens.between(start, end).tints

    def n_times(self, token_id: int) -> int:
        return self.tokens.count(token_id)

    def span(self, index: int) -> tuple[int, int]:
        return self.tokens.span(index)

    def text_slice(self, start: int, end: int) -> bytes:
        return self.document.slice(start, min(end, self.document.size))

    def n_characters_before(self, offset: int) -> int:
        return self.document.n_characters_before(offset)

    @property
    def statistics(self) -> TextStatistics:
        text = self.spans.encoded_text
        return TextStatistics(
            len(text.tokens), text.n_characters, text.n_bytes, text.elapsed_ns, text.timed_bytes
        )

    @property
    def selection_statistics(self) -> SelectionStatistics | None:
        """Counts of the selected text; None where nothing is selected."""
        if not self.document.has_selection:
            return None
        start, end = self.document.selection
        is_exact = self.algorithm is not None and self.algorithm.exact
        n_tokens = self.spans.count_part(start, end) if is_exact else None
        inside = self.tokens.between(*self.tokens.indexes_in(start, end))
        counted = np.count_nonzero(inside.ends > inside.starts) if n_tokens is None else n_tokens
        n_selected = n_characters(self.document.slice(start, end))
        return SelectionStatistics(int(counted), n_tokens is not None, n_selected, end - start)

    @property
    def n_bytes(self) -> int:
        """The length of the text."""
        return self.document.size

    @property
    def tokens_of_selected_text(self) -> tuple[int, int] | None:
        """The tokens [start, end) that the selection is in, also in part; None where there is none."""
        return self.tokens.indexes_in(*self.document.selection) if self.document.has_selection else None

    # Selection

    @property
    def selected_token(self) -> int | None:
        return self._selected_token

    @property
    def hovered_token(self) -> int | None:
        return self._hovered_token

    def select_token(self, index: int | None) -> None:
        """Select a token, and put the caret where it begins."""
        if index is not None and index != self._selected_token:
            start, end = self.span(index)
            self._follows_caret = False
            if start < end and not start <= self.document.caret <= end:
                self.document.set_caret(start)
            self._follows_caret = True
        self._set_selected(index)

    def select_stretch(self, start: int, end: int) -> None:
        """Select a stretch of the text, as whole characters, and the token that it begins in."""
        self._follows_caret = False
        self.document.select(*self.document.whole_characters(start, end))
        self._follows_caret = True
        index = token_at(self.spans_in(start, start + 1), start)
        self._set_selected(index if index >= 0 else self._token_at_caret())

    def point_out(self, start: int, end: int) -> None:
        """Have a stretch of the text selected and brought into view, whatever page is shown."""
        self.pointed_out.emit(start, end)

    def hover_token(self, index: int | None) -> None:
        if index != self._hovered_token:
            self._hovered_token = index
            self.hovered_token_changed.emit()

    def _follow_caret(self) -> None:
        if self._follows_caret:
            self._set_selected(self._token_at_caret())
        self.statistics_changed.emit()

    def _token_at_caret(self) -> int | None:
        """The selected token as long as the caret touches it, else the one behind the caret."""
        caret = self.document.caret
        if self._selected_token is not None and self._selected_token < self.n_tokens:
            start, end = self.span(self._selected_token)
            if start <= caret <= end:
                return self._selected_token
        window = self.spans_in(caret, caret)
        behind = token_at(window, caret)
        if behind < 0 and caret > 0:
            behind = token_at(window, caret - 1)
        return behind if behind >= 0 else None

    def _set_selected(self, index: int | None) -> None:
        self._selected_token = index
        if index != self._told_token:
            self._told_token = index
            self.selected_token_changed.emit()

    # Following the text

    def _follow_edit(self, edit: TextEdit) -> None:
        """Be in step with the text, before anybody is told of the edit."""
        self.spans.follow(edit)
        self._selected_token = self._token_at_caret()
        if not self._is_replacing_text:
            self._origins.follow_edit(self.document.buffer)

    def _tell_edit(self, edit: TextEdit) -> None:
        self._tell_tokens(edit)
        if not self._is_replacing_text:
            self._tell_text_file()

    def _take_tokens(self) -> None:
        self._selected_token = self._token_at_caret()
        self._tell_tokens(None)

    def _tell_tokens(self, edit: TextEdit | None) -> None:
        self.round_trip.forget()
        self.encoder_check.forget()
        if self._hovered_token is not None and self._hovered_token >= self.n_tokens:
            self.hover_token(None)
        self.tokens_changed.emit(edit, self.tokens)
        self._set_selected(self._selected_token)
        self.statistics_changed.emit()
        if not self.is_encoding:
            self._check()
        self.spans.catch_up()  # last: its thread takes half the time of whoever follows meanwhile

    # Text files

    @property
    def text_path(self) -> Path | None:
        """The file that the text came from or was saved to."""
        return self._origins.present.path

    @property
    def is_modified(self) -> bool:
        """Whether the text was edited since it was opened or saved."""
        return self._origins.present.is_modified

    def open_text(self, path: Path) -> None:
        """Put the bytes of a file in place of the text; undo brings the old text back."""
        self.text_job.start(partial(_read, path))

    def save_text(self, path: Path) -> bool:
        """Write the text to a file; whether that worked."""
        try:
            write_text(path, self.document.text())
        except TokenloupeError as error:
            self.text_file_failed.emit(str(error))
            return False
        self.document.buffer.end_undo_step()
        self._origins.settle(path, self.document.buffer.mark_last())
        self._tell_text_file()
        return True

    def show_text(self, text: bytes) -> None:
        """Put a text that has no file in place of the present one; undo brings that back."""
        self._replace_text(text, None)

    def show_kept_text(self, text: bytes, path: Path | None) -> None:
        """Put a text that was kept in place of the present one; of a file it is a changed version."""
        self._replace_text(text, path, is_modified=path is not None)

    def restore_text(self, text: bytes, path: Path | None) -> None:
        """Begin with a text that was kept, a changed version of the file if there is one."""
        self.document.set_text(text)
        self._origins.begin(path, is_modified=True)
        self._tell_text_file()

    def close(self) -> None:
        """Stop all work; nothing is delivered any more."""
        self.loader.wait()
        self.spans.close()
        self.round_trip.wait()
        self.encoder_check.wait()
        self.text_job.wait()

    def _take_text(self, result: tuple[Path, bytes]) -> None:
        path, text = result
        self._replace_text(text, path)

    def _replace_text(self, text: bytes, path: Path | None, is_modified: bool = False) -> None:
        self.text_left.emit()
        had_text = self.document.size > 0
        self._is_replacing_text = True
        self.document.replace(0, self.document.size, text)
        self._is_replacing_text = False
        self.document.set_caret(0)
        if text or had_text:
            self._origins.replace(path, self.document.buffer.mark_last(), is_modified)
        else:
            self._origins.settle(path, self.document.buffer.mark_last(), is_modified)
        self._tell_text_file()

    def _tell_text_file(self) -> None:
        present = self._origins.present
        if (file := (present.path, present.is_modified)) != self._told_file:
            self._told_file = file
            self.text_file_changed.emit()

    def _check(self) -> None:
        self.round_trip.check(self._round_trip_input)
        if self.algorithm is not None and not self.algorithm.exact:
            self.encoder_check.check(self._encoder_check_input)

    def _round_trip_input(self) -> RoundTripInput | None:
        if self.tokenizer is None or not (self.n_tokens or self.document.size):
            return None
        if not self.n_tokens:  # whose special ones may be missing, which is told where it cannot be encoded
            return RoundTripInput(self.tokenizer, self.document.text(), self.token_ids(0, 0))
        around = self.tokenizer.special_ids_around() if self._options.add_special else ([], [])
        token_ids = self.token_ids(len(around[0]), self.n_tokens - len(around[1]))
        return RoundTripInput(self.tokenizer, self.document.text(), token_ids)

    def _encoder_check_input(self) -> EncoderCheckInput | None:
        if self.tokenizer is None or not (self.n_tokens or self.document.size):
            return None
        return EncoderCheckInput(self.tokenizer, self.document.text(), self._options)


def _read(path: Path, progress: Progress) -> tuple[Path, bytes]:
    return path, read_text(path, progress)
