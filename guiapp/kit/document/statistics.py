"""Token counts of a text, its selection and each line, and a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.encode.counting.cost import CostlyText, CostlyTexts, costly_texts_of
from guiapp.errors import EncodeError
from guiapp.kit.state.background import Background, NotReadyError, Progress, Working
from guiapp.kit.state.settings import Settings

if TYPE_CHECKING:
    from guiapp.core.encode.counting.chunks import Chunk, Level
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.kit.session.model_session import ModelSession

NS_PER_S = 1e9
BYTES_PER_MB = 1e6
MOST_GROWTH = 2  # factor by which a text may grow or shrink before its timing is void
COUNT_PAUSE_MS = 250  # without an edit, until all lines are counted
LOOKED_AT_BYTES = 1 << 14  # of a line; measuring all of a long one would delay each key
DEAR_BELOW = 2  # characters per token, from the third of `cost.STEPS` on
N_MOST = 20  # words and lines that are listed
LONG_BYTES = 1_000_000
LIST_PAUSE_MS, LONG_PAUSE_MS = 150, 1000  # without an edit, in a short text and in a long one
USUAL_BUDGET = 8192  # if neither the user nor the model's file sets one
MOST_BUDGET = 10**9
MOST_CHUNKS, LONGEST_USUAL_BYTES = 50_000, 6  # the second: bytes per token


@dataclass(frozen=True)
class TextStatistics:
    """Counts of a text, and the time to encode it.

    elapsed_ns, timed_bytes  of the last encoding of the whole text; later edits were encoded separately
    """

    n_tokens: int
    n_characters: int
    n_bytes: int
    elapsed_ns: int
    timed_bytes: int

    @property
    def characters_per_token(self) -> float | None:
        """None if there are no tokens."""
        return self.n_characters / self.n_tokens if self.n_tokens else None

    @property
    def speed_mb_per_s(self) -> float | None:
        """None if nothing was timed, or the size of the text has changed too much since."""
        if not self.elapsed_ns or not self.timed_bytes:
            return None
        if max(self.n_bytes, self.timed_bytes) > MOST_GROWTH * min(self.n_bytes, self.timed_bytes):
            return None
        return self.timed_bytes / BYTES_PER_MB / (self.elapsed_ns / NS_PER_S)

    @property
    def speed_tokens_per_s(self) -> float | None:
        """The speed in tokens, at the text's bytes per token."""
        speed = self.speed_mb_per_s
        return None if speed is None else speed * BYTES_PER_MB * self.n_tokens / self.n_bytes


@dataclass(frozen=True)
class SelectionStatistics:
    """Statistics of the selected text.

    n_tokens  of the selected text encoded alone, without BOS and EOS; if `is_exact` is false, the number of
              tokens of the whole text that overlap the selection
    """

    n_tokens: int
    is_exact: bool
    n_characters: int
    n_bytes: int


def format_duration(elapsed_ns: int) -> str:
    """`640 ns`, `9.1 µs`, `12 ms`, `2.5 s`."""
    value = float(elapsed_ns)
    for unit in ("ns", "µs", "ms"):
        if value < 999.5:
            return f"{value:.{1 if value < 9.95 and unit != 'ns' else 0}f} {unit}"
        value /= 1000
    return f"{value:,.1f} s"


def format_speed(speed_mb_per_s: float) -> str:
    """`22 MB/s`, `0.85 MB/s`, with thousands separators; `4.7 kB/s` for very low speeds."""
    if speed_mb_per_s < 0.01:
        return f"{max(1000 * speed_mb_per_s, 0.1):.1f} kB/s"
    digits = 2 if speed_mb_per_s < 1 else 1 if speed_mb_per_s < 10 else 0
    return f"{speed_mb_per_s:,.{digits}f} MB/s"


class LineCosts(Working):
    """Token counts of the lines of a session.

    session  the session
    most     the largest count of any line, which scales all bars

    Signals:
        changed(): counts are new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.most = 0
        self._counting = Background[int](self, self._prepare_counting)
        self._counting.changed.connect(self._on_counted)
        session.tokens_changed.connect(self._on_tokens_changed)

    def set_shown(self, is_shown: bool) -> None:
        """Count all lines only while they are shown."""
        self._counting.watch(is_shown)

    def of_line(self, start: int, end: int) -> tuple[int, bool]:
        """The tokens of a line, and whether it has few characters per token, judged by its first bytes.

        Called for each visible line at each key: it uses no arrays.
        """
        document, n_tokens = self.session.document, self.session.n_in_line(start, end)
        n_looked_at = n_tokens
        if end - start > LOOKED_AT_BYTES:
            end = document.character_start(start + LOOKED_AT_BYTES)
            n_looked_at = self.session.n_in_line(start, end)
        size = n_characters(document.slice(start, end))
        return n_tokens, n_looked_at > 1 and size < DEAR_BELOW * n_looked_at

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        self._counting.refresh(COUNT_PAUSE_MS)
        if self._counting.is_watched:
            self.changed.emit()

    def _prepare_counting(self) -> Callable[[Progress], int]:
        count = self.session.line_counter()
        return lambda _: int(count().max())

    def _on_counted(self) -> None:
        if self._counting.is_current and self._counting.value is not None:
            self.most = self._counting.value
            self.changed.emit()


class MostExpensiveModel(Background[CostlyTexts]):
    """The words and lines of a session's text that cost the most tokens."""

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent, self._prepare_listing)
        self._session = session
        self._edits: list[TextEdit] = []  # since the text that `value` is about
        self.changed.connect(self._on_changed)
        session.tokens_changed.connect(self._on_tokens_changed)

    def go_to(self, row: CostlyText) -> tuple[int, int]:
        """Select and return the first occurrence of a result, moved by the edits since."""
        start, end = row.start, row.end
        for edit in self._edits:
            if edit.start + edit.removed <= start:
                start, end = start + edit.shift, end + edit.shift
        self._session.document.select(*sorted((min(end, self._session.document.size), start)))
        return self._session.document.selection

    def line_of(self, row: CostlyText) -> int:
        """The line number of the result's first occurrence, from 1."""
        return self._session.document.line_of(min(row.start, self._session.document.size)) + 1

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        if edit is not None:
            self._edits.append(edit)
        is_long = self._session.document.size > LONG_BYTES
        self.refresh_for(edit, self._session.document.size, LONG_PAUSE_MS if is_long else LIST_PAUSE_MS)

    def _prepare_listing(self) -> Callable[[Progress], CostlyTexts]:
        if self._session.is_encoding:
            raise NotReadyError
        tokens = self._session.tokens
        find = partial(costly_texts_of, self._session.document.text(), tokens.starts(), tokens.ends(), N_MOST)
        return lambda _: find()

    def _on_changed(self) -> None:
        if self.is_current:  # an edit since would have cancelled the job
            self._edits = []


