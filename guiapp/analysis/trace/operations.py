"""The kinds of steps that a trace holds: in which stage they happen, and what they do to the tokens."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np


class Stage(IntEnum):
    """The way of a text through the tokenizer."""

    PARTITION = 0
    NORMALISE = 1
    SPLIT = 2
    ENCODE = 3
    ASSEMBLE = 4


STAGE_NAMES = tuple(stage.name.lower() for stage in Stage)


class Effect(IntEnum):
    """What a step changes.

    MERGE    what it makes goes into `cell`, which is a slot, and `other_cell` is emptied
    WAY      it is now the best way to `cell`, which is an offset of the piece; it comes from `other_cell`
    APPEND   a token is added to those of the piece; `cell` counts them, `other_cell` is the offset of the
             piece where it begins, as for JOIN and RESTART
    JOIN     the last token grows over this one
    POP      the last token is taken back
    RESTART  all tokens of the piece are forgotten for this one
    """

    NOTHING = 0
    MERGE = 1
    WAY = 2
    APPEND = 3
    JOIN = 4
    POP = 5
    RESTART = 6


@dataclass(frozen=True)
class StepOperation:
    """One kind of step; `forms` says whether `result` is a token or symbol that is there afterwards."""

    name: str
    stage: Stage
    effect: Effect
    forms: bool
    meaning: str


S, E = Stage, Effect

OPERATIONS = (
    StepOperation("special", S.PARTITION, E.NOTHING, True, "a special token is cut out of the text"),
    StepOperation("text", S.PARTITION, E.NOTHING, False, "a stretch of text between special tokens"),
    StepOperation("normalise", S.NORMALISE, E.NOTHING, False, "the stretch is rewritten"),
    StepOperation("piece", S.SPLIT, E.NOTHING, False, "a piece is split off"),
    StepOperation("whole", S.ENCODE, E.APPEND, True, "the piece is a token as it stands"),
    StepOperation("push", S.ENCODE, E.NOTHING, False, "a pair that could merge enters the queue"),
    StepOperation("stale", S.ENCODE, E.NOTHING, False, "a pair leaves the queue that is gone meanwhile"),
    StepOperation("merge", S.ENCODE, E.MERGE, True, "two neighbours become one"),
    StepOperation("miss", S.ENCODE, E.NOTHING, False, "a stretch is tried that is no token"),
    StepOperation("fail", S.ENCODE, E.NOTHING, False, "no token goes on as the text does"),
    StepOperation("reject", S.ENCODE, E.NOTHING, False, "a token is tried that cannot follow the one before"),
    StepOperation("dead end", S.ENCODE, E.NOTHING, False, "a token is tried behind which nothing can follow"),
    StepOperation("rule out", S.ENCODE, E.NOTHING, False, "a token is left out by chance"),
    StepOperation("take", S.ENCODE, E.APPEND, True, "a token is taken"),
    StepOperation("back", S.ENCODE, E.POP, False, "the last token is taken back"),
    StepOperation("give up", S.ENCODE, E.RESTART, True, "the piece becomes one unknown token"),
    StepOperation(
        "too long", S.ENCODE, E.RESTART, True, "the piece is too long, and becomes one unknown token"
    ),
    StepOperation("reach", S.ENCODE, E.WAY, True, "a better way to a place is found"),
    StepOperation("worse", S.ENCODE, E.NOTHING, False, "a way is tried that is not better"),
    StepOperation("choose", S.ENCODE, E.APPEND, True, "a token of the best way"),
    StepOperation("join", S.ENCODE, E.JOIN, True, "an unknown token grows"),
    StepOperation("fallback", S.ENCODE, E.NOTHING, True, "a token stands for what is part of none"),
    StepOperation("lost", S.ENCODE, E.NOTHING, False, "a symbol for which there is no token is left out"),
    StepOperation("done", S.ENCODE, E.NOTHING, False, "the piece is finished"),
    StepOperation("add", S.ASSEMBLE, E.NOTHING, True, "a token is put around the text"),
)
NUMBERS = {operation.name: number for number, operation in enumerate(OPERATIONS)}
STAGES = np.array([operation.stage for operation in OPERATIONS], np.uint8)
EFFECTS = np.array([operation.effect for operation in OPERATIONS], np.uint8)
FORMS = np.array([operation.forms for operation in OPERATIONS])
MADE_TOKENS = (Effect.APPEND, Effect.JOIN, Effect.RESTART)

BEFORE, BEHIND = 0, 1  # in `cell` of "add": where around the text a token is put
