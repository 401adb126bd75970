"""What recording a trace would cost, before it is begun, and how much of a text to record at first."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.core.vocabulary.vocabulary import VocabType

BYTES_PER_STEP = 80  # in memory, with who writes what when
SECONDS_PER_STEP = 40e-6
SECONDS_PER_PAIR = 2.5e-6  # of neighbours that the textbook encoder looks at
STEPS_PER_BYTE = {"scan": 1.0, "viterbi": 6.0, "plamo2": 6.0, "table": 5.0, "fewest": 5.0, "wordpiece": 2.0}
USUAL_STEPS_PER_BYTE = 2.6
ONE_PIECE = (VocabType.SPM, VocabType.UGM, VocabType.RWKV, VocabType.PLAMO2)  # whole texts are
LONGEST_WITHOUT_ASKING = 100_000  # bytes
LONGEST_SECONDS_WITHOUT_ASKING = 20.0
FIRST_BYTES = 20_000  # of a longer text


class TraceCost(NamedTuple):
    """Rough figures."""

    n_steps: int
    size_bytes: int
    seconds: float


def estimate(encoder: str, is_one_piece: bool, n_bytes: int) -> TraceCost:
    """`is_one_piece` where the whole text is one piece, as for SPM."""
    n_steps = round(n_bytes * STEPS_PER_BYTE.get(encoder, USUAL_STEPS_PER_BYTE))
    seconds = n_steps * SECONDS_PER_STEP
    if encoder == "scan" and is_one_piece:
        seconds += n_bytes * n_bytes * SECONDS_PER_PAIR
    return TraceCost(n_steps, n_steps * BYTES_PER_STEP, seconds)


def must_ask(cost: TraceCost, n_bytes: int) -> bool:
    """Whether it takes so long that a person should decide."""
    return n_bytes > LONGEST_WITHOUT_ASKING or cost.seconds > LONGEST_SECONDS_WITHOUT_ASKING


def n_first_bytes(encoder: str, is_one_piece: bool, n_bytes: int) -> int:
    """How much of a text to record where nobody said: all, or 20,000 bytes, or fewer if these take long."""
    n_first = n_bytes
    while must_ask(estimate(encoder, is_one_piece, n_first), n_first):
        n_first = min(FIRST_BYTES, n_first // 2)
    return n_first


def first_start(text: bytes) -> int:
    """Where to begin in what is cut out of a text: with a line, else with a word, else with a character."""
    if (line := text.find(b"\n")) >= 0:
        return line + 1
    if (space := text.find(b" ")) >= 0:
        return space
    return next((start for start, byte in enumerate(text[:4]) if byte & 0xC0 != 0x80), 0)


def beginning(text: bytes, n_bytes: int) -> bytes:
    """At most so many bytes of a text, cut behind a line, else before a word, else between characters."""
    if len(text) <= n_bytes:
        return text
    least = n_bytes - n_bytes // 10
    if (line := text.rfind(b"\n", least, n_bytes)) >= 0:
        return text[: line + 1]
    if (space := text.rfind(b" ", least, n_bytes)) > 0:
        return text[:space]
    ends = range(n_bytes, max(n_bytes - 4, -1), -1)  # no character has more bytes
    return text[: next((end for end in ends if text[end] & 0xC0 != 0x80), n_bytes)]
