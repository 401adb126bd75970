"""Records in tokens, each with its trained tokens; depends on records alone."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.chat import Chat, TokenOrigin
from guiapp.analysis.chat.messages import ChatSettings, Conversation
from guiapp.analysis.chat.templates import (
    BEGINNINGS,
    BatchRendering,
    ChatTemplate,
    chosen_template,
    generation_header,
    near_misses,
    render,
    render_batch,
    special_texts,
)
from guiapp.analysis.chat.written_turns import UNKNOWN, WrittenTurn, n_of_header, without_blanks
from guiapp.analysis.data.masks import (
    ALL,
    COMPLETION,
    DERIVED,
    FIRST_TRAINED,
    GENERATION,
    LAST_TRAINED,
    MARKER,
    Mask,
    Why,
    between,
    chosen_mask,
    located,
    marked,
)
from guiapp.analysis.data.records import SHAPES, RawRecord, Record, RecordError, read_record
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.errors import ChatError, EncodeError, TokenloupeError

REFUSED = "refused"
MOST_OPENED = 2  # unpickled examiners that a process caches
Span = tuple[int, int]


@dataclass(frozen=True)
class DataOptions:
    """How to read records, and what to train.

    template     the name of a template of the model, a file, or a text; None as in `transformers`
    mask         one of `masks.KINDS`; `marker:A…B` for the text between two markers
    max_length   tokens to use of a record; None for all
    shape        one of `records.SHAPES`; None to detect it for each record
    add_special  whether the tokenizer adds its BOS and the like to a text; None as in `transformers`: to
                 texts that are no chats
    variables    more that the template receives
    """

    template: str | None = None
    mask: str = "auto"
    max_length: int | None = None
    shape: str | None = None
    add_special: bool | None = None
    variables: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class DataRecord:
    """A record in tokens; one that cannot be rendered has an error and no tokens.

    raw, record  as read, and as parsed; None if it cannot be parsed
    error        a sentence, or "", with the `code` of its finding and the `line` of the template
    text         that is encoded; `encoding` has all its tokens, including those after the maximum length
    why          uint8[n]: a `masks.Why` for each token
    spans        character ranges of the text that are trained, in order; `tokens`: the token range
                 [first, end) that overlaps each
    crossed      the first token in which one of these spans begins or ends, or None
    turns        of the assistant, if they were derived
    n_rejected   tokens of the rejected side of a preference
    """

    setting: DataExaminer
    raw: RawRecord
    record: Record | None
    error: str = ""
    code: str = ""
    line: int = 0
    text: str = ""
    encoding: Encoding | None = None
    why: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    spans: tuple[Span, ...] = ()
    tokens: tuple[Span, ...] = ()
    crossed: int | None = None
    turns: tuple[WrittenTurn, ...] = ()
    n_rejected: int = 0

    def __repr__(self) -> str:
        what = self.error or f"{len(self.token_ids):,} tokens, {int(self.is_trained.sum()):,} trained"
        return f"<DataRecord {self.raw.number}: {what}>"

    @property
    def number(self) -> int:
        """The number of the record in the file, from 1."""
        return self.raw.number

    @property
    def token_ids(self) -> NDArray[np.int32]:
        """int32[n]: all tokens, empty if there is an error."""
        return np.zeros(0, np.int32) if self.encoding is None else self.encoding.token_ids

    @cached_property
    def is_trained(self) -> NDArray[np.bool_]:
        """bool[n]: the tokens that count in the loss."""
        return (self.why >= FIRST_TRAINED) & (self.why <= LAST_TRAINED)

    @cached_property
    def labels(self) -> NDArray[np.int32]:
        """int32[n]: ids, -100 if not trained; up to the maximum length."""
        return np.where(self.is_trained, self.token_ids, -100).astype(np.int32)[: self.n_used]

    @property
    def n_used(self) -> int:
        """The number of tokens up to the maximum length."""
        most = self.setting.options.max_length
        return len(self.token_ids) if most is None else min(most, len(self.token_ids))

    @cached_property
    def chat(self) -> Chat | None:
        """The record as a Chat, with the origin of each token; None for a plain text or after an error.

        Renders the record again, which takes some milliseconds.
        """
        if self.record is None or self.record.conversation is None or self.error:
            return None
        return self.setting.chat(self.record.conversation)

    @property
    def origins(self) -> Sequence[TokenOrigin]:
        """The `TokenOrigin` of each token: message, role, field, line of the template; () for a text."""
        return () if self.chat is None else self.chat.origins

    def explain(self, token: int) -> str:
        """Why a token is trained or not, as a sentence, with the line of the template."""
        sentence = Why(int(self.why[token])).sentence
        line = 0 if self.chat is None else self.chat.origins[token].line
        return f"{sentence} Line {line} of the template writes it." if line else sentence

    @cached_property
    def contents(self) -> list[tuple[int, str, Span | None]]:
        """The content of messages: number of the message, content, and its characters in `text`, or None."""
        conversation = None if self.record is None else self.record.conversation
        return [] if conversation is None else list(_contents(conversation, self.text))

    @cached_property
    def content_tokens(self) -> list[tuple[int, Span]]:
        """The numbers of messages with the tokens that have some of their content, in order."""
        locate_contents([self])
        return self.content_tokens


def _contents(conversation: Conversation, text: str) -> Iterator[tuple[int, str, Span | None]]:
    at = 0
    for number, message in enumerate(conversation.messages):
        content = message.get("content", "")
        parts = [content] if isinstance(content, str) else [each.get("text", "") for each in content]
        for part in parts:
            if part := part.strip():
                start = text.find(part, at)
                start = start if start >= 0 else text.find(part)
                yield number, part, None if start < 0 else (start, start + len(part))
                at = max(at, start + len(part))


def locate_contents(rows: Sequence[DataRecord]) -> None:
    """Compute `content_tokens` of many records at once."""
    contents = [
        sorted((span, number) for number, _, span in row.contents if span is not None and not row.error)
        for row in rows
    ]
    found = located_in(rows, [[span for span, _ in each] for each in contents])
    for row, each, (tokens, _) in zip(rows, contents, found, strict=True):
        vars(row)["content_tokens"] = [(number, own) for (_, number), own in zip(each, tokens, strict=True)]


def located_in(
    rows: Sequence[DataRecord], spans: Sequence[Sequence[Span]]
) -> list[tuple[list[Span], int | None]]:
    """`masks.located`, with ([], None) for records without tokens."""
    encodings = [row.encoding for row in rows if row.encoding is not None]
    known = [(row.text, each) for row, each in zip(rows, spans, strict=True) if row.encoding is not None]
    found = iter(located(encodings, [text for text, _ in known], [each for _, each in known]))
    return [([], None) if row.encoding is None else next(found) for row in rows]


class DataExaminer:
    """Renders, encodes and masks records; it can be pickled if the tokenizer can.

    Raises TokenloupeError for invalid options, and ChatError for a template that does not exist.
    """

    def __init__(self, tokenizer: Tokenizer, options: DataOptions = DataOptions()) -> None:
        self.tokenizer, self.options = tokenizer, options
        if options.shape not in (None, *SHAPES):
            raise TokenloupeError(f"“{options.shape}” is not a shape. Choose one of: {', '.join(SHAPES)}.")
        if options.max_length is not None and options.max_length < 1:
            raise TokenloupeError(
                f"A maximum length of {options.max_length} is not possible. Choose 1 or more."
            )
        vocabulary = tokenizer.vocabulary
        self.variables = {**special_texts(vocabulary), **options.variables}
        self._templates: dict[bool, ChatTemplate] = {}
        self.template_error = ""
        try:
            for has_tools in (False, True):
                self._templates[has_tools] = chosen_template(vocabulary, has_tools, options.template)
        except ChatError as error:
            if options.template is not None:
                raise
            self.template_error = str(error)
        self.mask = chosen_mask(options.mask, self._templates[False].text if self._templates else None)

    def __reduce__(self) -> tuple[Callable[[bytes], DataExaminer], tuple[bytes]]:
        """For `pickle`: the model by its path and hash, the template as text."""
        state = {name: value for name, value in vars(self).items() if not hasattr(DataExaminer, name)}
        return _opened_once, (pickle.dumps(state),)

    @property
    def template(self) -> ChatTemplate | None:
        """The template for conversations without tools."""
        return self._templates.get(False)

    @cached_property
    def headers(self) -> dict[str, str]:
        """For each template, by its text, the text that the generation prompt adds to a user's message."""
        return {each.text: generation_header(each.text, self.variables) for each in self._templates.values()}

    @cached_property
    def header_ids(self) -> frozenset[int]:
        """Tokens that begin a turn, and do not end one."""
        names = self.tokenizer.special_tokens.names
        return frozenset(names[each] for each in BEGINNINGS if each in names) - self.tokenizer.vocabulary.eog

    @cached_property
    def special_names(self) -> frozenset[str]:
        return frozenset(self.tokenizer.special_tokens.names)

    @cached_property
    def template_markers(self) -> frozenset[str]:
        """Markers in templates that look like special tokens but are plain text."""
        texts = (each.text for each in self._templates.values())
        return frozenset(marker[0] for text in texts for marker, _ in near_misses(self.special_names, text))

    def template_for(self, conversation: Conversation) -> ChatTemplate:
        if not self._templates:
            raise ChatError(self.template_error)
        return self._templates[conversation.tools is not None]

    def header_for(self, conversation: Conversation) -> str:
        return self.headers[self.template_for(conversation).text]

    def chat(self, conversation: Conversation) -> Chat:
        """A conversation as in training, with origins."""
        template = self.template_for(conversation)
        rendering = render(template.text, conversation, False, self.variables)
        settings = ChatSettings(template.text, False, bool(self.options.add_special))
        return Chat(self.tokenizer, conversation, template, rendering, settings)

    def mask_for(self, record: Record) -> Mask:
        """The mask of a record; by default, a text is trained as a whole, or only its completion."""
        if self.options.mask != "auto" or record.conversation is not None:
            return self.mask
        kind = COMPLETION if record.n_prompt else ALL
        return Mask(kind, "the records are texts" if kind == ALL else "the records have completions")

    def examine(
        self, raws: Iterable[RawRecord], checkpoint: Callable[[], None] = lambda: None
    ) -> list[DataRecord]:
        """Render and encode records; results are in the same order.

        Raises ChatError for conversations if the model has no template.
        """
        rows = [self._read(raw) for raw in raws]
        rendered = self._rendered([row.record for row in rows], checkpoint)
        others = self._rendered(
            [row.record and Record("", _conversation(row.record.rejected)) for row in rows], checkpoint, False
        )
        selected = list[tuple[DataRecord, Why]]()
        for row, rendering, other in zip(rows, rendered, others, strict=True):
            checkpoint()
            selected.append(self._selected(row, rendering, other))
        found = iter(located_in([row for row, _ in selected], [row.spans for row, _ in selected]))
        return [self._masked(row, why, *next(found)) for row, why in selected]

    def adds_special(self, is_conversation: bool) -> bool:
        """Whether the tokenizer adds its BOS and the like to a text."""
        return not is_conversation if self.options.add_special is None else self.options.add_special

    def _read(self, raw: RawRecord) -> DataRecord:
        try:
            return DataRecord(self, raw, read_record(raw, self.options.shape))
        except RecordError as error:
            return DataRecord(self, raw, None, str(error), error.code)

    def _rendered(
        self, records: Sequence[Record | None], checkpoint: Callable[[], None], with_turns: bool = True
    ) -> list[BatchRendering | None]:
        result: list[BatchRendering | None] = [None] * len(records)
        by_template: dict[str, list[int]] = {}
        for row, record in enumerate(records):
            if record is not None and record.conversation is not None:
                by_template.setdefault(self.template_for(record.conversation).text, []).append(row)
        with_turns = with_turns and self.mask.kind in (DERIVED, COMPLETION)
        for template, rows in by_template.items():
            given = [
                (each.conversation, each.n_prompt)
                for row in rows
                if (each := records[row]) is not None and each.conversation is not None
            ]
            header = self.headers[template] if with_turns else ""
            found = render_batch(template, given, self.variables, with_turns, header, checkpoint)
            for row, rendering in zip(rows, found, strict=True):
                result[row] = rendering
        return result

    def _selected(
        self, row: DataRecord, rendering: BatchRendering | None, other: BatchRendering | None
    ) -> tuple[DataRecord, Why]:
        """A record in tokens, with its trained characters, and why they are trained."""
        if (record := row.record) is None:
            return row, Why.OTHER
        if rendering is not None and rendering.error:
            return replace(row, error=rendering.error, code=REFUSED, line=rendering.line), Why.OTHER
        text = record.text if rendering is None else rendering.text
        add_special = self.adds_special(rendering is not None)
        try:
            encoding = self.tokenizer.encode(text, add_special)
        except EncodeError as error:
            return replace(row, error=str(error), code=REFUSED), Why.OTHER
        rejected = record.rejected if isinstance(record.rejected, str) else other and other.text
        n_rejected = self.tokenizer.count(rejected, None, add_special) if rejected else 0
        turns = rendering.turns if rendering is not None else ()
        if any(turn.start == UNKNOWN for turn in turns):
            turns = self._traced(record, turns)
        spans, why = self._spans(record, text, rendering, turns)
        selected = replace(
            row, text=text, encoding=encoding, spans=spans, turns=tuple(turns), n_rejected=n_rejected or 0
        )
        return selected, why

    def _masked(self, row: DataRecord, why: Why, tokens: Sequence[Span], crossed: int | None) -> DataRecord:
        if row.encoding is None:
            return row
        reasons = marked(len(row.encoding), tokens, why)
        if self.adds_special(row.record is not None and row.record.conversation is not None):
            before, after = self.tokenizer.special_affixes()
            is_added = np.r_[: len(before), len(row.encoding) - len(after) : len(row.encoding)]
            reasons[is_added] = Why.ALL if why == Why.ALL else Why.ADDED
        if self.options.max_length is not None:
            reasons[self.options.max_length :] = Why.CUT
        return replace(row, why=reasons, tokens=tuple(tokens), crossed=crossed)

    def _spans(
        self, record: Record, text: str, rendering: BatchRendering | None, turns: Sequence[WrittenTurn]
    ) -> tuple[tuple[Span, ...], Why]:
        mask = self.mask_for(record)
        if mask.kind == ALL:
            return (((0, len(text)),) if text else ()), Why.ALL
        if mask.kind == MARKER:
            return tuple(between(text, mask.first, mask.last)), Why.IN_MARKERS
        if rendering is None:
            is_completion = mask.kind in (COMPLETION, DERIVED) and record.n_prompt < len(text)
            spans = [(record.n_prompt, len(text))] if is_completion else []
            return tuple(spans), Why.IN_COMPLETION
        if mask.kind == GENERATION:
            return _merged(rendering.generated), Why.IN_GENERATION
        known = [(turn.start, turn.end) for turn in turns if turn.start != UNKNOWN]
        return _merged(known), Why.IN_TURN if mask.kind == DERIVED else Why.IN_COMPLETION

    def _traced(self, record: Record, turns: Sequence[WrittenTurn]) -> tuple[WrittenTurn, ...]:
        """Locate turns that string comparison did not locate, by the origins of the text."""
        assert record.conversation is not None
        try:
            chat = self.chat(record.conversation)
        except ChatError:  # with origins, it takes too long
            return tuple(turns)
        return tuple(_traced_turn(chat, turn) if turn.start == UNKNOWN else turn for turn in turns)


