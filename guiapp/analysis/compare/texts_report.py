"""Compared texts as tables to read, as a record, as CSV, and as a bar chart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import floor, log10
from typing import NamedTuple

import numpy as np

from guiapp.analysis.compare.comparison import UNSPACED, Counts, ModelSide, Tally, fewest_tokens
from guiapp.analysis.compare.texts import DifferenceReason, TextDifference, TextsComparison
from guiapp.analysis.export.exported_run import DrawnBar, bars_svg
from guiapp.analysis.export.tables import NONE, Table, csv_lines
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.core.text.numbers_in_words import counted, elided, percent
from guiapp.core.text.visible_text import visible_text

LONGEST_CELL = 48  # characters of the tokens in a difference
NO_ENDING = "others"
MANY_TIMES = 10  # from this share on, it is shown as a multiple


class Terms(NamedTuple):
    """The terms for computing costs.

    context  context length in tokens, for all models; by default from each model's file
    prices   of a million tokens: one for all models, or one for each, None if unknown; empty if no costs are
             requested
    """

    context: int | None = None
    prices: tuple[float | None, ...] = ()

    def context_of(self, counts: Counts) -> int | None:
        return self.context or counts.context_length

    def cost(self, row: int, n_tokens: int) -> float | None:
        if not self.prices:
            return None
        price = self.prices[row if len(self.prices) > 1 else 0]
        return None if price is None else n_tokens * price / 1e6


def tables(compared: TextsComparison, terms: Terms) -> Iterator[Table]:
    """The tables of counts, of spans that several models share, and of differences."""
    yield from count_tables(compared.counts, compared.n_texts, terms)
    if len(compared.sides) > 1:
        yield _span_table(compared)
    if compared.n_differences:
        yield _difference_table(compared)


def count_tables(counts: Sequence[Counts], n_texts: int, terms: Terms) -> Iterator[Table]:
    """Counts, fertility by script, and counts by file type if there are several."""
    yield _count_table(counts, n_texts, terms)
    if any(each.whole.n_words.any() for each in counts):
        yield _script_table(counts)
    if len(counts[0].file_types) > 1:
        yield _file_type_table(counts)


def summary(compared: TextsComparison) -> str:
    """A sentence: whether all spans and ids are equal, or how many differences are not listed."""
    if len(compared.sides) < 2:
        return ""
    if not compared.n_differences:
        ids = "and all ids are the same" if compared.has_same_ids else "but ids differ"
        return f"All spans are the same, {ids}."
    more = compared.n_differences - len(compared.differences)
    return f"… {more:,} more. List all with --json." if more else ""


class CountColumn(NamedTuple):
    """A number of each model; `value` takes the counts of a model and the model's index."""

    title: str
    tip: str
    value: Callable[[Counts, int], float | None]
    text: Callable[[float], str]

    def cell(self, counts: Counts, row: int) -> str:
        value = self.value(counts, row)
        return NONE if value is None else self.text(value)


def count_columns(counts: Sequence[Counts], terms: Terms) -> Iterator[CountColumn]:
    """The columns of counts for these models, without columns that would be empty or redundant."""
    yield CountColumn("tokens", "Tokens of all texts", lambda each, _: each.whole.n_tokens, "{:,.0f}".format)
    if len(counts) > 1:
        tip = "Tokens relative to the first model"
        yield CountColumn("ratio", tip, lambda each, _: each.ratio_to(counts[0]), "{:.2f}×".format)
    yield CountColumn(
        "char/token", "Characters per token", lambda each, _: each.whole.characters_per_token, number
    )
    yield CountColumn("byte/token", "Bytes per token", lambda each, _: each.whole.bytes_per_token, number)
    if any(each.whole.n_unknown for each in counts):
        tip = "Share of unknown tokens"
        yield CountColumn("unknown", tip, lambda each, _: 100 * each.whole.unknown_share, "{:,.1f} %".format)
    if any(terms.context_of(each) for each in counts):
        own = "" if terms.context is None else f" of {terms.context:,} tokens"
        tip = f"Share of the context{own} that all texts take"
        yield CountColumn("of context", tip, lambda each, _: _share_of_context(terms, each), _share_text)
    if terms.prices:
        tip = "Cost of all texts at the price per million tokens"
        yield CountColumn("cost", tip, lambda each, row: terms.cost(row, each.whole.n_tokens), cost_text)


