"""Data for the views of a trace at its present step: the text around it, candidates, and captions."""

from __future__ import annotations

import re
from enum import Enum
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.trace import EFFECTS, FORMS, MADE_TOKENS, NUMBERS
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import TokenTree, Vocabulary

STAGES = "The stages of encoding, in order. Encoders differ only in the fourth."
BACKWARDS = "Second pass, backwards: the tokens {} are read from the end of the text to its start."
PASSES = {  # of encoders that compare paths: while finding them, while reading the best
    "viterbi": (
        "First pass, forwards: an arc is the last token of the best path to a position. Below, the score of "
        "that path (a log-probability: nearer to 0 is better).",
        BACKWARDS.format("of the best path"),
    ),
    "plamo2": (
        "First pass, from the end to the start: an arc is the first token of the best path from a position. "
        "Below, the cost of that path (lower is better).",
        "Second pass, forwards: the tokens of the cheapest path are read from start to end.",
    ),
    "table": (
        "First pass, forwards: an arc is the last token of the text up to a position; ✓ where there is one.",
        BACKWARDS.format("that were recorded"),
    ),
    "fewest": (
        "First pass, forwards: an arc is the last token of the best path to a position. Below, how many "
        "tokens that path has (fewer is better).",
        BACKWARDS.format("of the best path"),
    ),
}
WALK = "Go down the token tree as far as the text matches, then take the longest token."
CAPTIONS = {
    "heap": "Neighbours that could become one token: the lowest rank is on top.",
    "scan": "Neighbours that could become one token, in text order: the lowest rank wins.",
    "greedy": WALK,
    "rwkv": WALK,
    "wordpiece": "Try the longest part first, then one character less, until it is a token.",
    "linear": "Read each character once. Where no token can continue, take the tokens that are certain.",
    "backtrack": "Try the longest token first, then shorter ones. If none can follow the last token, "
    "take that one back.",
    "words": "Look up each word as a whole: it is a token, or it is unknown.",
}
OF_RANKS = "The rank of a rule is its order in training: lower ranks go first."
OTHERWISE = "Look up each piece, and take its tokens."
WORTHS = {"heap": "rank", "scan": "rank", "viterbi": "score", "plamo2": "cost", "fewest": "tokens"}
TRIES = ("miss", "fail", "reject", "dead end", "rule out", "back")
LATTICE_NODES = 22
TOKENS_BEFORE = 16  # most finished tokens shown before the step, in a long text
TOKENS_AROUND = 40  # most tokens shown from the step on, in a long text
LONG_TEXT_BYTES = 500  # a longer text is shown in part
LONGEST_RAW, BEHIND_RAW = 160, 480  # bytes shown before and after those of the step
MOST_OF_RESULT = 240  # tokens shown at the end
WORD = re.compile(rb"[ \r\n\t]*(?:[^ \r\n\t\x80-\xff]|[\xc0-\xff][\x80-\xbf]*|[\x80-\xbf]){1,24}|[ \r\n\t]+")
WALKERS = ("greedy", "rwkv")
MOST_OTHERS = 6
LOOK_AHEAD = 6  # bytes of the text shown after the token
PAIR_STEPS = ("merge", "push", "stale")


class ElementKind(Enum):
    """The kind of an element of the text."""

    FINISHED = "a token of a finished piece"
    CONTROL = "a control token"
    USER_DEFINED = "a user-defined token"
    TOKEN = "a symbol or token of this piece"
    TEXT = "text that is not encoded yet"


SPECIAL_PARTS = {"control": ElementKind.CONTROL, "user-defined": ElementKind.USER_DEFINED}


class ElementRole(Enum):
    """The role of an element in the present step."""

    NONE = ""
    LEFT = "left part of the pair"
    RIGHT = "right part of the pair"
    OVER = "subject of the step"


class Element(NamedTuple):
    """A box of the text: its label, its id below, bytes [start, end); `color` is the index of its colour."""

    text: str
    below: str
    start: int
    end: int
    part: ElementKind = ElementKind.TEXT
    role: ElementRole = ElementRole.NONE
    color: int = 0


class Flow(NamedTuple):
    """The text around the present step, and the result that the step makes of the elements with a role."""

    elements: list[Element]
    made: str = ""
    made_below: str = ""


