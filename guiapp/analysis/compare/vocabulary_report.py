"""Two compared vocabularies as a page with a verdict and differences, as a record and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.vocabularies import VocabularyComparison, choices
from guiapp.analysis.export.tables import NONE, Table, page_of
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.core.demo import SAMPLES
from guiapp.core.text.numbers_in_words import counted, elided, quoted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import stoppable

LONGEST_TEXT = 40  # characters of a token
LONGEST_SETTING = 60
LONGEST_ESCAPED = 4096
LISTED_SCRIPTS = 12
AT_ONCE = 1 << 15  # merge rules
LISTED_OF_KIND = 4  # differences

Names = tuple[str, str]
Ids = NDArray[np.int32]


def verdict(comparison: VocabularyComparison, names: Names) -> str:
    """The result in one or two sentences."""
    differing = [f"{what} {count:,}" for what, count in _counts_named(comparison, names) if count]
    if differing:
        return f"Not identical: {', '.join(differing)}."
    n_tokens = counted(len(comparison.both), "token")
    if comparison.incomparable_settings:
        return (
            f"The same {n_tokens}, special tokens and, where both list them, merge rules. The files specify "
            "normalizing and splitting in different forms, so texts may still differ."
        )
    merges = "" if comparison.merges is None else f", {counted(len(comparison.merges.both), 'merge rule')}"
    return f"Identical: {n_tokens}{merges}, special tokens and all rules are the same."


def samples_verdict(comparison: VocabularyComparison) -> str:
    """How many of the program's sample texts get different ids."""
    n_all, n_differing = len(SAMPLES), len(comparison.differing_samples)
    if n_differing:
        return f"{n_differing} of {n_all} sample texts get different ids."
    return f"On {n_all} sample texts both give the same ids."


def page_text(comparison: VocabularyComparison, names: Names, *, is_markdown: bool) -> str:
    """The page: the verdict, counts, the first differences of each kind, rules, scripts."""
    listed = tables(comparison, names, LISTED_OF_KIND)
    verdicts = [verdict(comparison, names), samples_verdict(comparison), *choices(comparison, names)]
    return page_of(listed, verdicts, is_markdown=is_markdown)


def tables(comparison: VocabularyComparison, names: Names, most: int) -> Iterator[Table]:
    """Counts, the first differences of each kind, rules, and scripts."""
    yield from _count_tables(comparison, names)
    kinds = f"first of each kind; A is {names[0]}, B is {names[1]}"
    if rows := list(_token_rows(comparison, names, _seen, most)):
        yield Table(f"Tokens that differ ({kinds})", [["", *TOKEN_HEAD], *rows])
    if rows := list(_merge_rows(comparison, names, most)):
        yield Table(f"Merge rules that differ ({kinds})", [["", *MERGE_HEAD], *rows])
    if any(role.differs for role in comparison.roles):
        yield _role_table(comparison, names)
    if settings := [*comparison.other_settings, *comparison.incomparable_settings]:
        cells = ((each.name, each.first, each.second) for each in settings)
        rows = [[name, *(elided(each, LONGEST_SETTING) for each in values)] for name, *values in cells]
        yield Table("Rules that differ", [["", *names], *rows])
    if len(comparison.only[0]) or len(comparison.only[1]):
        yield _script_table(comparison, names)


def _counts_named(comparison: VocabularyComparison, names: Names) -> Iterator[tuple[str, int]]:
    for what, count in comparison.counts.items():
        yield what.replace("the first", names[0]).replace("the second", names[1]), count


def _count_tables(comparison: VocabularyComparison, names: Names) -> Iterator[Table]:
    vocabularies, merges = [each.vocabulary for each in comparison.tokenizers], comparison.merges
    rows = [
        ["", *names],
        ["type", *(each.type.value for each in vocabularies)],
        ["tokens", *(f"{len(each):,}" for each in vocabularies)],
    ]
    if merges is not None:
        rows.append(["merge rules", *(f"{len(merges.both) + len(only):,}" for only in merges.only)])
    yield Table("Counts", rows)
    both = [("tokens in both", len(comparison.both))]
    both += [] if merges is None else [("merge rules in both", len(merges.both))]
    counts = (*both, *_counts_named(comparison, names))
    yield Table("Common and different", [["", "number"], *([what, f"{n:,}"] for what, n in counts)])


TOKEN_HEAD = ("text", "id in A", "id in B", "kind in A", "kind in B", "score in A", "score in B")
MERGE_HEAD = ("rule", "place in A", "place in B")


def _token_rows(
    comparison: VocabularyComparison, names: Names, write: Callable[[bytes], str], most: int | None = None
) -> Iterator[list[str]]:
    """Tokens that differ: how, their text, ids, kinds and scores.

    write  spells the bytes of a token
    most   rows of each kind of difference
    """
    vocabularies = comparison.first.vocabulary, comparison.second.vocabulary
    for side, name in enumerate(names):
        for token_id in map(int, comparison.only[side][:most]):
            text, *cells = _token_cells(vocabularies[side], token_id, write)
            pairs = ((cell, "") if side == 0 else ("", cell) for cell in cells)
            yield [f"only in {name}", text, *chain.from_iterable(pairs)]
    flags = {
        "other kind": comparison.other_kind,
        "searched for otherwise": comparison.other_search,
        "other score": comparison.other_score,
        "other id": comparison.other_id,
    }
    is_listed = np.zeros(len(comparison.both), np.bool_)  # a row lists all differences of its token
    for flag in flags.values():
        rows = np.flatnonzero(flag & ~is_listed)[:most]
        is_listed |= flag
        for row in rows.tolist():
            first, second = (
                _token_cells(each, token_id, write)
                for each, token_id in zip(vocabularies, comparison.both[row].tolist(), strict=True)
            )
            what = ", ".join(name for name, each in flags.items() if each[row])
            yield [what, first[0], *chain.from_iterable(zip(first[1:], second[1:], strict=True))]


