"""The current tokens of the document, the tokens of the exact encoder, and a comparison of both."""

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

PAUSE_MS = 150  # wait until typing pauses
MOST_AT_ONCE = 1 << 15  # bytes around an edit that may be encoded in the GUI thread
SMALL = 1 << 17  # bytes that are encoded almost instantly
WARMING_BYTES = 1 << 10
N_WARM_RUNS = 3
AT_ONCE = 1 << 14  # tokens that are searched at once for the next difference
MOST_INSTEAD = 64  # exact tokens that are listed in place of a shown one
SHOWN_PIECES, SHOWN_BYTES = 6, 24  # at the first difference: pieces, and bytes of each
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
        """The encoding, and its duration in nanoseconds."""
        started_ns = perf_counter_ns()
        return self.encode(), perf_counter_ns() - started_ns


class LiveSpans(QObject):
    """Keeps the spans of a document up to date while it is edited.

    A small edit is encoded at once, together with its neighbourhood.  If that neighbourhood is too large, or
    the first encoding with a model is not ready, the old spans remain, moved along with their text, until
    a background job has encoded the whole text.

    When typing pauses, a short text is encoded once more as a whole, to measure how long that takes.

    tokens                   of the newest encoding, moved by later edits; valid until the next edit
    is_behind                whether `tokens` are of a previous text, tokenizer or option, until a job is done
    elapsed_ns, timed_bytes  of the last timed encoding of the whole text, and the size of that text

    Signals:
        encoded(): a job has encoded the whole text, or failed to.
        timed(): `elapsed_ns` and `timed_bytes` are new.
        failed(str): why the text cannot be encoded; `tokens` is empty then.
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
        """Whether `tokens` belong to the current text."""
        return self._live is not None

    @property
    def is_refused(self) -> bool:
        """Whether the current text cannot be encoded."""
        return self._tokenizer is not None and self._live is None and not self.is_behind

    def use(self, tokenizer: Tokenizer | None, options: Options) -> None:
        """Encode with another tokenizer or other options from now on."""
        if tokenizer is not self._tokenizer:
            self._have_none()  # ids of the old vocabulary are meaningless in the new one
        self.job.cancel()
        self._tokenizer, self._options = tokenizer, options
        self._invalidate()

    def apply_edit(self, edit: TextEdit) -> None:
        """Move the spans along with an edit, and encode its neighbourhood if that is small."""
        if self._live is None or not _update(self._live, self._document, edit):
            move_spans(self.tokens, edit)
            self._invalidate()
        elif self._is_timed and self._document.size < SMALL:
            self.timing.refresh(PAUSE_MS)

    def catch_up(self) -> None:
        """Encode the whole text in the background, if `tokens` are outdated."""
        if self.is_behind and self._tokenizer is not None:
            self.timing.forget()
            given = _Given(self._tokenizer, self._document.text(), self._options)
            self.job.start(partial(_encode, given))

    def expect_edit(self) -> None:
        """Prepare for an edit at the caret, shortly."""
        self._pause.start()

    def _invalidate(self) -> None:
        self._live = None
        self.is_behind = self._tokenizer is not None

    def close(self) -> None:
        self._pause.stop()
        self.job.wait()
        self.timing.close()

    def count_part(self, start: int, end: int) -> int | None:
        """The number of tokens of a part of the text encoded alone; None if that is not available quickly."""
        if self._live is None or self._tokenizer is None:
            return None
        from guiapp.analysis.editing.live_encoding import count_selection  # a late import: faster start

        text, parse_special = self._document.view(), self._options.parse_special
        try:
            return count_selection(self._tokenizer, text, self.tokens, parse_special, start, end)
        except EncodeError:  # the part may end within a character, which the vocabulary cannot express
            return None

    def _expect_edit(self) -> None:
        self.tokens.expect_edit(self._document.caret)

    def _take(self, result: tuple[LiveEncoding, int]) -> None:
        (self._live, self.elapsed_ns), self.is_behind = result, False
        self.tokens = self._live.tokens
        self.timed_bytes = self._document.size
        self.encoded.emit()

    def _to_be_timed(self) -> Job[tuple[int, int]] | None:
        """Measure nanoseconds, and bytes of the text."""
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
        """Clear the tokens; the text keeps its length."""
        self.tokens = TokenStore(NO_TOKENS, self._document.size)
        self.elapsed_ns = self.timed_bytes = 0


class Instead(NamedTuple):
    """The smallest span [start, end) around a token at whose ends both encoders have a boundary.

    spans  of the exact encoder's first tokens in it, at most MOST_INSTEAD
    """

    start: int
    end: int
    spans: tuple[tuple[int, int], ...]


class ExactSpans(LiveSpans):
    """The tokens of the exact encoder while an approximate one is in use; otherwise unknown."""

    def __init__(self, document: TextDocument, parent: QObject | None = None) -> None:
        super().__init__(document, parent, is_timed=False)

    @property
    def version(self) -> tuple[TokenStore, int] | None:
        """Compares equal while the tokens are the same; None if they are unknown."""
        return (self.tokens, self.tokens.replaced.n_changes) if self.is_known else None

    def use(self, tokenizer: Tokenizer | None, options: Options) -> None:
        """Encode for comparison with this encoder; nothing to do without a tokenizer, or if it is exact."""
        algorithm = None if tokenizer is None else tokenizer.encoders.get(options.encoder or "")
        is_needed = algorithm is not None and not algorithm.exact
        super().use(tokenizer if is_needed else None, replace(options, encoder=None))

    def expect_edit(self) -> None:
        if self.is_known:
            super().expect_edit()

    def differing(self, shown_tokens: TokenSpans) -> NDArray[np.bool_]:
        """bool[k]: which of some consecutive tokens have text and are not tokens of the exact encoder."""
        if not self.is_known or not len(shown_tokens.ids):
            return np.zeros(len(shown_tokens.ids), np.bool_)
        from guiapp.analysis.explain.encoder_agreement import differing  # a late import: faster start

        first = self.tokens.first_ending_from(int(shown_tokens.starts[0]))
        last = self.tokens.first_after(int(shown_tokens.ends[-1]))
        return differing(shown_tokens, self.tokens.between(first, last))

    def next_from(self, shown_tokens: TokenStore, start: int, end: int, by: int) -> tuple[int, int] | None:
        """The next byte span with a differing token after [start, end), or the previous one before it.

        Both encoders have a boundary at each end of that span.  The search wraps around; None if no token
        differs.
        """
        n_tokens = len(shown_tokens)
        at = shown_tokens.first_from(end) if by > 0 else shown_tokens.first_ending_after(start)
        for first, last in _chunks(at, n_tokens) if by > 0 else reversed([*_chunks(at, n_tokens)]):
            rows = np.flatnonzero(self.differing(shown_tokens.between(first, last)))
            if len(rows):
                return self._common_span(shown_tokens, first + int(rows[0 if by > 0 else -1]))
        return None

    def instead_of(self, shown_tokens: TokenStore, index: int) -> Instead | None:
        """The exact encoder's tokens in place of a shown one; None if both are the same."""
        if not self.differing(shown_tokens.between(index, index + 1)).any():
            return None
        tokens, (start, end) = self.tokens, self._common_span(shown_tokens, index)
        first, last = tokens.indexes_in(start, end)
        last = min(last, first + MOST_INSTEAD)
        return Instead(start, end, tuple(tokens.span(at) for at in range(first, last)))

    def _common_span(self, shown_tokens: TokenStore, index: int) -> tuple[int, int]:
        """The smallest span around a token at whose ends both encoders have a boundary."""
        from guiapp.analysis.compare.spans import aligned_span  # a late import: faster start

        return aligned_span((shown_tokens, self.tokens), *shown_tokens.span(index))


