"""What changed from one text's tokens to another's, or to ids from elsewhere, for people and as a record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.id_changes import IdChanges, id_changes
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.tables import NONE, Table, page_of
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import counted, percent
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary

LISTED = 10  # changes
LONGEST_CELL = 40  # characters
LONGEST_LIST = 20  # tokens of a change that are told


@dataclass(frozen=True, eq=False)
class ChangesReport:
    """Two lists of tokens of one model.

    names         of both
    is_same_text  whether both are decoded to the same bytes, control tokens left out
    """

    tokenizer: Tokenizer
    names: tuple[str, str]
    outcome: IdChanges
    is_same_text: bool


def compare_ids(
    tokenizer: Tokenizer, names: tuple[str, str], first: NDArray[np.int32], second: NDArray[np.int32]
) -> ChangesReport:
    """Compare two lists of ids, all of them tokens of the vocabulary."""
    is_control = (tokenizer.vocabulary.attributes & Attribute.CONTROL.value) != 0
    texts = [tokenizer.decode_bytes(ids[~is_control[ids]]) for ids in (first, second)]
    return ChangesReport(tokenizer, names, id_changes(first, second), texts[0] == texts[1])


def sentences(report: ChangesReport) -> Iterator[str]:
    """What both have in common."""
    outcome = report.outcome
    first, second = report.names
    text = "the same text" if report.is_same_text else "different texts"
    if not outcome.changes:
        yield f"{first} and {second} have the same {counted(len(outcome.first), 'token')}."
        return
    yield f"{first} has {counted(len(outcome.first), 'token')}, {second} {len(outcome.second):,}: {text}."
    share = f" ({percent(outcome.n_common / len(outcome.second))} of {second})" if len(outcome.second) else ""
    common = counted(outcome.n_common, "token")
    yield f"{common} in common from the start{share}: what a cache of prefixes keeps."
    yield (
        f"{len(outcome.changes):,} {'change' if len(outcome.changes) == 1 else 'changes'}: "
        f"{counted(outcome.n_removed, 'token')} removed, {outcome.n_inserted:,} inserted, "
        f"{outcome.n_unchanged:,} kept."
    )
    yield from notes(report)
    if not outcome.is_whole:
        yield "A stretch is too long to be compared token by token: it is told as changed whole."


def notes(report: ChangesReport) -> Iterator[str]:
    """Which of BOS, EOS and SEP one of both lacks at an end, or has there more often."""
    control = Attribute.CONTROL.value
    attributes, special = report.tokenizer.vocabulary.attributes, report.tokenizer.vocabulary.special_ids
    heads, tails = [], []
    for ids in (report.outcome.first, report.outcome.second):
        others = np.flatnonzero((attributes[ids] & control) == 0)
        head_end = int(others[0]) if len(others) else len(ids)
        heads.append(ids[:head_end])
        tails.append(ids[int(others[-1]) + 1 if len(others) else len(ids) :])
    ends = (("BOS", special.bos, heads), ("EOS", special.eos, tails), ("SEP", special.sep, tails))
    for role, token_id, (first, second) in ends:
        if token_id is not None:
            counts = (int(np.count_nonzero(first == token_id)), int(np.count_nonzero(second == token_id)))
            yield from _note(role, *report.names, *counts)


def _note(role: str, first: str, second: str, n_first: int, n_second: int) -> Iterator[str]:
    """What is told of so many tokens of a role."""
    if n_first == n_second:
        return
    if not n_second:
        yield f"{role} is missing in {second}."
    elif n_second == 1:
        few = "none" if not n_first else f"{n_first:,}"
        yield f"{second} has one {role}, {first} has {few}."
    elif n_second == 2 and n_first == 1:
        yield f"There is a second {role} in {second}."
    else:
        yield f"{second} has {role} {n_second:,} times, {first} {n_first:,}."


def as_text(report: ChangesReport, is_markdown: bool, spelling: Spelling = Spelling.SIGNS) -> str:
    """All that is told, with the first changes: for a terminal, or to paste."""
    n_changes = len(report.outcome.rows)
    tables = [change_table(report, LISTED, spelling)] if n_changes else []
    more = [f"… {n_changes - LISTED:,} more. --json lists all."] if n_changes > LISTED else []
    return page_of(tables, list(sentences(report)), more, is_markdown=is_markdown)


def change_table(report: ChangesReport, most: int, spelling: Spelling = Spelling.SIGNS) -> Table:
    """The first changes: where they are in both lists, and their tokens."""
    rows = [["at", "removed", "at", "inserted"]]
    outcome = report.outcome
    for change in islice(outcome.changes, most):
        removed = outcome.first[change.first_start : change.first_end]
        inserted = outcome.second[change.second_start : change.second_end]
        rows.append(
            [
                f"{change.first_start:,}",
                _tokens(report.tokenizer.vocabulary, removed, spelling),
                f"{change.second_start:,}",
                _tokens(report.tokenizer.vocabulary, inserted, spelling),
            ]
        )
    return Table("Changes, by the number of the token", rows)


def _tokens(vocabulary: Vocabulary, ids: NDArray[np.int32], spelling: Spelling) -> str:
    """Tokens, with the id of a single one; cut where they are long."""
    texts = [spelling.token(vocabulary, token_id) for token_id in ids[:LONGEST_LIST].tolist()]
    if len(ids) == 1:
        texts = [f"{texts[0]} ({ids[0]})"]
    shown = "|".join(texts) or NONE
    return f"{shown[: LONGEST_CELL - 1]}…" if len(shown) > LONGEST_CELL or len(ids) > LONGEST_LIST else shown


def record(report: ChangesReport) -> dict[str, object]:
    """The record of `compare --against … --json`."""
    outcome = report.outcome
    return {
        "tokens": [len(outcome.first), len(outcome.second)],
        "common_from_start": outcome.n_common,
        "kept": outcome.n_unchanged,
        "removed": outcome.n_removed,
        "inserted": outcome.n_inserted,
        "same_text": report.is_same_text,
        "changes": [
            {
                "first": [change.first_start, change.first_end],
                "second": [change.second_start, change.second_end],
                "removed_ids": outcome.first[change.first_start : change.first_end].tolist(),
                "inserted_ids": outcome.second[change.second_start : change.second_end].tolist(),
            }
            for change in outcome.changes
        ],
    }
