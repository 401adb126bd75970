"""What the picture of an encoder shows, and what a step on or back does there, in words for newcomers."""

from __future__ import annotations

from guiapp.analysis.explain.spelling import without_marks
from guiapp.analysis.trace.debugger import Debugger, Granularity

STAGES = "What happens to any text, one stage after the other. Only the fourth is up to the encoder."
PASSES = {  # of those that weigh ways: while they are found, and while the best one is read
    "viterbi": (
        "First pass, forwards: an arc is the last token of the best way to a place. Below, the score of that "
        "way (a log-probability: nearer to 0 is better).",
        "Second pass, backwards: from the end of the text to its start, the tokens of the best way are kept.",
    ),
    "plamo2": (
        "First pass, from the end to the start: an arc is the first token of the best way from a place. "
        "Below, the cost of that way (lower is better).",
        "Second pass, forwards: from the start, the tokens of the cheapest way are kept.",
    ),
    "table": (
        "First pass, forwards: an arc is the last token of the text up to a place; ✓ where there is one.",
        "Second pass, backwards: from the end of the text to its start, the tokens that were noted are kept.",
    ),
    "fewest": (
        "First pass, forwards: an arc is the last token of the best way to a place. Below, how many tokens "
        "that way has (fewer is better).",
        "Second pass, backwards: from the end of the text to its start, the tokens of the best way are kept.",
    ),
}
WALK = "Down the tree of tokens as far as the text goes: the longest is taken."
CAPTIONS = {
    "heap": "Neighbours that could become one token: the lowest rank is on top.",
    "scan": "Neighbours that could become one token, by place: the lowest rank wins.",
    "greedy": WALK,
    "rwkv": WALK,
    "wordpiece": "The longest stretch is tried first, then one character less, until it is a token.",
    "linear": "Characters are read once. Where no token goes on, what is certain is taken.",
    "backtrack": "The longest token is tried first, then shorter ones. If none can follow the last token, "
    "that one is taken back.",
    "words": "Each word is looked up as a whole: it is a token, or nothing stands for it.",
}
OF_RANKS = "The rank of a rule says how early it was learned, in training: the lower goes first."
OTHERWISE = "Each piece is looked up, and its tokens are taken."
SIZES = {
    Granularity.PIECE: ("Goes on to the next piece: a stretch of text that is encoded by itself.", "piece"),
    Granularity.STAGE: ("Goes on to the next stage: special tokens, rewriting, pieces, encoding …", "stage"),
}
WORTHS = {"heap": "rank", "scan": "rank", "viterbi": "score", "plamo2": "cost", "fewest": "tokens"}


def caption(debugger: Debugger) -> str:
    """What there is to see at the present step."""
    if debugger.trace.piece_at(debugger.position) < 0:
        return STAGES
    reference_name = debugger.trace.reference_name
    if reference_name in PASSES:
        return PASSES[reference_name][is_second_pass(debugger)]
    return CAPTIONS.get(reference_name, OTHERWISE)


def explanation(debugger: Debugger) -> str:
    """The same at length, for those who ask."""
    has_ranks = (
        WORTHS.get(debugger.trace.reference_name) == "rank"
        and debugger.trace.piece_at(debugger.position) >= 0
    )
    return f"{caption(debugger)} {OF_RANKS}" if has_ranks else caption(debugger)


def worth_name(debugger: Debugger | None) -> str:
    """What the numbers are that steps are worth; "" where they have none."""
    return "" if debugger is None else WORTHS.get(debugger.trace.reference_name, "")


def is_second_pass(debugger: Debugger) -> bool:
    """Whether the best way is found, and its tokens are being read."""
    piece, position = debugger.trace.piece_at(debugger.position), debugger.position
    operation = debugger.trace.operation(position)
    if operation in ("choose", "take", "join", "done"):
        return True
    return operation == "fallback" and len(debugger.states.makers(position, piece)) > 0


def step_on(debugger: Debugger, size: Granularity) -> str:
    """What a step on does, a size of steps given."""
    if debugger.position >= debugger.n_steps:
        return "This is the end: there are no more steps."
    if size in SIZES:
        return SIZES[size][0]
    return f"Does what is next, and shows what comes then. Next: {without_marks(debugger.sentence())}"


def step_back(debugger: Debugger, size: Granularity) -> str:
    """What a step back does: it takes nothing from the text, but from what was done with it."""
    if debugger.position == 0:
        return "This is the start: nothing is done yet."
    if size in SIZES:
        return f"Undoes all steps of this {SIZES[size][1]}, or of the one before."
    last = without_marks(debugger.describer.sentence(debugger.position - 1))
    return f"Undoes the last step, which was: {last}"
