"""The details of a token of the text: for the detail column, for tooltips, and why it was formed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.analysis.explain.characters import characters_of, code_points, n_characters
from guiapp.analysis.explain.why.excerpt import REACH_BYTES, Excerpt, Switches
from guiapp.core.text.numbers_in_words import counted, times
from guiapp.core.text.visible_text import Confusable, isolate, visible_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SCORED, Vocabulary, special_role
from guiapp.kit.document.document import TextDocument
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.layout import SpanSource
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.state.background import Background, NotReadyError, Progress, Working, later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from guiapp.analysis.explain.merge_tree import Explainer, MergeTree
    from guiapp.analysis.explain.spelling import Spelling
    from guiapp.analysis.explain.why.explanation import TokenWhy
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.core.vocabulary.merges import PairMerging
    from guiapp.core.vocabulary.vocabulary import Vocabulary
    from guiapp.kit.document.document import TextDocument

BYTES_IN_TIP, LINES_IN_TIP = 32, 20
SETTLE_MS = 150  # pause in typing before details are updated
CHOICE_MS = 60  # delay of details, so that the selection in the text is painted first
SHOWN_BYTES = 64
MOST_INSTEAD, INSTEAD_BYTES = 8, 24  # shown tokens of the exact encoder, and shown bytes of each
AROUND_BYTES = 3  # context that completes a partial character
COUNTABLE = 1e12  # larger whole numbers are written with an exponent
FACTS = (
    "id",
    "bytes",
    "characters",
    "kind",
    "role",
    "score",
    "merge rank",
    "span",
    "in this text",
    "exact encoder",
)
STRIPPING = {
    Attribute.LSTRIP: "removes white space before it",
    Attribute.RSTRIP: "removes white space after it",
}


class WrittenPath(NamedTuple):
    """The position of a token in the token tree, as texts for display.

    prefixes         the shorter tokens that it begins with, the shortest first
    own              the token itself
    continuations    some of the longer tokens that begin with it
    n_continuations  the number of all such tokens
    """

    prefixes: tuple[str, ...]
    own: str
    continuations: tuple[str, ...]
    n_continuations: int


@dataclass(frozen=True)
class TokenDetails:
    """The details of a token of the text, or of the vocabulary alone.

    index, n_tokens  its index in the text, None without a text; the number of tokens
    shown            the bytes to display
    tint             the number of its colour in the text
    facts            (name, value) pairs, each value one visible line
    tree, path       None until the tables for them are ready
    name             shown instead of the bytes for something that is not a token
    """

    index: int | None
    n_tokens: int
    token_id: int
    shown: bytes
    tint: int
    is_special: bool
    facts: tuple[tuple[str, str], ...]
    tree: MergeTree | None
    path: WrittenPath | None
    name: str = ""


class TokenDetailsModel(Working):
    """The details of the session's selected token.

    details  None if no token is selected

    Signals:
        details_changed(): `details` is new.
    """

    details_changed = Signal()

    def __init__(self, source: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self.details: TokenDetails | None = None
        self._tables = Background["Explainer"](self, self._preparing, is_watched=True)
        self._tables.changed.connect(self._describe)
        self._settled = later(self, SETTLE_MS, self._describe)
        self._earliest = 0.0
        source.vocabulary_changed.connect(self._on_vocabulary_changed)
        source.tokens_changed.connect(self._on_tokens_changed)
        source.selected_token_changed.connect(self._on_selection_changed)
        source.spelling.changed.connect(self._describe)
        self._on_vocabulary_changed()

    @property
    def explainer(self) -> Explainer | None:
        """The tables for trees and paths; None until they are ready."""
        return self._tables.value

    @property
    def is_preparing(self) -> bool:
        """Whether the tables are being computed."""
        return self._tables.is_busy

    def part(self, data: bytes, limit: int) -> str:
        """Some bytes of a token in the current spelling."""
        vocabulary = self._source.vocabulary
        return "" if vocabulary is None else self._source.spelling.now.part(vocabulary, data, limit)

    def put_off(self, wait_ms: int) -> None:
        """Delay the tables for `wait_ms`, because other work is more urgent."""
        self._earliest = monotonic() + wait_ms / 1000
        if self._tables.is_busy:
            self._prepare_soon()

    def _on_vocabulary_changed(self) -> None:
        """Discard the old tables at once, and compute new ones after the first tokens are painted."""
        self._tables.forget()
        self._prepare_soon()
        self._describe()

    def _prepare_soon(self) -> None:
        self._tables.refresh(max(SETTLE_MS, round((self._earliest - monotonic()) * 1000)))

    def _preparing(self) -> partial[Explainer] | None:
        vocabulary, tokenizer = self._source.vocabulary, self._source.tokenizer
        merging = None if tokenizer is None else tokenizer.merging
        return None if vocabulary is None else partial(_build_explainer, vocabulary, merging)

    def _on_tokens_changed(self) -> None:
        self._settled.start(SETTLE_MS)

    def _on_selection_changed(self) -> None:
        if self._settled.remainingTime() < CHOICE_MS:  # do not shorten the wait during typing
            self._settled.start(CHOICE_MS)

    def _describe(self) -> None:
        self._settled.stop()
        index, vocabulary = self._source.selected_token, self._source.vocabulary
        if index is None or index >= len(self._source.tokens) or vocabulary is None:
            details = None
        else:
            details = describe(self._source, vocabulary, self.explainer, index)
        if details is not None or self.details is not None:
            self.details = details
            self.details_changed.emit()


def describe(
    source: ModelSession, vocabulary: Vocabulary, explainer: Explainer | None, index: int
) -> TokenDetails:
    """Gather the details of a token of the text."""
    token_id = int(source.tokens.ids(index, index + 1)[0])
    values = (
        *_values_alone(vocabulary, explainer, token_id, _characters(source, index)),
        _span(source, index),
        _occurrences(source, token_id),
        _exact_instead(source, index),
    )
    return TokenDetails(
        index=index,
        n_tokens=len(source.tokens),
        token_id=token_id,
        shown=source.spelling.now.token_data(vocabulary, token_id),
        tint=int(source.tokens.between(index, index + 1).tints[0]),
        is_special=vocabulary.kind(token_id) == "control",
        facts=tuple((name, value) for name, value in zip(FACTS, values, strict=True) if value),
        tree=explainer.merge_tree(token_id) if explainer else None,
        path=written_path(explainer, source.spelling.now, token_id) if explainer else None,
    )


def describe_alone(
    explainer: Explainer, spelling: Spelling, token_id: int, more: Iterable[tuple[str, str]]
) -> TokenDetails:
    """Gather the details of a token of a vocabulary, and add `more` facts."""
    vocabulary = explainer.vocabulary
    token_bytes = vocabulary.token_bytes(token_id)
    characters = characters_of(token_bytes, 0, len(token_bytes))
    alone = zip(FACTS, _values_alone(vocabulary, explainer, token_id, characters), strict=False)
    facts = dict(alone) | dict(more)
    return TokenDetails(
        index=None,
        n_tokens=len(vocabulary),
        token_id=token_id,
        shown=spelling.token_data(vocabulary, token_id),
        tint=token_id % N_TINTS,
        is_special=vocabulary.kind(token_id) == "control",
        facts=tuple((name, value) for name, value in facts.items() if value),
        tree=explainer.merge_tree(token_id),
        path=written_path(explainer, spelling, token_id),
    )


def written_path(explainer: Explainer, spelling: Spelling, token_id: int) -> WrittenPath:
    path, vocabulary = explainer.path(token_id), explainer.vocabulary

    def written(token: int) -> str:
        return spelling.token(vocabulary, token, SHOWN_BYTES)

    prefixes, continuations = tuple(map(written, path.prefixes)), tuple(map(written, path.continuations))
    return WrittenPath(prefixes, written(token_id), continuations, path.n_continuations)


def _values_alone(
    vocabulary: Vocabulary, explainer: Explainer | None, token_id: int, characters: str
) -> tuple[str, ...]:
    """The values for the first items of FACTS, which do not depend on a text."""
    return (
        str(token_id),
        hex_bytes(vocabulary.token_bytes(token_id)),
        characters,
        _type(vocabulary, token_id),
        special_role(vocabulary, token_id),
        _score(vocabulary, token_id),
        _merge_rank(explainer, token_id),
    )


def hover_text(source: TokenizedText, explainer: Explainer | None, index: int) -> str:
    """A token of the text in a few lines: its id and kind, its bytes, and how often the text has it.

    Counting here takes less time than copying the ids for another thread.
    """
    vocabulary, token_id = source.vocabulary, int(source.tokens.ids(index, index + 1)[0])
    if vocabulary is None or token_id < 0:
        return ""
    named = (("rank", _merge_rank(explainer, token_id)), ("score", _score(vocabulary, token_id)))
    facts = [f"id {token_id}", *(f"{name} {value}" for name, value in named if value)]
    facts += filter(None, (_type(vocabulary, token_id), special_role(vocabulary, token_id)))
    written = isolate(source.spelling.now.token(vocabulary, token_id, SHOWN_BYTES))
    lines = written, " · ".join(facts), hex_bytes(vocabulary.token_bytes(token_id))
    instead = _exact_instead(source, index)
    exact = f"The exact encoder: {instead}" if instead else ""
    return "\n".join(filter(None, (*lines, f"{_occurrences(source, token_id)} in this text", exact)))


def _exact_instead(source: TokenizedText, index: int) -> str:
    """`un ┆ able`; if the exact encoder's span differs from the token's, with its text: `unab: un ┆ ab`."""
    instead = source.exact_instead(index)
    if instead is None:
        return ""
    start, end, spans = instead
    slice_of = source.document.slice
    pieces = [isolate(visible_text(slice_of(*span), INSTEAD_BYTES)) for span in spans[:MOST_INSTEAD]]
    cut = " ┆ ".join(pieces) + (" …" if len(spans) > MOST_INSTEAD else "")
    same_ends = (start, end) == source.tokens.span(index)
    return cut if same_ends else f"{isolate(visible_text(slice_of(start, end), SHOWN_BYTES))}: {cut}"


def _build_explainer(vocabulary: Vocabulary, merging: PairMerging | None, progress: Progress) -> Explainer:
    from guiapp.analysis.explain.merge_tree import Explainer

    len(vocabulary.token_tree)  # builds the tree in this thread rather than in the GUI thread
    return Explainer(vocabulary, merging)


def hex_bytes(data: bytes) -> str:
    """`20 59 6F`, followed by the number of bytes if not all are shown."""
    if len(data) <= SHOWN_BYTES:
        return data.hex(" ").upper()
    return f"{data[:SHOWN_BYTES].hex(' ').upper()} … ({len(data):,} bytes)"


def _type(vocabulary: Vocabulary, token_id: int) -> str:
    bits = int(vocabulary.attributes[token_id])
    strips = [sentence for bit, sentence in STRIPPING.items() if bits & bit]
    return ", ".join([vocabulary.kind(token_id), *strips])


def _score(vocabulary: Vocabulary, token_id: int) -> str:
    if vocabulary.type not in SCORED:
        return ""
    score = vocabulary.score(token_id)
    return f"{score:,.0f}" if score.is_integer() and abs(score) < COUNTABLE else f"{score:,.6g}"


def _merge_rank(explainer: Explainer | None, token_id: int) -> str:
    rank = explainer.merge_rank(token_id) if explainer else None
    return "" if rank is None else f"{rank:,}"


def _characters(source: ModelSession, index: int) -> str:
    start, end = source.tokens.span(index)
    before = min(start, AROUND_BYTES)
    around = source.document.slice(start - before, end + AROUND_BYTES)
    return characters_of(around, before, before + end - start)


def _span(source: ModelSession, index: int) -> str:
    start, end = source.tokens.span(index)
    char_start = source.document.n_characters_before(start)
    char_end = char_start + n_characters(source.document.slice(start, end))
    if start == end:
        is_outermost = index in (0, len(source.tokens) - 1)
        return "empty: added to the text" if is_outermost else f"empty, at {start:,}"
    if (start, end) == (char_start, char_end):
        return f"{start:,}–{end:,}"
    return f"{start:,}–{end:,} bytes, {char_start:,}–{char_end:,} characters"


def _occurrences(source: TokenizedText, token_id: int) -> str:
    return times(source.tokens.count(token_id))


def character_tip(document: TextDocument, source: SpanSource, start: int, about_token: str = "") -> str:
    """The tooltip of the character that begins at a byte: `about_token`, or the bytes of the character.

    If several tokens share the character, both.
    """
    end = document.next_grapheme(start)
    is_torn = end - start > 1 and len(source.spans_in(start + 1, end - 1).ids) > 1
    shown = bytes_in_tokens(document, source, start, end) if is_torn or not about_token else ""
    return "\n".join(filter(None, (about_token, shown)))


def passing_tip(letter: Confusable) -> str:
    """The tooltip of a letter that looks like another one."""
    return f"{code_points(letter.letter, 1)[0]} looks like {letter.passes_for}"


def chip_tip(document: TextDocument, source: SpanSource, start: int, end: int) -> str:
    """The tooltip of a badge: character and token counts, names of the characters, bytes."""
    lines = []
    text = document.slice(start, end).decode("utf-8", "ignore")
    if len(text) > 1:
        spans = source.spans_in(start, end)
        n_tokens = int(np.count_nonzero((spans.starts < end) & (spans.ends > start)))
        lines.append(f"{counted(len(text), 'character')}, {counted(n_tokens, 'token')}")
    shown = bytes_in_tokens(document, source, start, end)
    return "\n".join((*lines, *code_points(text, LINES_IN_TIP), shown))


def bytes_in_tokens(
    document: TextDocument, source: SpanSource, start: int, end: int, most: int = BYTES_IN_TIP
) -> str:
    """The first bytes of a span, with bars where tokens begin."""
    shown_end = min(end, start + most)
    starts = set(source.spans_in(start, shown_end).starts.tolist())
    parts = [
        ("| " if at > start and at in starts else "") + f"{byte:02X}"
        for at, byte in enumerate(document.slice(start, shown_end), start)
    ]
    return " ".join(parts) + (" …" if shown_end < end else "")


class ExplainedToken(NamedTuple):
    """Why a token was formed, its bytes, and whether it is a control token."""

    explanation: TokenWhy
    data: bytes
    is_control: bool


class WhyModel(Background["ExplainedToken"]):
    """The explanation of the session's selected token."""

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent, self._prepare_explanation)
        self._session = session
        for signal in (session.selected_token_changed, session.options_changed, session.spelling.changed):
            signal.connect(partial(self.refresh, CHOICE_MS))
        session.tokens_changed.connect(self._on_tokens_changed)

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        self.refresh_for(edit, self._session.document.size, SETTLE_MS)

    def _prepare_explanation(self) -> Callable[[Progress], ExplainedToken] | None:
        session = self._session
        index, tokenizer, algorithm = session.selected_token, session.tokenizer, session.algorithm
        if session.is_encoding:
            raise NotReadyError
        if index is None or index >= len(session.tokens) or tokenizer is None or algorithm is None:
            return None
        options = session.options
        switches = Switches(algorithm.name, options.add_special, options.parse_special, session.spelling.now)
        return partial(_explain, tokenizer, excerpt_in(session, index), switches)