def _token_cells(vocabulary: Vocabulary, token_id: int, write: Callable[[bytes], str]) -> list[str]:
    """Text, id, kind and score."""
    text = write(vocabulary.token_bytes(token_id))
    return [text, str(token_id), vocabulary.kind(token_id), f"{vocabulary.score(token_id):g}"]


def _seen(data: bytes) -> str:
    return visible_text(data, LONGEST_TEXT)


def _escaped(data: bytes) -> str:
    return quoted(data, LONGEST_ESCAPED)


def _merge_rows(
    comparison: VocabularyComparison, names: Names, most: int | None = None
) -> Iterator[list[str]]:
    """Merge rules that differ, with their index in each file; `most` of each kind."""
    if (merges := comparison.merges) is None:
        return
    for side, name in enumerate(names):
        for row, rule in _rules(comparison, side, merges.only[side][:most]):
            indexes = [str(row), ""] if side == 0 else ["", str(row)]
            yield [f"only in {name}", _rule(rule), *indexes]
    moved = merges.both[merges.moved][:most]
    for (row, rule), second in zip(_rules(comparison, 0, moved[:, 0]), moved[:, 1], strict=True):
        yield ["in another order", _rule(rule), str(row), str(second)]


def _rules(
    comparison: VocabularyComparison, side: int, rows: Ids
) -> Iterator[tuple[int, tuple[bytes, bytes]]]:
    """Some rules of one side with their indexes."""
    for first in range(0, len(rows), AT_ONCE):
        some = rows[first : first + AT_ONCE]
        yield from zip(some.tolist(), comparison.rules(side, some), strict=True)


def _rule(rule: tuple[bytes, bytes]) -> str:
    return " + ".join(map(_seen, rule))


def _role_table(comparison: VocabularyComparison, names: Names) -> Table:
    rows = [["", *names]]
    first, second = (each.vocabulary for each in comparison.tokenizers)
    for role in comparison.roles:
        if role.differs:
            rows.append([role.name, _role_cell(first, role.first), _role_cell(second, role.second)])
    return Table("Roles of special tokens that differ", rows)


def _role_cell(vocabulary: Vocabulary, token_id: int | None) -> str:
    if token_id is None:
        return NONE
    is_known = token_id < len(vocabulary)
    text = visible_text(vocabulary.token_bytes(token_id), LONGEST_TEXT) if is_known else "?"
    return f"{text} (id {token_id})"


def _script_table(comparison: VocabularyComparison, names: Names) -> Table:
    """Tokens by script, most tokens that are only in one vocabulary first."""
    counts = comparison.by_script
    order = np.argsort(-counts[1:].sum(axis=0), kind="stable")
    rows = [["", "in both", *(f"only in {name}" for name in names)]]
    rows += [
        _script_row(SCRIPT_NAMES[script], counts[:, script]) for script in order[:LISTED_SCRIPTS].tolist()
    ]
    rest = counts[:, order[LISTED_SCRIPTS:]].sum(axis=1)
    return Table("Tokens by script", [*rows, _script_row("all others", rest)])


def _script_row(name: str, counts: NDArray[np.int64]) -> list[str]:
    return [name, *(f"{count:,}" for count in counts.tolist())]


def record(comparison: VocabularyComparison, names: Names) -> dict[str, object]:
    """The record of `compare --vocab --json`."""
    merges = comparison.merges
    return {
        "models": [
            {"model": name, "type": each.vocabulary.type.value, "tokens": len(each.vocabulary)}
            for name, each in zip(names, comparison.tokenizers, strict=True)
        ],
        "identical": comparison.is_identical,
        "verdict": verdict(comparison, names),
        "samples": {"texts": len(SAMPLES), "different": comparison.differing_samples},
        "counts": comparison.counts,
        "both": len(comparison.both),
        "only": [ids.tolist() for ids in comparison.only],
        "other_id": comparison.both[comparison.other_id].tolist(),
        "other_kind": comparison.both[comparison.other_kind].tolist(),
        "other_search": comparison.both[comparison.other_search].tolist(),
        "other_score": comparison.both[comparison.other_score].tolist(),
        "merges": None
        if merges is None
        else {
            "both": len(merges.both),
            "only": [rows.tolist() for rows in merges.only],
            "other_order": merges.both[merges.moved].tolist(),
        },
        "roles": [role._asdict() for role in comparison.roles],
        "rules": [setting._asdict() for setting in comparison.settings],
        "scripts": {
            name: counts.tolist()
            for name, counts in zip(SCRIPT_NAMES, comparison.by_script.T, strict=True)
            if counts.any()
        },
        "lengths": comparison.by_length.T.tolist(),
    }


def csv_rows(comparison: VocabularyComparison, names: Names) -> Iterator[list[str]]:
    """Yield a row for each token and merge rule that differs: up to a million, which take 20 seconds."""
    sides = [f"{side}_{what}" for what in ("id", "kind", "score") for side in ("first", "second")]
    merges = ([f"merge {what}", *cells] for what, *cells in _merge_rows(comparison, names))
    return stoppable(chain([["what", "text", *sides]], _token_rows(comparison, names, _escaped), merges))