@lru_cache(MOST_OPENED)
def _opened_once(state: bytes) -> DataExaminer:
    """Unpickle an examiner, cached: each batch for a process of a cluster brings the same."""
    examiner = object.__new__(DataExaminer)
    vars(examiner).update(pickle.loads(state))
    return examiner


def _conversation(given: object) -> Conversation | None:
    return given if isinstance(given, Conversation) else None


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans in order, adjacent ones merged; empty ones stay: they select a token, as in `transformers`."""
    result = list[Span]()
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return tuple(result)


def _traced_turn(chat: Chat, turn: WrittenTurn) -> WrittenTurn:
    """The turn, located by origins if these are known."""
    own = next((each for each in chat.turns if each.message == turn.message), None)
    if own is None or not chat.is_traced:
        return turn
    spans, characters = chat.encoding.spans, chat.character_of_byte
    start, end = int(characters[spans[own.start, 0]]), int(characters[spans[own.end - 1, 1]])
    if common := n_of_header(turn.header, chat.text[start:end]):
        return turn._replace(start=start + common, end=without_blanks(chat.text, start + common, end))
    for (first, _), run in zip(pairwise(chat.runs.bounds.tolist()), chat.runs.of_runs, strict=False):
        if run.is_content and run.message == turn.message and start <= first < end:
            return turn._replace(start=first, end=without_blanks(chat.text, first, end))
    return turn