def _share_of_context(terms: Terms, counts: Counts) -> float | None:
    context = terms.context_of(counts)
    return None if context is None else counts.whole.n_tokens / context


def _share_text(share: float) -> str:
    return f"{share:,.0f}×" if share >= MANY_TIMES else percent(share, 2)


def _count_table(counts: Sequence[Counts], n_texts: int, terms: Terms) -> Table:
    whole = counts[0].whole
    texts = "" if n_texts == 1 else f"{counted(n_texts, 'text')}: "
    title = f"{texts}{counted(whole.n_bytes, 'byte')}, {counted(whole.n_characters, 'character')}"
    title += f"; ratio to {counts[0].name}" if len(counts) > 1 else ""
    of_words = CountColumn("token/word", "Tokens per word", lambda each, _: each.whole.fertility, number)
    columns = [*count_columns(counts, terms), of_words]
    rows = [[each.name, *(column.cell(each, row) for column in columns)] for row, each in enumerate(counts)]
    return Table(title, [["", *(column.title for column in columns)], *rows])


def scripts_in(whole: Tally) -> list[int]:
    """The scripts of the texts, by number of words, most first."""
    return [int(script) for script in np.argsort(-whole.n_words, kind="stable") if whole.n_words[script]]


def file_types_in(counts: Counts) -> list[str]:
    """The file types, by number of bytes, most first."""
    return sorted(counts.file_types, key=lambda name: -counts.file_types[name].n_bytes)


def _script_table(counts: Sequence[Counts]) -> Table:
    n_words = counts[0].whole.n_words
    rows = [["", "words", *(each.name for each in counts)]]
    for script in scripts_in(counts[0].whole):
        unit = " (letters)" if SCRIPT_NAMES[script] in UNSPACED else ""
        fertilities = [number(each.whole.script_fertility(script)) for each in counts]
        rows.append([f"{SCRIPT_NAMES[script]}{unit}", f"{int(n_words[script]):,}", *fertilities])
    return Table("Tokens per word, by script", rows)


def _file_type_table(counts: Sequence[Counts]) -> Table:
    rows = [["", "bytes", *(each.name for each in counts)]]
    for name in file_types_in(counts[0]):
        tallies = [each.file_types[name] for each in counts]
        tokens = [f"{tally.n_tokens:,} ({number(tally.characters_per_token)})" for tally in tallies]
        rows.append([name or NO_ENDING, f"{tallies[0].n_bytes:,}", *tokens])
    return Table("Tokens by file type (characters per token)", rows)


def _span_table(compared: TextsComparison) -> Table:
    rows = [["", "in all models", "in this model only"]]
    for counts, n_equal, n_own in zip(compared.counts, compared.n_equal, compared.n_own, strict=True):
        n_tokens = counts.whole.n_tokens
        rows.append([counts.name, _share(n_equal, n_tokens), _share(n_own, n_tokens)])
    return Table("Spans", rows)


def _difference_table(compared: TextsComparison) -> Table:
    rows = [["line", "bytes", *(side.name for side in compared.sides), "why"]]
    for each in compared.differences:
        location = f"{each.line:,}" if compared.n_texts == 1 else f"{each.name}:{each.line:,}"
        why = "; ".join(dict.fromkeys(explained.reason.title for explained in each.reasons or ()))
        rows.append([location, f"{each.start:,}–{each.end:,}", *map(_pieces, each.pieces), why])
    return Table(counted(compared.n_differences, "difference"), rows)


def _pieces(pieces: Sequence[bytes]) -> str:
    """Tokens in one cell, separated by bars."""
    shown = "|".join(visible_text(piece, LONGEST_CELL) for piece in pieces[:LONGEST_CELL])
    return elided(shown, LONGEST_CELL)