class TokenBudget(QObject):
    """The token budget of a session: the model's context length, or a custom number saved in the settings.

    Signals:
        changed(): the budget, or how much of it is used, is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        session.vocabulary_changed.connect(self.changed)
        session.tokens_changed.connect(self.changed)

    @property
    def of_model(self) -> int | None:
        """The context length in the model's file, in tokens."""
        from guiapp.analysis.compare.comparison import context_length_of  # a late import: faster start

        vocabulary = self._session.vocabulary
        return None if vocabulary is None else context_length_of(vocabulary)

    @property
    def own(self) -> int | None:
        """The custom budget; None if the user has not chosen one."""
        text = self._settings.budget
        return int(text) if text.isdecimal() and len(text) <= len(str(MOST_BUDGET)) and int(text) else None

    def choose(self, own: int | None) -> None:
        """Set a custom budget; None restores the model's."""
        self._settings.budget = "" if own is None else str(min(max(own, 1), MOST_BUDGET))
        self.changed.emit()

    @property
    def n_most(self) -> int:
        return self.own or self.of_model or USUAL_BUDGET

    @property
    def n_used(self) -> int:
        """The tokens of the text, BOS and EOS included."""
        return len(self._session.tokens)

    @property
    def cut(self) -> int | None:
        """The first byte of the text that does not fit; None if all of it fits."""
        n_over = self.n_used - self.n_most
        if n_over <= 0:
            return None
        last = len(self._session.tokens) - self._session.n_affixes[1]
        start, _ = self._session.tokens.span(max(last - n_over, 0))
        start = self._session.document.caret_stop(start)
        return start if start < self._session.document.size else None

    def beginning(self) -> int | None:
        """The end of the longest prefix, of whole tokens, that fits when encoded alone; None if all fits.

        The last token may change when the text is cut after it.
        """
        session, end = self._session, self.cut
        while end:
            n_tokens = session.spans.count_part(0, end)
            if n_tokens is None or (n_over := n_tokens + sum(session.n_affixes) - self.n_most) <= 0:
                break
            at = session.tokens.first_from(end) - n_over
            end = session.document.caret_stop(session.tokens.span(max(at, 0))[0])
        return end


class TextChunks(Background["tuple[Chunk, ...]"]):
    """The text of a session in chunks of at most the budget's number of tokens.

    overlap, by  arguments of `chunk_text`
    """

    def __init__(self, session: ModelSession, budget: TokenBudget, parent: QObject | None = None) -> None:
        super().__init__(parent, self._prepare_chunks)
        self._session, self._budget = session, budget
        self.overlap = 0
        self.by: Level = "character"
        budget.changed.connect(partial(self.refresh, LIST_PAUSE_MS))

    def divide(self, overlap: int, by: Level) -> None:
        """Divide the text with other arguments."""
        if (overlap, by) != (self.overlap, self.by):
            self.overlap, self.by = overlap, by
            self.refresh()

    def _prepare_chunks(self) -> Callable[[Progress], tuple[Chunk, ...]] | None:
        tokenizer, n_most = self._session.tokenizer, self._budget.n_most
        if tokenizer is None or not self._session.document.size:
            return None
        given = self._session.document.text(), n_most, min(self.overlap, n_most - 1), self.by
        return partial(_chunks, tokenizer, given, self._session.options.parse_special)


def _chunks(
    tokenizer: Tokenizer, given: tuple[bytes, int, int, Level], parse_special: bool, progress: Progress
) -> tuple[Chunk, ...]:
    from guiapp.core.encode.counting.chunks import chunk_text  # a late import: faster start

    if len(given[0]) > MOST_CHUNKS * given[1] * LONGEST_USUAL_BYTES:
        raise EncodeError(f"More than {MOST_CHUNKS:,} chunks. Choose a larger budget.")
    return tuple(chunk_text(tokenizer, *given, parse_special, progress))