def excerpt_in(session: ModelSession, index: int) -> Excerpt:
    """The excerpt of the session's text and tokens around a token."""
    tokens, document = session.tokens, session.document
    token_start, token_end = tokens.span(index)
    first = min(index, tokens.first_from(token_start - REACH_BYTES))
    after = max(index + 1, tokens.first_ending_after(token_end + REACH_BYTES))
    if token_start == token_end:  # see `tokens_near`
        first = min(first, max(tokens.first_from(token_start) - 1, 0))
        after = max(after, min(tokens.first_ending_after(token_end) + 1, len(tokens)))
    begins, is_last = first == 0, after >= len(tokens)
    start = 0 if begins else tokens.span(first)[0]
    end = document.size if is_last else tokens.span(after - 1)[1]
    ids, starts, ends, _ = tokens.between(first, after)
    bounds = np.array(starts) - start, np.array(ends) - start  # copies, because edits change the originals
    text = document.slice(start, end)
    return Excerpt(text, start, begins, is_last, np.array(ids), *bounds, index - first, first)


def _explain(
    tokenizer: Tokenizer, excerpt: Excerpt, switches: Switches, progress: Progress
) -> ExplainedToken:
    from guiapp.analysis.explain.why.why import why_of

    vocabulary, token_id = tokenizer.vocabulary, excerpt.token[0]
    data, is_control = vocabulary.token_bytes(token_id), vocabulary.kind(token_id) == "control"
    return ExplainedToken(why_of(tokenizer, excerpt, switches, progress), data, is_control)
