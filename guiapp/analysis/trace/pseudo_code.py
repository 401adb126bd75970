"""Each algorithm in a few lines of pseudocode, and the line that each step executes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from guiapp.analysis.trace.trace import NUMBERS, Trace


@dataclass(frozen=True)
class PseudoCode:
    """`lines` as shown; `line_of` maps each operation to the index of the line that executes it."""

    lines: tuple[str, ...]
    line_of: dict[str, int]

    def operations_of(self, line: int) -> tuple[str, ...]:
        """The operations that a line executes."""
        return tuple(name for name, number in self.line_of.items() if number == line and name in NUMBERS)


def _code(text: str) -> PseudoCode:
    """Parse pseudocode; a line ends with `# operation, operation` if it executes operations."""
    lines: list[str] = []
    line_of: dict[str, int] = {}
    for number, line in enumerate(text.strip("\n").split("\n")):
        code, _, operations = line.partition("  # ")
        lines.append(code.rstrip())
        line_of |= {operation.strip(): number for operation in operations.split(",") if operation}
    return PseudoCode(tuple(lines), line_of)


WHOLE = "if the piece is a token: take it"  # always the first line, if present
STAGES = _code("""
cut out the special tokens  # special, text
normalize the text  # normalise
split it into pieces  # piece
encode each piece
add BOS and EOS  # add
""")

OF_ENCODERS = {
    "heap": _code("""
if the piece is a token: take it  # whole
put every pair that has a rule into the queue  # first push
while the queue is not empty:
    take the pair with the lowest rank
    if one of the two has changed: skip it  # stale
    merge the two into one  # merge
    add the new pairs on both sides  # push
replace unknown symbols by byte tokens  # fallback, lost
next piece  # done
"""),
    "scan": _code("""
if the piece is a token: take it  # whole
while any two neighbours have a rule:
    find the pair with the lowest rank
    merge the two into one  # merge
replace unknown symbols by byte tokens  # fallback, lost
next piece  # done
"""),
    "viterbi": _code("""
for each position, left to right:
    for each token that begins there:
        add its score to the best path so far
        if it is the best to its end: keep it  # reach
        otherwise discard it  # worse
from the end, follow the best path back:
    write down its token  # choose
    join unknown tokens, or use byte tokens  # join, fallback
next part of the text  # done
"""),
    "plamo2": _code("""
for each position, right to left:
    for each token that begins there:
        add its cost to the path after it
        if that is cheaper: keep it  # reach
        otherwise discard it  # worse
from the start, follow the cheapest path:
    write down its token  # take
next part of the text  # done
"""),
    "wordpiece": _code("""
for each word:
    try the rest of the word
    while that is not a token: drop a character  # miss
    take the token  # take
    if nothing fits: the word is unknown  # give up
    so is a word that is too long  # too long
next word  # done
"""),
    "linear": _code("""
for each word:
    walk down the tree of all tokens
    at a dead end:  # fail
        take the tokens of the node's link  # take
        continue at the node that it links to
        without a link, the word is unknown  # give up
next word  # done
"""),
    "rwkv": _code("""
while there is text left:
    find the longest token it begins with
    take it  # take
next part of the text  # done
"""),
    "greedy": _code("""
if the piece is a token: take it  # whole
while there is text left in the piece:
    walk down the token tree
    take the last token on the path  # take, join
next piece  # done
"""),
    "backtrack": _code("""
if the piece is a token: take it  # whole
while there is text left in the piece:
    try the longest token that fits
    if nothing can follow it: shorter one  # dead end
    if it cannot follow the last: shorter  # reject
    otherwise take it  # take, join
    if none is left: remove the last token  # back
next piece  # done
"""),
    "table": _code("""
if the piece is a token: take it  # whole
for each position, left to right:
    for each token that begins there:
        if it can follow the last token of
            the text so far: note it  # reach
        otherwise discard it  # reject
from the end, follow the notes back  # choose, join
next piece  # done
"""),
    "fewest": _code("""
if the piece is a token: take it  # whole
for each position, left to right:
    for each token that begins there:
        sometimes skip it at random  # rule out
        if this takes fewer tokens: keep it  # reach
        otherwise discard it  # worse
from the end, follow the best path back  # choose, join
next piece  # done
"""),
    "words": _code("""
for each word:
    look it up, first with the space before it  # miss
    if it is a token: take it  # whole, take
next word  # done
"""),
    "wordlevel": _code("""
for each piece:
    look it up
    if it is not a token: it is unknown  # miss
    take the token  # take
next piece  # done
"""),
    "hash": _code("""
for each five bytes:
    their hash is the token  # whole
done  # done
"""),
}


def code_of(trace: Trace) -> PseudoCode:
    """The pseudocode to show while pieces are encoded."""
    return _code_of(trace.reference_name, trace.checks_whole)


@cache
def _code_of(reference_name: str, checks_whole: bool) -> PseudoCode:
    """The pseudocode of an encoder, without the line about whole pieces if it does not check them."""
    code = OF_ENCODERS.get(reference_name, STAGES)
    if checks_whole or code.lines[0] != WHOLE:
        return code
    line_of = {operation: line - 1 for operation, line in code.line_of.items() if line > 0}
    return replace(code, lines=code.lines[1:], line_of=line_of)


def pseudo_code(trace: Trace, step: int) -> tuple[PseudoCode, int]:
    """The pseudocode to show at a step, and the index of the line that the step executes."""
    operation, piece = trace.operation(step), trace.piece_at(step)
    if operation == "push" and trace.columns.candidates[step] == step - trace.pieces.first_step[piece]:
        operation = "first push"
    code = code_of(trace)
    if operation not in code.line_of:
        code = STAGES
    return code, code.line_of[operation]