def flow(debugger: Debugger, is_covered: bool = False) -> Flow:
    """The boxes to draw: tokens and symbols near the present step, and text between and after them.

    Their number does not grow with the text.  With `is_covered`, no element has a role.
    """
    trace, position = debugger.trace, debugger.position
    if position >= debugger.n_steps:
        rows = trace.result.part(0, MOST_OF_RESULT).rows()
        return Flow([_finished(debugger, token, index) for index, token in enumerate(rows)])
    now, piece, first, last = _now(debugger), trace.piece_at(position), 0, len(trace.text)
    if is_covered:
        now = now._replace(is_pair=False, is_over_text=False)
    if is_long := last > LONG_TEXT_BYTES:
        last = min(last, max(now.end, now.start + 1) + BEHIND_RAW)
        first = max(0, now.start - LONGEST_RAW)
        first += next((skipped for skipped, byte in enumerate(trace.text[first:]) if byte & 0xC0 != 0x80), 0)
    tokens = debugger.states.tokens(position, (first, last))
    shown = slice(0, len(tokens.ids))
    if is_long:
        at = int(np.searchsorted(tokens.starts, now.start))
        begin = max(0, at - TOKENS_BEFORE, int(np.searchsorted(tokens.ends, first)))
        shown = slice(begin, min(shown.stop, at + TOKENS_AROUND))
        if 0 < begin < len(tokens.ids):
            first = int(tokens.starts[begin])
    colors = np.searchsorted(trace.made.starts, tokens.starts[shown]).tolist()
    piece_bytes = range(0)
    if piece >= 0:
        piece_bytes = range(int(trace.pieces.start[piece]), int(trace.pieces.end[piece]))
    elements: list[Element] = []
    are_all = shown.stop == len(tokens.ids)
    for token, color in zip(tokens.part(shown.start, shown.stop).rows(), colors, strict=True):
        token_id, start, end = token
        if start > last:
            are_all = True
            break
        elements += _text(debugger, first, start, now)
        if start in piece_bytes or (start == end == piece_bytes.start and piece >= 0):
            role, label = _role(now, start, end), debugger.describer.label(token_id, start, end)
            elements.append(Element(label, _id(debugger, token_id), start, end, ElementKind.TOKEN, role))
        else:
            elements.append(_finished(debugger, token, color))
        first = max(first, end)
    if are_all:
        elements += _text(debugger, first, last, now)
    has_made = not is_covered and (now.is_pair or trace.columns.result[position] >= 0)
    return Flow(elements, *(_made(debugger) if has_made else ()))


def _made(debugger: Debugger) -> tuple[str, str]:
    step = debugger.position
    return debugger.describer.made(step), _id(debugger, int(debugger.trace.columns.result[step]))


def _id(debugger: Debugger, token_id: int) -> str:
    return f"id {token_id}" if 0 <= token_id < len(debugger.vocabulary) else "no token"


class _Now(NamedTuple):
    """The bytes [start, end) of the present step; the right symbol of a pair begins at `middle`."""

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
    if start < now.start or end > now.end:
        return ElementRole.NONE
    if now.is_pair:
        is_left = start < now.middle or end <= now.middle  # a space in front of the text takes no bytes
        return ElementRole.LEFT if is_left else ElementRole.RIGHT
    return ElementRole.OVER if now.is_over_text else ElementRole.NONE


def _finished(debugger: Debugger, token: tuple[int, ...], index: int) -> Element:
    token_id, start, end = token
    kind = debugger.vocabulary.kind(token_id) if 0 <= token_id < len(debugger.vocabulary) else ""
    text = debugger.describer.label(token_id, start, end)
    part = SPECIAL_PARTS.get(kind, ElementKind.FINISHED)
    return Element(text, _id(debugger, token_id), start, end, part, color=index)


def _text(debugger: Debugger, start: int, end: int, now: _Now) -> list[Element]:
    """Text without tokens: one box for the bytes of the step, else words, cut where pieces begin."""
    if start >= end:
        return []
    starts = debugger.trace.pieces.start
    within = starts[slice(*np.searchsorted(starts, np.array([start, end], starts.dtype)).tolist())]
    begins = within.tolist() if debugger.trace.piece_at(debugger.position) >= 0 else []
    if now.is_over_text:
        begins = [at for at in begins if not now.start < at < now.end] + [now.start, now.end]
    found = []
    for first, last in pairwise(sorted({start, end, *(at for at in begins if start < at < end)})):
        text = debugger.trace.text[first:last]
        if now.is_over_text and now.start <= first and last <= now.end:
            shown = visible_text(text, LONGEST_RAW)
            found.append(Element(shown, "", first, last, role=ElementRole.OVER))
        else:
            found += [
                Element(visible_text(match[0]), "", first + match.start(), first + match.end())
                for match in WORD.finditer(text)
            ]
    return found


class LatticeNode(NamedTuple):
    """A node of a lattice: the character that begins there, and the value of the best path to it."""

    text: str
    worth: str
    is_reached: bool


class Edge(NamedTuple):
    """A token of a lattice between two nodes.

    kind     "way", "chosen", "now" or "worse"
    is_left  whether its path leads to the left
    """

    first: int
    last: int
    text: str
    kind: str
    is_left: bool = False