def _chunks(at: int, n_tokens: int) -> list[tuple[int, int]]:
    """All tokens from `at` on, then the tokens before it, in ranges of AT_ONCE."""
    after = pairwise([*range(at, n_tokens, AT_ONCE), n_tokens])
    return [*after, *pairwise([*range(0, at, AT_ONCE), at])]


def _update(live: LiveEncoding, document: TextDocument, edit: TextEdit) -> bool:
    """Encode the neighbourhood of an edit; False if it is too large to do at once, or encoding fails."""
    text = document.view()
    window = live.window(text, edit.start, edit.removed, edit.added)
    if window.end - window.start > MOST_AT_ONCE:
        return False
    try:
        live.update(text, window)
    except EncodeError:
        return False  # the background job will fail too, and report why
    return True


def _encode(given: _Given, progress: Progress) -> tuple[LiveEncoding, int]:
    from guiapp.analysis.editing.live_encoding import LiveEncoding

    with suppress(EncodeError):  # exclude one-off initialization from the measured time
        given._replace(text=given.text[:WARMING_BYTES]).encode()
    encoding, elapsed_ns = given.timed()
    progress(0.8)
    if len(given.text) < SMALL:
        elapsed_ns = _warm_ns(given)
    return LiveEncoding(given.tokenizer, encoding, given.options), elapsed_ns


def _warm_ns(given: _Given) -> int:
    """The encoding time of a short text with warm caches; the shortest of several runs."""
    return min(given.timed()[1] for _ in range(N_WARM_RUNS))


def move_spans(tokens: TokenStore, edit: TextEdit) -> None:
    """Move the spans of the text before an edit to where they are after it; cut or delete them with it.

    New text between two tokens belongs to no token; tokens at the very start of the text stay there.
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
    """Describe the agreement, for the user."""
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
    """Encode the text with the chosen encoder and with the exact one, and compare."""
    from guiapp.analysis.explain.encoder_agreement import compare  # a late import: faster start

    exact_name = next(name for name, algorithm in tokenizer.encoders.items() if algorithm.exact)
    exact = tokenizer.encode(text, options.add_special, options.parse_special, exact_name)
    progress(0.4)
    approximated = tokenizer.encode(text, options.add_special, options.parse_special, options.encoder)
    progress(0.8)
    return compare(approximated, exact)
