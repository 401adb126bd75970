"""Problems of training records: noticed record by record, counted by kind.

To add a finding: a row of KINDS, a check in `noticed`, and a line in the manual's chapter on Data.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.hints import escaped_arguments, lacks_names, names_in_words
from guiapp.analysis.chat.messages import REASONING, Conversation
from guiapp.analysis.chat.templates import near_misses
from guiapp.analysis.chat.written_turns import OTHER_PROMPT, REWRITTEN, UNKNOWN
from guiapp.analysis.data.examined import REFUSED, DataRecord
from guiapp.analysis.data.masks import ALL, FIRST_TRAINED, LAST_TRAINED, MARKER, Why, tokens_of
from guiapp.analysis.data.records import BROKEN, DUPLICATE, EMPTY, SHAPELESS, TEXT
from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.visible_text import IGNORABLE, hidden_spans
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary

ROLES = ("system", "developer", "user", "assistant", "tool", "function", "ipython", "observation")
SYSTEM, ANSWERS = ("system", "developer"), ("tool", "function", "ipython", "observation")
HIDDEN, ASCII = re.compile(f"[{IGNORABLE}]"), bytes(range(0x80))
MISREAD = re.compile(  # U+FFFD, and what Latin-1 or Windows-1252 makes of “é”, “’” and emoji in UTF-8
    "\ufffd|[\u00c2\u00c3][\x80-\xbf]|\u00e2[\x80\u20ac][\x80-\xbf\u0152-\u017e\u02c6\u02dc\u2018-\u203a\u2122]|\u00f0[\x9f\u0178]"
)
NAMES = frozenset(REASONING)
CONTROL, UNKNOWN_BIT, CUT = Attribute.CONTROL.value, Attribute.UNKNOWN.value, Why.CUT.value
BLANK = b" \t\r\n"
TRAINED = re.compile(b"[%c-%c]+" % (FIRST_TRAINED, LAST_TRAINED))  # of the bytes of `why`


class DataFindingKind(NamedTuple):
    """The texts of all findings with a code; `what` is the predicate of a sentence about the records."""

    severity: str
    what: str
    remedy: str


K = DataFindingKind
KINDS: dict[str, DataFindingKind] = {
    BROKEN: K(ERROR, "cannot be read", "Correct or remove these lines."),
    SHAPELESS: K(ERROR, "have no known shape", "Rename the keys, or name the shape."),
    REFUSED: K(ERROR, "cannot be rendered", "Correct the records, or choose another template."),
    "nothing_trained": K(
        WARNING, "have no trained token", "Add an answer, choose another mask, or remove the records."
    ),
    "end_not_trained": K(
        WARNING,
        "do not train the token that ends a turn, so the model does not learn to stop",
        "Let the trained part include the end of the turn, or add EOS to the completion.",
    ),
    "header_trained": K(
        WARNING,
        "train the header of a turn, which the program writes and not the model",
        "Begin the generation block, or the markers, after the header.",
    ),
    "pad_is_end": K(
        WARNING,
        "end with the token that is also the padding token, which usual collators do not train",
        "Give the tokenizer a padding token of its own.",
    ),
    "cut_off": K(
        WARNING,
        "lose trained tokens to the maximum length",
        "Raise the maximum length, or split the records.",
    ),
    "border_in_token": K(
        WARNING,
        "have a trained part that begins or ends inside a token",
        "Remove spaces and line breaks between the prompt, or marker, and what is trained.",
    ),
    "turn_not_located": K(
        WARNING,
        "have a turn that could not be located, and is not trained",
        "Use a template with generation tags.",
    ),
    REWRITTEN: K(
        WARNING,
        "have turns that the template writes differently once later messages follow",
        "Train on one turn for each record, or use a template that keeps earlier turns.",
    ),
    OTHER_PROMPT: K(
        HINT,
        "have turns that do not begin as the generation prompt does",
        "Give the reasoning, or prompt the model as it was trained.",
    ),
    "roles": K(WARNING, "have unknown roles, or roles out of order", "Correct the roles and their order."),
    "content_became_control": K(
        WARNING,
        "have content that became a control token",
        "Remove the text of control tokens from the content.",
    ),
    "double_bos": K(WARNING, "begin with two BOS tokens", "Remove BOS from the text, or do not add another."),
    "reasoning_left_out": K(
        WARNING, "have reasoning that the template leaves out", "Choose a template that keeps it."
    ),
    "content_left_out": K(
        WARNING, "have content that the template leaves out or changes", "Compare the records with the text."
    ),
    "tools_left_out": K(
        WARNING, "have tools, or tool calls, that the template leaves out", "Choose a template with tools."
    ),
    "escaped_arguments": K(
        WARNING,
        "have tool calls whose arguments are escaped twice",
        "Give arguments as an object, not as text.",
    ),
    "marker_in_content": K(
        HINT,
        "have messages with markers of another model",
        "Remove them if they come from another template.",
    ),
    "marker_as_text": K(
        WARNING,
        "have markers that are plain text in this model",
        "Choose the template of this model, or add the tokens.",
    ),
    EMPTY: K(WARNING, "have no text, or an empty message", "Remove them, or add what is missing."),
    "doubled": K(WARNING, "repeat an earlier record", "Remove the copies."),
    "unknown_tokens": K(WARNING, "have text that the model has no token for", "Replace these characters."),
    "invisible": K(WARNING, "have invisible characters", "Remove them."),
    "wrong_encoding": K(
        WARNING,
        "have characters that were read with a wrong encoding, or lost",
        "Read the source again as UTF-8.",
    ),
    DUPLICATE: K(WARNING, "have a key twice in one object, of which only the last counts", "Remove one."),
}
CODES = tuple(KINDS)
BITS = {code: 1 << row for row, code in enumerate(CODES)}


def codes_in(bits: int) -> str:
    """The codes of the BITS that are set, separated by spaces."""
    return " ".join(code for code in CODES if bits & BITS[code])


class Noticed(NamedTuple):
    """A finding in one record.

    token   that the finding is about, or None
    detail  about this record, or ""
    line    of the template, from 1; 0 for none
    """

    code: str
    token: int | None = None
    detail: str = ""
    line: int = 0


@dataclass(frozen=True)
class DataFinding:
    """A problem of some records.

    code       of the kind, the same in all versions of the program
    severity   ERROR, WARNING or HINT
    what       a sentence
    remedy     what to do
    n_records  with the problem, and their `share` of all
    record, token  the first example, from 1 and from 0; None if it concerns no token
    line       of the template in the first example; 0 for none
    """

    code: str
    severity: str
    what: str
    remedy: str
    n_records: int
    share: float
    record: int
    token: int | None = None
    line: int = 0


def finding_of(noticed: Noticed, record: int, n_records: int, n_all: int) -> DataFinding:
    """The finding of `n_records` of all records, with the first as the example."""
    kind = KINDS[noticed.code]
    detail = f" Record {record}: {noticed.detail}" if noticed.detail else ""
    what = f"{counted(n_records, 'record')} {_verb(kind.what, n_records)}.{detail}"
    share = n_records / max(n_all, 1)
    return DataFinding(
        *(noticed.code, kind.severity, what, kind.remedy, n_records, share, record),
        noticed.token,
        noticed.line,
    )


def _verb(what: str, number: int) -> str:
    """The predicate in the singular or plural."""
    first, space, rest = what.partition(" ")
    if number == 1:
        own = {"have": "has", "are": "is", "do": "does", "cannot": "cannot"}
        first = own.get(first) or f"{first}s"
    return first + space + rest


# Checks of one record


def noticed(row: DataRecord) -> Iterator[Noticed]:
    """All findings of a record that need no comparison with other records."""
    if row.error or row.encoding is None:
        yield Noticed(row.code, None, row.error, row.line)
        return
    seen = _Seen(row)
    if row.record is not None and row.record.has_duplicate_key:
        yield Noticed(DUPLICATE)
    if not len(row.token_ids):
        yield Noticed(EMPTY)
        return
    if not seen.runs:
        yield Noticed("nothing_trained")
    for check in (_ends, _lengths, _turns, _tokens, _borders):
        yield from check(seen)
    if seen.conversation is not None:
        for about in (_roles, _contents, _tools):
            yield from about(seen, seen.conversation)


class _Seen:
    """A record, with values that several checks need."""

    def __init__(self, row: DataRecord) -> None:
        assert row.encoding is not None
        self.row, self.encoding, self.ids = row, row.encoding, row.token_ids
        self.vocabulary = row.setting.tokenizer.vocabulary
        self.conversation = None if row.record is None else row.record.conversation
        self.attributes = self.vocabulary.effective_attributes[self.ids]
        self.runs = _runs(row.why)

    @cached_property
    def in_header(self) -> set[int]:
        """The first tokens of trained parts that begin inside a generation prompt."""
        row, conversation = self.row, self.conversation
        if conversation is None or not (header := row.setting.header_for(conversation)):
            return set()
        size, pairs = len(header), zip(row.spans, row.tokens, strict=True)
        return {
            token
            for (start, _), (token, _) in pairs
            if row.text.find(header, max(0, start - size + 1), start + size) >= 0
        }

    def name(self, token: int) -> str:
        return self.vocabulary.raw_text(int(self.ids[token])).decode("utf-8", "replace")

    def is_header(self, token: int) -> bool:
        """Whether a token begins a turn, rather than ends one."""
        return int(self.ids[token]) in self.row.setting.header_ids

    def is_role(self, token: int) -> bool:
        start = int(self.encoding.spans[token, 0])
        return self.encoding.text_bytes.startswith((b"assistant", b"model"), start)

    def is_blank(self, token: int) -> bool:
        start, end = self.encoding.spans[token].tolist()
        return not self.encoding.text_bytes[start:end].strip(BLANK)


def _runs(why: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """The token ranges [first, end) that are trained."""
    return [run.span() for run in TRAINED.finditer(why.tobytes())]


def _ends(seen: _Seen) -> Iterator[Noticed]:
    row, ids, eog = seen.row, seen.ids, seen.vocabulary.eog
    record, kind = row.record, row.setting.mask.kind
    if record is None or (kind == ALL and row.setting.options.mask != "auto"):
        return
    if record.shape == TEXT and kind != MARKER:
        return
    pad, whole = seen.vocabulary.special_ids.pad, len(ids)
    for (start, end), following in zip(seen.runs, [*seen.runs[1:], (whole, whole)], strict=False):
        if end < whole and row.why[end] == CUT:
            continue
        last = end - 1
        while last > start and int(ids[last]) not in eog and seen.is_blank(last):
            last -= 1
        if int(ids[last]) not in eog and (
            following[0] == whole or not eog.isdisjoint(ids[end : following[0]].tolist())
        ):
            yield Noticed("end_not_trained", last)
        elif pad is not None and int(ids[last]) == pad:
            yield Noticed("pad_is_end", last, f"{_name(seen.vocabulary, pad)} is both.")
        before = seen.is_header(start - 1) if start else False
        if seen.is_header(start) or (before and seen.is_role(start)) or start in seen.in_header:
            yield Noticed("header_trained", start)


def _lengths(seen: _Seen) -> Iterator[Noticed]:
    row, most = seen.row, seen.row.setting.options.max_length
    if most is None or len(seen.ids) <= most or not row.spans:
        return
    lost = sum(end - max(start, most) for start, end in row.tokens if end > most)
    if lost:
        whole = sum(end - start for start, end in row.tokens)
        yield Noticed("cut_off", most, f"{lost:,} of {counted(whole, 'trained token')} are cut off.")


def _turns(seen: _Seen) -> Iterator[Noticed]:
    for turn in seen.row.turns:
        if turn.start != UNKNOWN and not turn.how:
            continue
        token = None
        if turn.start == UNKNOWN:
            yield Noticed("turn_not_located", None, f"message {turn.message + 1}.")
        else:
            token = tokens_of(seen.encoding, seen.row.text, [(turn.start, turn.end)])[0][0]
        if turn.how:
            yield Noticed(turn.how, token, f"message {turn.message + 1}.")


def _tokens(seen: _Seen) -> Iterator[Noticed]:
    ids, vocabulary = seen.ids, seen.vocabulary
    special = vocabulary.special_ids
    if len(ids) > 1 and special.bos is not None and ids[0] == ids[1] == special.bos:
        yield Noticed("double_bos", 1)
    unknown = np.flatnonzero(seen.attributes & UNKNOWN_BIT)
    if len(unknown):
        detail = f"{counted(len(unknown), 'unknown token')} of {len(ids):,}."
        yield Noticed("unknown_tokens", int(unknown[0]), detail)
    data = seen.encoding.text_bytes
    rest = data.translate(None, ASCII).decode("utf-8", "surrogatepass")  # searching all takes far longer
    if HIDDEN.search(rest) and (hidden := hidden_spans(data)).n_characters:
        token = int(np.searchsorted(seen.encoding.spans[:, 1], hidden.starts[0], "right"))
        yield Noticed("invisible", token, f"{counted(hidden.n_characters, 'invisible character')}.")
    if MISREAD.search(rest) and (misread := MISREAD.search(seen.row.text)):
        token = tokens_of(seen.encoding, seen.row.text, [misread.span()])[0][0]
        yield Noticed("wrong_encoding", token, f"{quoted(misread[0])}.")
    known = set[str]()
    for marker, _ in near_misses(seen.row.setting.special_names, seen.row.text):
        is_of_content = seen.conversation is not None and marker[0] not in seen.row.setting.template_markers
        code = "marker_in_content" if is_of_content else "marker_as_text"
        if code not in known:
            known.add(code)
            token = tokens_of(seen.encoding, seen.row.text, [marker.span()])[0][0]
            yield Noticed(code, token, f"{quoted(marker[0])}.")


def _borders(seen: _Seen) -> Iterator[Noticed]:
    if seen.row.crossed is not None:
        yield Noticed("border_in_token", seen.row.crossed)


def _roles(seen: _Seen, conversation: Conversation) -> Iterator[Noticed]:
    roles = [str(message["role"]) for message in conversation.messages]
    problem = _problem(roles)
    if problem:
        yield Noticed("roles", None, problem)


def _problem(roles: Sequence[str]) -> str:
    for number, role in enumerate(roles, 1):
        if role not in ROLES:
            return f"message {number} has the unknown role {quoted(role)}."
        if role in SYSTEM and number > 1 and roles[number - 2] not in SYSTEM:
            return f"message {number} is from {role}, but is not the first."
    for number, (before, role) in enumerate(pairwise(roles), 2):
        if role == before and role in ("user", "assistant"):
            return f"messages {number - 1} and {number} are both from {role}."
        if role in ANSWERS and before not in (*ANSWERS, "assistant"):
            return f"message {number} is from {role}, but follows no call."
    first = next((role for role in roles if role not in SYSTEM), "")
    if first == "assistant":
        return "the assistant speaks first."
    return "" if roles[-1] == "assistant" else f"the last message is from {roles[-1]}."


def _contents(seen: _Seen, conversation: Conversation) -> Iterator[Noticed]:
    row, text = seen.row, seen.row.text
    controls = np.flatnonzero(seen.attributes & CONTROL)
    if len(controls):
        for number, (start, end) in row.content_tokens:
            first, last = controls.searchsorted((start, end)).tolist()
            content = str(conversation.messages[number].get("content", "")) if first < last else ""
            own = [at for at in controls[first:last].tolist() if seen.name(at) in content]
            if own:
                names = names_in_words(Counter(map(seen.name, own)))
                yield Noticed("content_became_control", own[0], f"{names} in message {number + 1}.")
                break
    written = {number for number, _, _ in row.contents}
    for number, content, span in row.contents:
        if span is None and json.dumps(content, ensure_ascii=False)[1:-1] not in text:
            code = "reasoning_left_out" if "</think>" in content else "content_left_out"
            yield Noticed(code, None, f"message {number + 1}.")
    for number, message in enumerate(conversation.messages):
        reasoning = ""
        if not NAMES.isdisjoint(message):
            reasoning = next(message[key] for key in REASONING if key in message)
        if reasoning and isinstance(reasoning, str) and reasoning.strip() not in text:
            yield Noticed("reasoning_left_out", None, f"message {number + 1}.")
        is_said = number in written or reasoning or message.get("tool_calls")
        if not is_said and message["role"] in ("user", "assistant"):
            what = "an empty answer" if message["role"] == "assistant" else "empty"
            yield Noticed(EMPTY, None, f"message {number + 1} is {what}.")


def _tools(seen: _Seen, conversation: Conversation) -> Iterator[Noticed]:
    text = seen.row.text
    calls = [(number, message.get("tool_calls")) for number, message in enumerate(conversation.messages, 1)]
    if conversation.tools is not None and lacks_names(text, conversation.tools):
        yield Noticed("tools_left_out", None, "the tools.")
    elif number := next((number for number, called in calls if called and lacks_names(text, called)), 0):
        yield Noticed("tools_left_out", None, f"the calls of message {number}.")
    if any(called for _, called in calls):
        for number, start, end in escaped_arguments(conversation, text):
            token = tokens_of(seen.encoding, text, [(start, end)])[0][0]
            yield Noticed("escaped_arguments", token, f"message {number + 1}.")
            break


def _name(vocabulary: Vocabulary, token_id: int) -> str:
    return quoted(vocabulary.raw_text(token_id).decode("utf-8", "replace"))