class StepLattice(NamedTuple):
    """The nodes of a piece around the present step, and the last token of the best path to each."""

    nodes: list[LatticeNode]
    edges: list[Edge]


def lattice(debugger: Debugger) -> StepLattice:
    """The lattice of Viterbi and its kin before the present step; of a long piece the part around it."""
    trace, position = debugger.trace, debugger.position
    piece = trace.piece_at(position)
    work = b"" if piece < 0 else trace.piece_work(piece)
    if not work or debugger.states.has_slots(piece):  # empty if the piece was only blanks that were dropped
        return StepLattice([], [])
    columns = trace.columns
    bounds = np.flatnonzero(np.frombuffer(work + b"\n", np.uint8) & 0xC0 != 0x80)  # its end included
    middle = int(bounds.searchsorted(_offset(debugger, piece)))
    first = max(0, min(middle - LATTICE_NODES // 2, len(bounds) - LATTICE_NODES))
    shown = bounds[first : first + LATTICE_NODES].tolist()
    best_steps = debugger.states.best_steps(position, piece, slice(shown[0], shown[-1] + 1)).tolist()
    number = {offset: index for index, offset in enumerate(shown)}
    nodes, edges = [], []
    for index, offset in enumerate(shown):
        end = int(bounds[first + index + 1]) if first + index + 1 < len(bounds) else offset
        step = best_steps[offset - shown[0]]
        worth = debugger.describer.worth(step).replace("nan", "✓") if step >= 0 else ""
        nodes.append(LatticeNode(debugger.describer.character(work[offset:end]), worth, step >= 0))
        origin = int(columns.other_cell[step]) if step >= 0 else -1
        if step >= 0 and origin in number:
            edges.append(_edge(debugger, step, number[origin], index, "way"))
    edges += _chosen(debugger, piece, number)
    cell, other = int(columns.cell[position]), int(columns.other_cell[position])
    if trace.operation(position) in ("reach", "worse", "reject") and cell in number and other in number:
        kind = "now" if trace.operation(position) == "reach" else "worse"
        edges.append(_edge(debugger, position, number[other], number[cell], kind))
    return StepLattice(nodes, edges)


def _offset(debugger: Debugger, piece: int) -> int:
    """The offset in the piece that the present step reaches, or at which its token ends."""
    columns, step = debugger.trace.columns, debugger.position
    if columns.cell[step] >= 0 and EFFECTS[columns.operation[step]] not in MADE_TOKENS:
        return int(columns.cell[step])
    starts = debugger.trace.cells.start[debugger.trace.piece_cells(piece)]
    return int(starts.searchsorted(columns.end[step]))


def _edge(debugger: Debugger, step: int, first: int, last: int, kind: str) -> Edge:
    text = debugger.describer.made(step) if debugger.trace.columns.result[step] >= 0 else "bytes"
    return Edge(min(first, last), max(first, last), text, kind, last < first)


def _chosen(debugger: Debugger, piece: int, number: dict[int, int]) -> list[Edge]:
    """The tokens of the best path that were read so far, the one of the present step marked."""
    columns, position = debugger.trace.columns, debugger.position
    is_made_now = EFFECTS[columns.operation[position]] in MADE_TOKENS
    steps = debugger.states.makers(position + is_made_now, piece)
    if not len(steps):
        return []
    last = len(debugger.trace.piece_work(piece))
    goes_back = debugger.states.goes_back(steps)
    if not goes_back:
        starts = debugger.trace.cells.start[debugger.trace.piece_cells(piece)]
        last = int(starts.searchsorted(columns.end[steps[-1]]))
    bounds = [*columns.other_cell[steps].tolist(), last]
    edges = []
    for step, (start, end) in zip(steps.tolist(), pairwise(bounds), strict=True):
        if start in number and end in number:
            way = (number[end], number[start]) if goes_back else (number[start], number[end])
            edges.append(_edge(debugger, step, *way, "now" if step == position else "chosen"))
    return edges


class TriedToken(NamedTuple):
    """A token tried at this position, and its outcome."""

    text: str
    verdict: str


class Stack(NamedTuple):
    """The tokens taken so far, in order, and those tried for the next one."""

    taken: list[TriedToken]
    tries: list[TriedToken]


VERDICTS = {
    "miss": "no token",
    "fail": "goes no further",
    "reject": "cannot follow",
    "dead end": "nothing can follow",
    "rule out": "ruled out",
    "back": "taken back",
    "take": "taken",
}


def stack(debugger: Debugger, n_taken: int = 12) -> Stack:
    """The tokens taken and tried in this piece, for an encoder that takes tokens one by one."""
    trace, position = debugger.trace, debugger.position
    piece = trace.piece_at(position)
    if piece < 0:
        return Stack([], [])
    tokens = debugger.states.piece_tokens(position, piece)
    n_tokens = len(tokens.ids)
    taken = [
        TriedToken(debugger.describer.label(token_id, start, end), f"{start:,}–{end:,}")
        for token_id, start, end in tokens.part(max(0, n_tokens - n_taken), n_tokens).rows()
    ]
    first = position
    while first > 0 and trace.operation(first - 1) in TRIES:
        first -= 1
    last = position + 1 if position < len(trace) and trace.operation(position) in VERDICTS else position
    tries = [
        TriedToken(debugger.describer.made(step), VERDICTS[trace.operation(step)])
        for step in range(max(first, last - n_taken), last)
    ]
    return Stack(taken, tries)


class Made(NamedTuple):
    """A token or symbol that an earlier step made."""

    step: int
    text: str
    worth: str


def made_so_far(debugger: Debugger, limit: int = 9) -> list[Made]:
    """The last steps before the present one that made a token or symbol, the newest last."""
    columns, position = debugger.trace.columns, debugger.position
    first = max(0, position - 5000)
    steps = np.flatnonzero(FORMS[columns.operation[first:position]])[-limit:] + first
    found = []
    is_merge = (columns.operation[steps] == NUMBERS["merge"]).tolist()
    for step, joins in zip(steps.tolist(), is_merge, strict=True):
        text, worth = debugger.describer.made(step), debugger.describer.worth(step)
        if joins:
            text = f"{' + '.join(debugger.describer.joined(step))} → {text}"
        found.append(Made(step, text, "" if worth == "nan" else worth))
    return found


class WalkNode(NamedTuple):
    """A token on the path, and its siblings in the tree.

    others    the bytes that some siblings add to their parent; there are `n_others` siblings in all
    """

    token_id: int
    text: str
    others: tuple[str, ...]
    n_others: int


class MatchedPath(NamedTuple):
    """The tokens on the path, the last one taken; no longer token continues with `text_after`."""

    nodes: list[WalkNode]
    text_after: str


def matched_path(debugger: Debugger, tree: TokenTree) -> MatchedPath:
    """The path of longest match at a step; without nodes if the step takes no token."""
    trace, step = debugger.trace, debugger.position
    if step >= len(trace) or trace.operation(step) != "take":
        return MatchedPath([], "")
    taken, end = int(trace.columns.result[step]), int(trace.columns.end[step])
    text_after = visible_text(trace.text[end : end + LOOK_AHEAD])
    if not tree.is_matched[taken]:
        return MatchedPath([], text_after)
    return MatchedPath(
        [_walk_node(debugger.vocabulary, tree, token_id, debugger.spelling) for token_id in tree.path(taken)],
        text_after,
    )


def _walk_node(vocabulary: Vocabulary, tree: TokenTree, token_id: int, spelling: Spelling) -> WalkNode:
    siblings = tree.children(tree.parent(token_id))
    at = int((siblings == token_id).argmax())
    first = max(0, min(at - MOST_OTHERS // 2, len(siblings) - MOST_OTHERS - 1))
    near = [int(other) for other in siblings[first : first + MOST_OTHERS + 1] if other != token_id]
    others = tuple(spelling.part(vocabulary, tree.added_bytes(each)) for each in near)
    return WalkNode(token_id, spelling.token(vocabulary, token_id), others, len(siblings) - 1)


def caption(debugger: Debugger) -> str:
    if debugger.trace.piece_at(debugger.position) < 0:
        return STAGES
    reference_name = debugger.trace.reference_name
    if reference_name in PASSES:
        return PASSES[reference_name][is_second_pass(debugger)]
    return CAPTIONS.get(reference_name, OTHERWISE)


def explanation(debugger: Debugger) -> str:
    """The caption, with an explanation of ranks if it shows some."""
    has_ranks = worth_name(debugger) == "rank" and debugger.trace.piece_at(debugger.position) >= 0
    return f"{caption(debugger)} {OF_RANKS}" if has_ranks else caption(debugger)


def worth_name(debugger: Debugger | None) -> str:
    """The name of the value that steps have, such as `rank`; "" for none."""
    return "" if debugger is None else WORTHS.get(debugger.trace.reference_name, "")


def is_second_pass(debugger: Debugger) -> bool:
    """Whether the best path is complete, and its tokens are being read."""
    piece, position = debugger.trace.piece_at(debugger.position), debugger.position
    operation = debugger.trace.operation(position)
    if operation in ("choose", "take", "join", "done"):
        return True
    return operation == "fallback" and len(debugger.states.makers(position, piece)) > 0
