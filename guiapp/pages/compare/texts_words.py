"""Two compared texts in words: what they have in common from the start, where they part, and each change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.id_changes import notes
from guiapp.core.text.figures import counted, percent
from guiapp.core.vocabulary.quoting import quoted
from guiapp.pages.compare.texts import ComparedTexts
from guiapp.pages.compare.texts_marks import MarkedSpans

WITHOUT_TEXT = (
    "Type or paste another text at the right, drop or open a file, or copy the left text and change it.\n\n"
    "Both are shown in tokens of the model, with what a prefix cache would keep and what changed.\n\n"
    "What is at the right stays there until the window closes, and is written to no file."
)
WITHOUT_IDS = (
    "Paste the ids that a server or a library gave for the left text, in any form: with commas, in brackets, "
    "as JSON.\n\nTheir tokens are compared with those of the text: what is missing, and what is too much.\n\n"
    "The list stays there until the window closes, and is written to no file."
)
LONGEST_ERROR = 300
LONGEST_LIST = 20  # tokens
LONGEST_SHOWN = 40  # characters


class Beginning(NamedTuple):
    """What is told first.

    title    in a few words
    lines    sentences below it
    first_difference  where both part; "" where nothing is to be gone to
    """

    title: str
    lines: tuple[str, ...]
    first_difference: str = ""


def beginning(compared: ComparedTexts) -> Beginning:
    """What both sides have in common from the start."""
    outcome = compared.outcome
    if compared.first.tokenizer is None:
        return Beginning("No model", ("Open a model: tokens are its own.",))
    if not compared.has_second:
        return Beginning(
            "Nothing to compare with yet", (WITHOUT_IDS if compared.takes_ids else WITHOUT_TEXT,)
        )
    if compared.is_outdated:
        return Beginning("Encoding …", ())
    lines = tuple(_notes(compared))
    if not len(outcome.rows):
        return Beginning(f"The same {counted(len(outcome.first), 'token')}", lines)
    share = percent(outcome.n_common / len(outcome.second)) if len(outcome.second) else "0 %"
    whose = "the list" if compared.takes_ids else "the right text"
    kept = f"{share} of {whose}: what a cache of prefixes keeps."
    title = f"{counted(outcome.n_common, 'token')} in common"
    return Beginning(title, (*lines, kept), _first_difference(compared))


def _notes(compared: ComparedTexts) -> Iterator[str]:
    read = compared.ids.read
    if compared.takes_ids and read is not None and read.error:
        yield quoted(read.error, LONGEST_ERROR)
        yield f"Compared is what stands before that: {counted(len(read.token_ids), 'id')}."
    if (report := compared.report) is None:
        return
    yield from notes(report)
    if compared.takes_ids and report.is_same_text and len(compared.outcome.rows):
        yield "The list stands for the same text, cut in another way."
    if not report.outcome.is_whole:
        yield "A stretch is too long to be compared token by token: it is shown as changed whole."


def _first_difference(compared: ComparedTexts) -> str:
    outcome, left = compared.outcome, compared.left
    line = left.document.line_of(left.common_end) + 1
    one, other = (
        _or_end(compared, ids[outcome.n_common : outcome.n_common + 1])
        for ids in (outcome.first, outcome.second)
    )
    place = f"in line {line:,}, at token {outcome.n_common + 1:,}"
    return f"They part {place}: {one} at the left, {other} at the right."


def _or_end(compared: ComparedTexts, ids: NDArray[np.int32]) -> str:
    return _shown(compared, ids) if len(ids) else "the end"


def counts(compared: ComparedTexts) -> str:
    """How many changes there are, and of how many tokens."""
    outcome = compared.outcome
    removed, inserted = ("missing", "too many") if compared.takes_ids else ("removed", "inserted")
    tokens = f"{outcome.n_removed:,} {removed}, {outcome.n_inserted:,} {inserted}"
    return f"{counted(len(outcome.rows), 'change')}: {tokens}"


def where(compared: ComparedTexts, index: int) -> str:
    """Which change it is, and in which line of the left text."""
    start, _ = compared.left.byte_span(compared.change(index))
    n_changes = len(compared.outcome.rows)
    return f"Change {index + 1:,} of {n_changes:,} · line {compared.left.document.line_of(start) + 1:,}"


def in_a_line(compared: ComparedTexts, index: int) -> str:
    """A change as a row of a list."""
    removed, inserted = (_shown(compared, ids) for ids in changed_ids(compared, index))
    return f"{removed} → {inserted}"


def changed_ids(compared: ComparedTexts, index: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The tokens that were removed and inserted."""
    outcome, change = compared.outcome, compared.change(index)
    return (
        outcome.first[change.first_start : change.first_end],
        outcome.second[change.second_start : change.second_end],
    )


def size(side: MarkedSpans) -> str:
    """How long a text is."""
    document = side.document
    return f"{counted(document.n_characters, 'character')} · {counted(document.size, 'byte')}"


def _shown(compared: ComparedTexts, ids: NDArray[np.int32]) -> str:
    """The texts of tokens, cut where they are many; the id of a single one."""
    vocabulary = compared.first.vocabulary
    if vocabulary is None or not len(ids):
        return "–"
    spelling = compared.first.spelling.now
    texts = [spelling.token(vocabulary, token_id) for token_id in ids[:LONGEST_LIST].tolist()]
    if len(ids) == 1:
        return f"{shortened(texts[0])} ({ids[0]})"
    return shortened("|".join(texts)) if len(ids) <= LONGEST_LIST else f"{shortened('|'.join(texts))} …"


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