def number(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _share(count: int, whole: int) -> str:
    return f"{count:,} ({percent(count / whole)})" if whole else f"{count:,}"


def cost_text(cost: float | None) -> str:
    """`0.0075 $`, `1,200.00 $`: two decimals, and for small amounts up to three significant digits."""
    if not cost:
        return NONE if cost is None else "0 $"
    n_decimals = max(2, 2 - floor(log10(cost)))
    whole, _, decimals = f"{cost:,.{n_decimals}f}".partition(".")
    return f"{whole}.{decimals[:2]}{decimals[2:].rstrip('0')} $"


def record(compared: TextsComparison, terms: Terms) -> dict[str, object]:
    """The record of `compare --json`."""
    return {
        "models": [_model_record(compared, terms, row) for row in range(len(compared.sides))],
        "same_ids": compared.has_same_ids,
        "differences": [*map(difference_record, compared.differences)],
    }


def difference_record(difference: TextDifference) -> dict[str, object]:
    """One of the `differences` in `record`."""
    reasons = difference.reasons
    return {
        "file": difference.name or None,
        "line": difference.line,
        "span": [difference.start, difference.end],
        "token_ids": difference.token_ids,
        "why": None if reasons is None else [*map(_reason_record, reasons)],
    }


def _reason_record(explained: DifferenceReason) -> dict[str, object]:
    """The reason why the first model and others, given by their indexes, differ."""
    reason = explained.reason
    return {
        "others": [explained.other, *explained.alike],
        "cause": reason.cause.value,
        "subject": reason.subject,
        "reason": reason.sentence,
    }


def side_record(side: ModelSide) -> dict[str, object]:
    """The model and its encoder."""
    return {
        "model": side.name,
        "encoder": side.encoder or next(iter(side.tokenizer.encoders)),
        "pre": side.tokenizer.vocabulary.pre_in_use,
        "exactness": side.tokenizer.exactness.level,
    }


def _model_record(compared: TextsComparison, terms: Terms, row: int) -> dict[str, object]:
    side, counts = compared.sides[row], compared.counts[row]
    whole = counts.whole
    return {
        **side_record(side),
        "tokens": whole.n_tokens,
        "bytes": whole.n_bytes,
        "characters": whole.n_characters,
        "equal_spans": compared.n_equal[row],
        "own_spans": compared.n_own[row],
        "ratio": counts.ratio_to(compared.counts[0]),
        "tokens_per_word": whole.fertility,
        "unknown_tokens": whole.n_unknown,
        "context_length": terms.context_of(counts),
        "cost": terms.cost(row, whole.n_tokens),
        "scripts": {
            name: {"words": int(n_words), "tokens": int(n_tokens)}
            for name, n_words, n_tokens in zip(SCRIPT_NAMES, whole.n_words, whole.n_word_tokens, strict=True)
            if n_words
        },
        "file_types": {
            name: {"tokens": tally.n_tokens, "bytes": tally.n_bytes, "characters": tally.n_characters}
            for name, tally in counts.file_types.items()
        },
    }


def csv_text(compared: Sequence[Counts], terms: Terms) -> str:
    """A line for each model and each part of the texts: all, a file type, the words of a script."""
    rows: list[list[object]] = [["model", "part", "name", "tokens", "bytes", "characters", "words", "cost"]]
    for row, counts in enumerate(compared):
        parts = [("all", "", counts.whole), *(("file type", *each) for each in counts.file_types.items())]
        for part, name, tally in parts:
            cost = terms.cost(row, tally.n_tokens)
            figures = tally.n_tokens, tally.n_bytes, tally.n_characters, int(tally.n_words.sum())
            rows.append([counts.name, part, name, *figures, "" if cost is None else cost])
        for script in np.flatnonzero(counts.whole.n_words).tolist():
            n_tokens, n_words = int(counts.whole.n_word_tokens[script]), int(counts.whole.n_words[script])
            rows.append([counts.name, "script", SCRIPT_NAMES[script], n_tokens, "", "", n_words, ""])
    return csv_lines(rows)


def svg_text(compared: Sequence[Counts]) -> str:
    """A bar chart of the tokens of each model; the fewest are marked, unknown tokens are counted."""
    wholes = [counts.whole for counts in compared]
    most = max(whole.n_tokens for whole in wholes)
    least = fewest_tokens((whole.n_tokens, whole.n_unknown) for whole in wholes)

    def bars() -> Iterator[DrawnBar]:
        for row, (counts, whole) in enumerate(zip(compared, wholes, strict=True)):
            figure = f"{whole.n_tokens:,} × {number(counts.ratio_to(compared[0]))}"
            if share := whole.unknown_share:
                figure += f" · {percent(share, 1)} unknown"
            is_best = whole.n_tokens == least and not whole.n_unknown
            yield DrawnBar(counts.name, whole.n_tokens / most if most else 0.0, figure, is_best, row)

    return bars_svg("Tokens", [*bars()])
