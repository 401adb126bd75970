"""The text around a step of a trace: finished tokens, those that grow, and what waits."""

from __future__ import annotations

import re
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.trace import TraceTokens
from guiapp.core.text.visible_text import visible_text

TOKENS_BEFORE = 16  # finished tokens shown before the piece, and of a long text before the step
TOKENS_AROUND = 40  # of a long piece, on either side of the step
LONG_TEXT_BYTES = 500  # more than is shown at once
PIECES_BEHIND = 20
LONGEST_RAW = 160  # bytes of text behind the piece
MOST_RAW = 4  # times that, around a step outside of pieces
WORD = re.compile(rb"[ \r\n\t]*(?:[^ \r\n\t\x80-\xff]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]){1,24}|[ \r\n\t]+")
PAIR_STEPS = ("merge", "push", "stale")


class ElementKind(Enum):
    """What an element of the text is."""

    FINISHED = "a token of a finished piece"
    CONTROL = "a control token"
    USER_DEFINED = "a user-defined token"
    TOKEN = "a symbol or token of this piece"
    TEXT = "text that is not encoded yet"


SPECIAL_PARTS = {"control": ElementKind.CONTROL, "user-defined": ElementKind.USER_DEFINED}


class ElementRole(Enum):
    """What the present step has to do with an element."""

    NONE = ""
    LEFT = "left part of the pair"
    RIGHT = "right part of the pair"
    OVER = "what the step is about"


class Element(NamedTuple):
    """A box of the text: bytes [start, end), how it is written, its id below; `color` counts."""

    text: str
    below: str
    start: int
    end: int
    part: ElementKind
    role: ElementRole
    color: int


class Flow(NamedTuple):
    """The text around the present step, and what the step makes of the elements with a role."""

    elements: list[Element]
    made: str
    made_below: str
    is_cut_before: bool
    is_cut_after: bool


def flow(debugger: Debugger) -> Flow:
    """The boxes to draw; their number does not grow with the text."""
    trace, position = debugger.trace, debugger.position
    if position >= debugger.n_steps:
        return _result(debugger)
    columns = trace.columns
    start, end = int(columns.position[position]), int(columns.end[position])
    piece = trace.piece_at(position)
    if piece < 0:
        return _stage(debugger, start, end)
    piece_start, piece_end = int(trace.pieces.start[piece]), int(trace.pieces.end[piece])
    n_before = TOKENS_BEFORE if len(trace.text) > LONG_TEXT_BYTES else TOKENS_AROUND
    tokens, is_cut_inside = _context(
        debugger.states.piece_tokens(position, piece, (start, end)), start, n_before
    )
    if debugger.states.has_slots(piece) and len(tokens.ids):  # symbols fill the piece
        is_cut_inside = int(tokens.starts[0]) > piece_start, int(tokens.ends[-1]) < piece_end
    now = _now(debugger)
    at = piece_start if not is_cut_inside[0] else int(tokens.starts[0])
    elements, is_cut = _before(debugger, piece) if not is_cut_inside[0] else ([], True)
    first = len(elements)
    for token_id, token_start, token_end in zip(*(column.tolist() for column in tokens), strict=True):
        if at < token_start:
            elements += _text(debugger, at, token_start, now)
        role = _role(now, token_start, token_end)
        text = debugger.describer.label(token_id, token_start, token_end)
        below = _id(debugger, token_id)
        elements.append(Element(text, below, token_start, token_end, ElementKind.TOKEN, role, first))
        at = max(at, token_end)
    if not is_cut_inside[1]:
        elements += _text(debugger, at, piece_end, now)
    after, is_cut_after = _after(debugger, piece) if not is_cut_inside[1] else ([], True)
    made = _made(debugger) if now.is_pair or columns.result[position] >= 0 else ("", "")
    return Flow(elements + after, *made, is_cut, is_cut_after)


def _made(debugger: Debugger) -> tuple[str, str]:
    step = debugger.position
    return debugger.describer.made(step), _id(debugger, int(debugger.trace.columns.result[step]))


def _id(debugger: Debugger, token_id: int) -> str:
    return str(token_id) if 0 <= token_id < len(debugger.vocabulary) else "no token"


class _Now(NamedTuple):
    """What the present step is about: bytes [start, end), for a pair with its right symbol at `middle`."""

    start: int
    middle: int
    end: int
    is_pair: bool
    is_over_text: bool


def _now(debugger: Debugger) -> _Now:
    columns, step = debugger.trace.columns, debugger.position
    start, middle = int(columns.position[step]), int(columns.right_position[step])
    operation = debugger.trace.operation(step)
    is_pair = operation in PAIR_STEPS
    return _Now(start, middle, int(columns.end[step]), is_pair, not is_pair and operation != "done")


def _role(now: _Now, start: int, end: int) -> ElementRole:
    """What the present step has to do with a token of the piece."""
    if start < now.start or end > now.end:
        return ElementRole.NONE
    if now.is_pair:
        is_left = start < now.middle or end <= now.middle  # a space in front of the text takes no bytes
        return ElementRole.LEFT if is_left else ElementRole.RIGHT
    return ElementRole.OVER if now.is_over_text else ElementRole.NONE


def _finished(debugger: Debugger, token_id: int, start: int, end: int, index: int) -> Element:
    """A token that stays, as the other pages show it."""
    kind = debugger.vocabulary.kind(token_id) if 0 <= token_id < len(debugger.vocabulary) else ""
    text = debugger.describer.label(token_id, start, end)
    part = SPECIAL_PARTS.get(kind, ElementKind.FINISHED)
    return Element(text, _id(debugger, token_id), start, end, part, ElementRole.NONE, index)


