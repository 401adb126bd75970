"""The tokens of the document at this moment, those of the exact encoder beside them, and checks of both."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from time import perf_counter_ns
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import Options, TokenStore
from guiapp.core.encode.encoding import NO_TOKENS, Encoding, FragmentTokens
from guiapp.core.text.numbers_in_words import percent
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import EncodeError
from guiapp.kit.document.document import TextDocument
from guiapp.kit.state.background import Background, LatestJob, Progress, later

if TYPE_CHECKING:
    from guiapp.analysis.editing.live_encoding import LiveEncoding
    from guiapp.analysis.explain.encoder_agreement import EncoderAgreement, Piece, TokenSpans
    from guiapp.core.encode.tokenizer import Tokenizer

PAUSE_MS = 150  # typing goes on meanwhile
MOST_AT_ONCE = 1 << 15  # bytes around an edit that are encoded in the GUI thread
SMALL = 1 << 17  # bytes that are encoded in no time
WARMING_BYTES = 1 << 10
N_WARM_RUNS = 3
AT_ONCE = 1 << 14  # tokens that are looked through for the next one that differs
MOST_INSTEAD = 64  # tokens that are told in place of one
SHOWN_PIECES, SHOWN_BYTES = 6, 24  # of where two encoders first differ, and of each piece
Found = TypeVar("Found")
Job = Callable[[Progress], Found]


class _Given(NamedTuple):
    """A whole text to encode."""

    tokenizer: Tokenizer
    text: bytes
    options: Options

    def encode(self) -> Encoding:
        options = self.options
        return self.tokenizer.encode(self.text, options.add_special, options.parse_special, options.encoder)

    def timed(self) -> tuple[Encoding, int]:
        """The encoding, and how many nanoseconds it took."""
        started_ns = perf_counter_ns()
        return self.encode(), perf_counter_ns() - started_ns


class LiveSpans(QObject):
    """Keeps the spans of a document that is being edited.

    A small edit is encoded at once, together with its neighbourhood.  Where that reaches far, or while
    a model's first encoding is still being made, the old spans stay, moved to where their text is now,
    until a job in the background has encoded the whole text.

    A short text is encoded whole once more when typing has paused, to know how long that takes.

    tokens                   of the newest encoding, moved along with edits since; valid until the next edit
    is_behind                whether they are another text's, tokenizer's or option's, until all is encoded
    elapsed_ns, timed_bytes  the last whole encoding that was timed, and the length of the text then

    Signals:
        encoded(): a job has encoded the whole text, or found that this cannot be done.
        timed(): `elapsed_ns` and `timed_bytes` are new.
        failed(str): why the text cannot be encoded; there are no spans then.
    """

    encoded = Signal()
    timed = Signal()
    failed = Signal(str)

    def __init__(self, document: TextDocument, parent: QObject | None = None, is_timed: bool = True) -> None:
        super().__init__(parent)
        self._document = document
        self._is_timed = is_timed
        self._tokenizer: Tokenizer | None = None
        self._options = Options()
        self._have_none()
        self._live: LiveEncoding | None = None
        self.is_behind = False
        self.job: LatestJob[tuple[LiveEncoding, int]] = LatestJob(self, self._take, self._fail)
        self.timing = Background[tuple[int, int]](self, self._to_be_timed, is_watched=True)
        self.timing.changed.connect(self._note_time)
        self._pause = later(self, 0, self._expect_edit)

    @property
    def is_known(self) -> bool:
        """Whether `tokens` are those of the present text."""
        return self._live is not None

    @property
    def is_refused(self) -> bool:
        """Whether the present text cannot be encoded."""
        return self._tokenizer is not None and self._live is None and not self.is_behind

    def use(self, tokenizer: Tokenizer | None, options: Options) -> None:
        """Encode with another tokenizer or other options from now on."""
        if tokenizer is not self._tokenizer:
            self._have_none()  # ids of the old vocabulary mean nothing in the new one
        self.job.cancel()
        self._tokenizer, self._options = tokenizer, options
        self._invalidate()

    def apply_edit(self, edit: TextEdit) -> None:
        """Bring the spans to where their text is after an edit, and encode what is new if that is little."""
        if self._live is None or not _update(self._live, self._document, edit):
            move_spans(self.tokens, edit)
            self._invalidate()
        elif self._is_timed and self._document.size < SMALL:
            self.timing.refresh(PAUSE_MS)

    def catch_up(self) -> None:
        """Have the whole text encoded in the background, if that is to be done."""
        if self.is_behind and self._tokenizer is not None:
            self.timing.forget()
            given = _Given(self._tokenizer, self._document.text(), self._options)
            self.job.start(partial(_encode, given))

    def expect_edit(self) -> None:
        """The next edit may be at the caret: prepare for it in a moment."""
        self._pause.start()

    def _invalidate(self) -> None:
        self._live = None
        self.is_behind = self._tokenizer is not None

    def close(self) -> None:
        self._pause.stop()
        self.job.wait()
        self.timing.close()

    def count_part(self, start: int, end: int) -> int | None:
        """The tokens of a part of the text by itself; None where that is not known in a moment."""
        if self._live is None or self._tokenizer is None:
            return None
        from guiapp.analysis.editing.live_encoding import count_selection  # time that starting does not have

        text, parse_special = self._document.view(), self._options.parse_special
        try:
            return count_selection(self._tokenizer, text, self.tokens, parse_special, start, end)
        except EncodeError:  # half a character may be what the vocabulary cannot express
            return None

    def _expect_edit(self) -> None:
        self.tokens.expect_edit(self._document.caret)

    def _take(self, result: tuple[LiveEncoding, int]) -> None:
        (self._live, self.elapsed_ns), self.is_behind = result, False
        self.tokens = self._live.tokens
        self.timed_bytes = self._document.size
        self.encoded.emit()

    def _to_be_timed(self) -> Job[tuple[int, int]] | None:
        """Nanoseconds, and bytes of the text."""
        if self._live is None or self._tokenizer is None:
            return None
        given = _Given(self._tokenizer, self._document.text(), self._options)
        return lambda _: (_warm_ns(given), len(given.text))

    def _note_time(self) -> None:
        if self.timing.is_current and self.timing.value is not None:
            self.elapsed_ns, self.timed_bytes = self.timing.value
            self.timed.emit()

    def _fail(self, message: str) -> None:
        self._have_none()
        self.is_behind = False
        self.encoded.emit()
        self.failed.emit(message)

    def _have_none(self) -> None:
        """No tokens, but the text is still as long as it is."""
        self.tokens = TokenStore(NO_TOKENS, self._document.size)
        self.elapsed_ns = self.timed_bytes = 0


class Instead(NamedTuple):
    """The smallest stretch [start, end) at whose ends both encoders cut, and where the exact one does within.

    spans  of its first tokens, at most MOST_INSTEAD
    """

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]


class ExactSpans(LiveSpans):
    """What the exact encoder makes of the text while an approximate one is in use; not known else."""

    def __init__(self, document: TextDocument, parent: QObject | None = None) -> None:
        super().__init__(document, parent, is_timed=False)

    @property
    def version(self) -> tuple[TokenStore, int] | None:
        """Equal as long as the tokens are the same; None while they are not known."""
        return (self.tokens, self.tokens.replaced.n_changes) if self.is_known else None

    def use(self, tokenizer: Tokenizer | None, options: Options) -> None:
        """From now on beside this encoder; without a tokenizer, and beside an exact one, there is no need."""
        algorithm = None if tokenizer is None else tokenizer.encoders.get(options.encoder or "")
        is_needed = algorithm is not None and not algorithm.exact
        super().use(tokenizer if is_needed else None, replace(options, encoder=None))

    def expect_edit(self) -> None:
        if self.is_known:
            super().expect_edit()

    def differing(self, shown_tokens: TokenSpans) -> NDArray[np.bool_]:
        """bool[k]: which of some tokens that follow each other have text, and the exact encoder has not."""
        if not self.is_known or not len(shown_tokens.ids):
            return np.zeros(len(shown_tokens.ids), np.bool_)
        from guiapp.analysis.explain.encoder_agreement import differing  # time that starting does not have

        first = self.tokens.first_ending_from(int(shown_tokens.starts[0]))
        last = self.tokens.first_after(int(shown_tokens.ends[-1]))
        return differing(shown_tokens, self.tokens.between(first, last))

    def next_from(self, shown_tokens: TokenStore, start: int, end: int, by: int) -> tuple[int, int] | None:
        """The next place with a token that differs behind a stretch, or the last one before it, as bytes.

        At both ends of a place both encoders cut.  From the last one it goes on with the first; None where
        there is none.
        """
        n_tokens = len(shown_tokens)
        at = shown_tokens.first_from(end) if by > 0 else shown_tokens.first_ending_after(start)
        for first, last in _chunks(at, n_tokens) if by > 0 else reversed([*_chunks(at, n_tokens)]):
            rows = np.flatnonzero(self.differing(shown_tokens.between(first, last)))
            if len(rows):
                return self._common_span(shown_tokens, first + int(rows[0 if by > 0 else -1]))
        return None

    def instead_of(self, shown_tokens: TokenStore, index: int) -> Instead | None:
        """What the exact encoder gives where a token is; None where that is the same one."""
        if not self.differing(shown_tokens.between(index, index + 1)).any():
            return None
        tokens, (start, end) = self.tokens, self._common_span(shown_tokens, index)
        first, last = tokens.indexes_in(start, end)
        last = min(last, first + MOST_INSTEAD)
        return Instead(start, end, tuple(tokens.span(at) for at in range(first, last)))

    def _common_span(self, shown_tokens: TokenStore, index: int) -> tuple[int, int]:
        """The smallest one around a token at whose ends both encoders cut."""
        from guiapp.analysis.compare.spans import aligned_span  # time that starting does not have

        return aligned_span((shown_tokens, self.tokens), *shown_tokens.span(index))


def _chunks(at: int, n_tokens: int) -> list[tuple[int, int]]:
    """All tokens from one on, and then those before it, in stretches of AT_ONCE."""
    behind = pairwise([*range(at, n_tokens, AT_ONCE), n_tokens])
    return [*behind, *pairwise([*range(0, at, AT_ONCE), at])]


def _update(live: LiveEncoding, document: TextDocument, edit: TextEdit) -> bool:
    """Encode the neighbourhood of an edit; False where that is too much to do at once, or fails."""
    text = document.view()
    window = live.window(text, edit.start, edit.removed, edit.added)
    if window.end - window.start > MOST_AT_ONCE:
        return False
    try:
        live.update(text, window)
    except EncodeError:
        return False  # the job will fail as well, and say so
    return True


def _encode(given: _Given, progress: Progress) -> tuple[LiveEncoding, int]:
    from guiapp.analysis.editing.live_encoding import LiveEncoding

    with suppress(EncodeError):  # what is made only once is in no time that is told
        given._replace(text=given.text[:WARMING_BYTES]).encode()
    encoding, elapsed_ns = given.timed()
    progress(0.8)
    if len(given.text) < SMALL:
        elapsed_ns = _warm_ns(given)
    return LiveEncoding(given.tokenizer, encoding, given.options), elapsed_ns


def _warm_ns(given: _Given) -> int:
    """How long the encoding of a short text takes, once caches are filled and where nothing comes between."""
    return min(given.timed()[1] for _ in range(N_WARM_RUNS))


def move_spans(tokens: TokenStore, edit: TextEdit) -> None:
    """Put spans of the text before an edit to where they are after it: moved, cut, or gone with their text.

    New text between two tokens belongs to none; tokens before the whole text stay there.
    """
    removed_end = edit.start + edit.removed
    last = max(tokens.first_from(removed_end), tokens.first_ending_after(0))
    first = min(tokens.first_ending_after(edit.start), last)
    gone = min(max(tokens.first_from(edit.start), first), last)
    kept = min(max(tokens.first_ending_after(removed_end), gone), last)
    ids, starts, ends, _ = tokens.between(first, gone).joined_with(tokens.between(kept, last))
    starts = np.minimum(starts, edit.start)
    ends = np.where(ends > removed_end, ends + edit.shift, np.minimum(ends, edit.start))
    tokens.replace(first, last, FragmentTokens(ids, starts, ends), edit.shift)


def explained(agreement: EncoderAgreement) -> str:
    """What was found, for people."""
    if (first := agreement.first_difference) is None:
        return "On this text it gives the same tokens as the exact encoder."
    share, counts = percent(agreement.share, 1), f"{agreement.n_shared:,} of {agreement.n_exact:,}"
    return (
        f"On this text it gives {share} of the exact encoder's tokens ({counts}).\n\n"
        f"They first differ at byte {first.start:,}:\n"
        f"shown\t{_shown(first.approximated)}\nexact\t{_shown(first.exact)}"
    )


def _shown(pieces: tuple[Piece, ...]) -> str:
    shown = " ┆ ".join(f"{visible_text(text, SHOWN_BYTES)}" for _, text in pieces[:SHOWN_PIECES])
    return f"{shown} …" if len(pieces) > SHOWN_PIECES else shown


def compared(tokenizer: Tokenizer, text: bytes, options: Options, progress: Progress) -> EncoderAgreement:
    """Encode the text, and by the exact encoder too, and compare."""
    from guiapp.analysis.explain.encoder_agreement import compare  # time that starting does not have

    exact_name = next(name for name, algorithm in tokenizer.encoders.items() if algorithm.exact)
    exact = tokenizer.encode(text, options.add_special, options.parse_special, exact_name)
    progress(0.4)
    approximated = tokenizer.encode(text, options.add_special, options.parse_special, options.encoder)
    progress(0.8)
    return compare(approximated, exact)
