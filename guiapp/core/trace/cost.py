"""What recording a trace would cost, before it is begun."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.core.vocab.vocabulary import VocabType

BYTES_PER_STEP = 80  # in memory, with who writes what when
SECONDS_PER_STEP = 40e-6
SECONDS_PER_PAIR = 2.5e-6  # of neighbours that the textbook encoder looks at
STEPS_PER_BYTE = {"scan": 1.0, "viterbi": 6.0, "plamo2": 6.0, "table": 5.0, "fewest": 5.0, "wordpiece": 2.0}
USUAL_STEPS_PER_BYTE = 2.6
ONE_PIECE = (VocabType.SPM, VocabType.UGM, VocabType.RWKV, VocabType.PLAMO2)  # whole texts are
LONGEST_WITHOUT_ASKING = 100_000  # bytes
LONGEST_SECONDS_WITHOUT_ASKING = 20.0


class Cost(NamedTuple):
    """Rough figures."""

    n_steps: int
    size_bytes: int
    seconds: float


def estimate(encoder: str, n_bytes: int, is_one_piece: bool) -> Cost:
    """`is_one_piece` where the whole text is one piece, as for SPM."""
    n_steps = round(n_bytes * STEPS_PER_BYTE.get(encoder, USUAL_STEPS_PER_BYTE))
    seconds = n_steps * SECONDS_PER_STEP
    if encoder == "scan" and is_one_piece:
        seconds += n_bytes * n_bytes * SECONDS_PER_PAIR
    return Cost(n_steps, n_steps * BYTES_PER_STEP, seconds)


def must_ask(cost: Cost, n_bytes: int) -> bool:
    """Whether it takes so long that a person should decide."""
    return n_bytes > LONGEST_WITHOUT_ASKING or cost.seconds > LONGEST_SECONDS_WITHOUT_ASKING