def _text(debugger: Debugger, start: int, end: int, now: _Now) -> list[Element]:
    """Text without tokens, cut where the present step begins and ends."""
    if start >= end:
        return []
    inner = sorted({start, end, *(at for at in (now.start, now.end) if start < at < end)})
    found = []
    for first, last in pairwise(inner):
        text = debugger.trace.text[first:last]
        is_over = now.is_over_text and now.start <= first and last <= now.end
        if is_over:
            found.append(
                Element(
                    visible_text(text, LONGEST_RAW), "", first, last, ElementKind.TEXT, ElementRole.OVER, 0
                )
            )
        else:
            found += _words(text[: MOST_RAW * LONGEST_RAW], first)
    return found


def _words(text: bytes, start: int) -> list[Element]:
    """Text that is not encoded yet, in parts that rows can be broken between."""
    return [
        Element(
            visible_text(match[0]),
            "",
            start + match.start(),
            start + match.end(),
            ElementKind.TEXT,
            ElementRole.NONE,
            0,
        )
        for match in WORD.finditer(text)
    ]


def _context(tokens: TraceTokens, start: int, n_before: int) -> tuple[TraceTokens, tuple[bool, bool]]:
    """The tokens around a place, and whether there are more before and behind."""
    at = int(np.searchsorted(tokens.starts, start))
    first, last = max(0, at - n_before), at + TOKENS_AROUND
    n_tokens = len(tokens.ids)
    return TraceTokens(*(column[first:last] for column in tokens)), (first > 0, last < n_tokens)


def _before(debugger: Debugger, piece: int) -> tuple[list[Element], bool]:
    """The last tokens of the pieces before, and special ones between these."""
    trace, last = debugger.trace, debugger.trace.piece_tokens(piece).start
    first = max(0, last - TOKENS_BEFORE)
    columns = (column[first:last].tolist() for column in trace.made)
    elements = [
        _finished(debugger, token_id, start, end, first + at)
        for at, (token_id, start, end) in enumerate(zip(*columns, strict=True))
    ]
    n_special = int(trace.special.starts.searchsorted(trace.pieces.start[piece]))
    special = _special(debugger, max(0, n_special - TOKENS_BEFORE), n_special)
    elements = sorted(elements + special, key=_start)[-TOKENS_BEFORE:]
    return elements, last + n_special > len(elements)


def _after(debugger: Debugger, piece: int) -> tuple[list[Element], bool]:
    """The next pieces, as text, and special tokens between them."""
    trace, first = debugger.trace, piece + 1
    pieces, text = trace.pieces, trace.text
    bounds = zip(
        *(column[first : first + PIECES_BEHIND].tolist() for column in (pieces.start, pieces.end)),
        strict=True,
    )
    elements = []
    for number, (start, piece_end) in enumerate(bounds, first):
        end = min(piece_end, start + LONGEST_RAW)
        shown = visible_text(text[start:end], LONGEST_RAW)
        elements.append(Element(shown, "", start, end, ElementKind.TEXT, ElementRole.NONE, number))
    n_special = int(trace.special.starts.searchsorted(pieces.end[piece]))
    special = _special(debugger, n_special, n_special + PIECES_BEHIND)
    elements = sorted(elements + special, key=_start)[:PIECES_BEHIND]
    n_after = trace.n_pieces - first + len(trace.special.ids) - n_special
    return elements, n_after > len(elements)


def _special(debugger: Debugger, first: int, last: int) -> list[Element]:
    """Some of the special tokens that were cut out of the text."""
    columns = (column[first:last].tolist() for column in debugger.trace.special)
    return [
        _finished(debugger, token_id, start, end, 0) for token_id, start, end in zip(*columns, strict=True)
    ]


def _start(element: Element) -> int:
    return element.start


def _stage(debugger: Debugger, start: int, end: int) -> Flow:
    """Before and behind encoding: what is a token already, and text around the present step."""
    text = debugger.trace.text
    first, last = max(0, start - LONGEST_RAW), min(len(text), max(end, start + 1) + MOST_RAW * LONGEST_RAW)
    tokens = debugger.states.tokens(debugger.position, (first, last))
    near = (tokens.ends >= first) & (tokens.starts <= last)
    elements: list[Element] = []
    at, now = first, _now(debugger)
    columns = (column[near][: 3 * TOKENS_AROUND].tolist() for column in tokens)
    for index, (token_id, token_start, token_end) in enumerate(zip(*columns, strict=True)):
        elements += _text(debugger, at, token_start, now)
        elements.append(_finished(debugger, token_id, token_start, token_end, index))
        at = max(at, token_end)
    elements += _text(debugger, at, last, now)
    made = _made(debugger) if debugger.trace.columns.result[debugger.position] >= 0 else ("", "")
    return Flow(elements, *made, first > 0, last < len(text))


def _result(debugger: Debugger) -> Flow:
    """The end: all tokens, as far as there is room for them."""
    tokens = debugger.trace.result
    most = 6 * TOKENS_AROUND
    columns = (column[:most].tolist() for column in tokens)
    elements = [
        _finished(debugger, token_id, start, end, index)
        for index, (token_id, start, end) in enumerate(zip(*columns, strict=True))
    ]
    return Flow(elements, "", "", False, len(tokens.ids) > most)
