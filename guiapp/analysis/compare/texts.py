"""Any number of texts, tokenized by several: counts, where not all cut alike and why, and tables of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import floor, log10
from pathlib import Path, PurePath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.comparison import (
    UNSPACED,
    Comparison,
    Counts,
    ModelSide,
    Tally,
    compare_text,
    counts_of,
    fewest_tokens,
)
from guiapp.analysis.compare.reasons import Cause, Reason, affix_reason, reason_for
from guiapp.analysis.compare.spans import line_starts_of
from guiapp.analysis.explain.spelling import code
from guiapp.analysis.export.exported_run import FILLS, MARGIN_PX, NOTE_CHARACTER_PX, document, note
from guiapp.analysis.export.tables import NONE, Table, csv_lines, n_columns
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.core.encode.encoding import Encoding, Offsets
from guiapp.core.text.normalized import character_start
from guiapp.core.text.numbers_in_words import counted, elided, percent
from guiapp.core.text.utf16 import utf16_codec
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import EncodeError, TokenloupeError
from guiapp.native.checkpoint import stoppable

LONGEST_CELL = 48  # characters of the tokens in a difference
ROW_PX, BAR_PX, LONGEST_BAR_PX = 40, 20, 480
NO_ENDING = "others"
LOOKED_AT = 1 << 13  # bytes at the start of a file, to tell whether it is text
WORD_BEFORE = re.compile(rb"\s?\S*\Z")
WORD_BEHIND = re.compile(rb"\S*")
AROUND = 160  # bytes of its line that are looked at before and behind a difference
LONGEST = 400  # bytes of a difference that is looked into
NO_TEXT_SHOWS_IT = "No shorter text shows this difference, so its cause is unknown."
SAME_IDS = "Both give the same ids, but for other bytes of the text."
Tokens = tuple[tuple[int, int, int], ...]
"""Id, start and end of tokens with text, counted from where the text around begins."""
MOST_TOLD = 500  # differences that are looked into


class TextDifference(NamedTuple):
    """A stretch of a text in which not all spans are equal.

    name       of the text, as it was given
    line       where the stretch begins, from 1
    start, end byte range of the text
    token_ids  of each side
    pieces     the bytes of the text that each token came from; of one that came from none, how it is spelled
    reasons    why the first side and others cut it otherwise; None where nobody looked
    """

    name: str
    line: int
    start: int
    end: int
    token_ids: tuple[tuple[int, ...], ...]
    pieces: tuple[tuple[bytes, ...], ...]
    reasons: tuple[DifferenceReason, ...] | None = None


@dataclass(frozen=True, eq=False)
class TextsComparison:
    """What each side made of all texts.

    n_texts        how many there were
    n_equal, n_own for each side the tokens whose span all have, and those whose span no other has
    n_differences  in all texts
    differences    the first ones
    has_same_ids   whether all sides give the same ids for every text
    """

    sides: tuple[ModelSide, ...]
    counts: tuple[Counts, ...]
    n_texts: int
    n_equal: tuple[int, ...]
    n_own: tuple[int, ...]
    n_differences: int
    differences: tuple[TextDifference, ...]
    has_same_ids: bool


def compare_texts(
    sides: Sequence[ModelSide], texts: Iterable[tuple[str, bytes]], most: int | None = None
) -> TextsComparison:
    """Compare texts with their names one after the other, and list `most` differences, or all.

    What a text is, is told by how its name ends.  Raises EncodeError where a side cannot express a text.
    """
    listed: list[TextDifference] = []
    totals = np.zeros((2, len(sides)), np.int64)
    n_texts = n_differences = 0
    has_same_ids = True

    def compared() -> Iterator[tuple[str, Sequence[Encoding]]]:
        nonlocal n_texts, n_differences, has_same_ids
        for name, text in texts:
            comparison = compare_text(sides, text)
            spans = comparison.spans
            n_texts += 1
            has_same_ids = has_same_ids and comparison.has_same_ids
            n_differences += len(spans.differences)
            for row in range(len(sides)):
                totals[:, row] += spans.n_equal(row), spans.n_own(row)
            differences = differences_of(name, comparison, MOST_TOLD - len(listed))
            listed.extend(islice(differences, None if most is None else most - len(listed)))
            yield PurePath(name).suffix.lower(), comparison.encodings

    counts = counts_of([(side.name, side.tokenizer.vocabulary) for side in sides], compared())
    n_equal, n_own = totals.tolist()
    return TextsComparison(
        sides=tuple(sides),
        counts=tuple(counts),
        n_texts=n_texts,
        n_equal=tuple(n_equal),
        n_own=tuple(n_own),
        n_differences=n_differences,
        differences=tuple(listed),
        has_same_ids=has_same_ids,
    )


def count_texts(side: ModelSide, texts: Iterable[tuple[str, bytes]]) -> Counts:
    """Count what one side makes of texts, as `compare_texts` does for each.  Raises EncodeError likewise."""
    encodings = ((PurePath(name).suffix.lower(), [side.encode(text)]) for name, text in texts)
    [counts] = counts_of([(side.name, side.tokenizer.vocabulary)], encodings)
    return counts


def differences_of(name: str, comparison: Comparison, n_explained: int = 0) -> Iterator[TextDifference]:
    """The differences of one text, the first ones with reasons."""
    spans = comparison.spans
    lines = np.searchsorted(line_starts_of(comparison.text_bytes), spans.differences[:, 0], "right")
    for row, (line, (start, end)) in enumerate(zip(lines.tolist(), spans.differences.tolist(), strict=True)):
        rows = zip(comparison.sides, comparison.encodings, spans.tokens[row].tolist(), strict=True)
        parts = [tuple(_tokens(side, encoding, *tokens)) for side, encoding, tokens in rows]
        ids = tuple(tuple(token_id for token_id, _ in part) for part in parts)
        pieces = tuple(tuple(piece for _, piece in part) for part in parts)
        reasons = _reasons(comparison, row) if row < n_explained and end - start <= LONGEST else None
        yield TextDifference(name, line, start, end, ids, pieces, reasons)


def _reasons(comparison: Comparison, row: int) -> tuple[DifferenceReason, ...]:
    text, (start, end) = comparison.text_bytes, comparison.spans.differences[row].tolist()
    places = zip(comparison.encodings, comparison.spans.tokens[row].tolist(), strict=True)
    tokens = [
        (encoding.token_ids[first:last], *encoding.spans[first:last].T) for encoding, (first, last) in places
    ]
    cut = differing_span(lambda first, last: text[first:last], len(text), (start, end), tokens)
    return tuple(reasons_of(comparison.sides, cut))


def _tokens(side: ModelSide, encoding: Encoding, first: int, last: int) -> Iterator[tuple[int, bytes]]:
    """Ids, and what each token came from."""
    ids, spans = encoding.token_ids[first:last].tolist(), encoding.spans[first:last].tolist()
    for token_id, (start, end) in zip(ids, spans, strict=True):
        yield token_id, encoding.text_bytes[start:end] or side.tokenizer.vocabulary.raw_text(token_id)


# Why several models cut one stretch of a text differently, told of the least text that shows it


@dataclass(frozen=True)
class DifferingSpan:
    """A stretch that models cut differently.

    context      the text around it, of at most some hundred bytes
    start, end  the stretch in that; empty where only tokens without text differ
    is_at_edge  whether it is where a text begins or ends, and has none itself
    tokens      for each side those in it
    """

    context: bytes
    start: int
    end: int
    is_at_edge: bool
    tokens: tuple[Tokens, ...]


@dataclass(frozen=True)
class DifferenceReason:
    """Why the first side and another one differ; those of `alike` cut as that other one does."""

    other: int
    alike: tuple[int, ...]
    reason: Reason


def differing_span(
    slice_of: Callable[[int, int], bytes],
    size: int,
    byte_span: tuple[int, int],
    tokens: Sequence[tuple[NDArray[np.int32], Offsets, Offsets]],
) -> DifferingSpan:
    """A span of a text of `size` bytes, and what is near of its line.

    slice_of  gives the bytes [start, end) of the text
    tokens    for each side those in the span: ids, starts and ends
    """
    start, end = byte_span
    near = max(start - 2 * AROUND, 0)
    first, last = context_span(slice_of(near, min(end + 2 * AROUND, size)), start - near, end - near)
    first, last = first + near, last + near
    rows = [
        tuple(row for row in zip(*(each.tolist() for each in side), strict=True) if row[1] < row[2])
        for side in ((ids, starts - first, ends - first) for ids, starts, ends in tokens)
    ]
    is_at_edge = start == end and start in (0, size)
    return DifferingSpan(slice_of(first, last), start - first, end - first, is_at_edge, tuple(rows))


def context_span(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The stretch of a text to look at for a difference: what is near of its line, as whole characters."""
    first, last = character_start(text, max(start - AROUND, 0)), character_start(text, end + AROUND)
    line_end = text.find(b"\n", max(end - 1, start), last)
    last = min(last, len(text)) if line_end < 0 else line_end + 1
    return max(first, text.rfind(b"\n", first, start) + 1), last


def reasons_of(sides: Sequence[ModelSide], difference: DifferingSpan) -> Iterator[DifferenceReason]:
    """The reasons between the first side and each kind of others, as long as somebody asks for more."""
    left = [number for number in range(1, len(sides)) if not _is_alike(difference, 0, number)]
    while left:
        other = left.pop(0)
        alike = tuple(number for number in left if _is_alike(difference, other, number))
        left = [number for number in left if number not in alike]
        yield DifferenceReason(other, alike, _reason(sides[0], sides[other], difference, 0, other))


def _is_alike(difference: DifferingSpan, one: int, other: int) -> bool:
    """Whether two sides cut the stretch alike, as far as its tokens have text."""
    spans = [[token[1:] for token in difference.tokens[side]] for side in (one, other)]
    return spans[0] == spans[1] and bool(spans[0])


def _reason(ours: ModelSide, theirs: ModelSide, difference: DifferingSpan, mine: int, other: int) -> Reason:
    names = ours.name, theirs.name
    if (chosen := _chosen(ours, theirs, difference)) is not None:
        return chosen
    if difference.is_at_edge:
        vocabularies = ours.tokenizer.vocabulary, theirs.tokenizer.vocabulary
        around = affix_reason(_affixes(ours), _affixes(theirs), names, vocabularies)
        return around or Reason(Cause.UNTOLD, "the ends of the text", NO_TEXT_SHOWS_IT)
    pairs = ((ours, difference.tokens[mine]), (theirs, difference.tokens[other]))
    for start, end in _contexts(difference):
        if all(_tokens_of(side, difference, start, end) == tokens for side, tokens in pairs):
            reason = reason_for(ours.tokenizer, theirs.tokenizer, difference.context[start:end], names)
            return reason or Reason(Cause.UNTOLD, "spans", SAME_IDS)
    return Reason(Cause.UNTOLD, "text around", NO_TEXT_SHOWS_IT)


def _chosen(ours: ModelSide, theirs: ModelSide, difference: DifferingSpan) -> Reason | None:
    """What people chose for one of two sides, where that makes the difference."""
    for side in (ours, theirs):
        if difference.is_at_edge and not side.add_special and ours.add_special != theirs.add_special:
            told = f"{side.name} adds no special tokens: you switched that off."
            return Reason(Cause.AROUND, "switch", told)
        if side.encoder is not None and _makes_a_difference(side, replace(side, encoder=None), difference):
            encoder = code(side.encoder)
            told = f"{side.name} is encoded with {encoder}, which does not give its exact tokens here."
            return Reason(Cause.ENCODER, side.encoder, told)
    if ours.parse_special != theirs.parse_special:
        side = theirs if ours.parse_special else ours
        if _makes_a_difference(side, replace(side, parse_special=True), difference):
            told = f"{side.name} takes special tokens as text: you switched parsing them off."
            return Reason(Cause.SPECIAL, "switch", told)
    return None


def _makes_a_difference(side: ModelSide, changed: ModelSide, difference: DifferingSpan) -> bool:
    whole = 0, len(difference.context)
    return _tokens_of(side, difference, *whole) != _tokens_of(changed, difference, *whole)


def _contexts(difference: DifferingSpan) -> Iterator[tuple[int, int]]:
    """Stretches around a difference, each larger: itself as whole characters, its words, all."""
    context = difference.context
    start = character_start(context, difference.start)
    end = difference.end
    while end < len(context) and character_start(context, end) != end:
        end += 1
    if start < end:
        yield start, end
    before, behind = WORD_BEFORE.search(context, 0, start), WORD_BEHIND.match(context, end)
    if before is not None and behind is not None:
        yield start, behind.end()
        yield before.start(), behind.end()
    yield 0, len(context)


def _tokens_of(side: ModelSide, difference: DifferingSpan, start: int, end: int) -> Tokens | None:
    """The tokens in the stretch, where only the text around it from `start` to `end` is encoded."""
    text = difference.context[start:end]
    try:
        encoding = side.tokenizer.encode(text, False, side.parse_special, side.encoder)
    except EncodeError:
        return None
    rows = zip(encoding.token_ids.tolist(), *(encoding.spans.T + start).tolist(), strict=True)
    inside = (row for row in rows if difference.start <= row[1] < row[2] <= difference.end)
    return tuple(inside)


def _affixes(side: ModelSide) -> tuple[Sequence[int], Sequence[int]]:
    try:
        return side.tokenizer.special_affixes() if side.add_special else ([], [])
    except EncodeError:
        return [], []


# Which files of a folder are texts to be compared


class TextFolderError(TokenloupeError):
    """A folder that holds no texts, or that cannot be read; the message says which."""


class TextFiles(NamedTuple):
    """The files below a folder that hold text, in order, and how many others there are."""

    paths: tuple[Path, ...]
    n_others: int


def text_files(folder: Path, is_utf16: bool = False) -> TextFiles:
    """Look for texts, but for hidden ones; where they are said to be UTF-16, every file counts as one.

    Raises TextFolderError.
    """
    try:
        found = [path for path in sorted(stoppable(folder.rglob("*"))) if _is_seen(path, folder)]
        paths = tuple(path for path in stoppable(found) if is_utf16 or _begins_as_text(path))
    except OSError as error:
        raise TextFolderError(f"{error.filename or folder} cannot be read: {error.strerror}.") from error
    if not paths:
        raise TextFolderError(f"{folder} holds no texts. Choose a folder of texts.")
    return TextFiles(paths, len(found) - len(paths))


def _is_seen(path: Path, folder: Path) -> bool:
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)


def _begins_as_text(path: Path) -> bool:
    """Whether nothing at the start of a file, which may be a huge one, says that it holds something else."""
    with open(path, "rb") as file:
        head = file.read(LOOKED_AT)
    return b"\0" not in head or utf16_codec(head) is not None


# Compared texts as tables for people, as a record, as CSV, and as a drawing of bars


class Terms(NamedTuple):
    """What costs are worked out by.

    context  tokens that a model takes, for all; by default what each one's file says
    prices   of a million tokens: one for all, or one for each, None for one that is not known; empty where
             costs are not asked for
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
    """Those of the counts; spans that several models share, and places where they differ."""
    yield from count_tables(compared.counts, compared.n_texts, terms)
    if len(compared.sides) > 1:
        yield _span_table(compared)
    if compared.n_differences:
        yield _difference_table(compared)


def count_tables(counts: Sequence[Counts], n_texts: int, terms: Terms) -> Iterator[Table]:
    """Counts, fertility by script, and counts by file type where there are several."""
    yield _count_table(counts, n_texts, terms)
    if any(each.whole.n_words.any() for each in counts):
        yield _script_table(counts)
    if len(counts[0].file_types) > 1:
        yield _file_type_table(counts)


def summary(compared: TextsComparison) -> str:
    """Whether all cut alike."""
    if len(compared.sides) < 2:
        return ""
    if not compared.n_differences:
        ids = "and all ids are the same" if compared.has_same_ids else "but ids are not"
        return f"All cut the text alike: every span is the same, {ids}."
    more = compared.n_differences - len(compared.differences)
    return f"… {more:,} more. --json lists all." if more else ""


class CountColumn(NamedTuple):
    """A number of each model; `value` is of the counts of a model, and which of all models it is."""

    title: str
    tip: str
    value: Callable[[Counts, int], float | None]
    text: Callable[[float], str]

    def cell(self, counts: Counts, row: int) -> str:
        value = self.value(counts, row)
        return NONE if value is None else self.text(value)


def count_columns(counts: Sequence[Counts], terms: Terms) -> Iterator[CountColumn]:
    """What texts come to for these models: no column that is empty or says the same for all."""
    yield CountColumn("tokens", "Tokens of all texts", lambda each, _: each.whole.n_tokens, "{:,.0f}".format)
    if len(counts) > 1:
        tip = "How many times the tokens of the first model"
        yield CountColumn("ratio", tip, lambda each, _: each.ratio_to(counts[0]), "{:.2f}×".format)
    yield CountColumn(
        "char/token", "Characters a token", lambda each, _: each.whole.characters_per_token, number
    )
    yield CountColumn("byte/token", "Bytes a token", lambda each, _: each.whole.bytes_per_token, number)
    if any(each.whole.n_unknown for each in counts):
        tip = "Share of tokens for text that the vocabulary cannot write"
        yield CountColumn("unknown", tip, lambda each, _: 100 * each.whole.unknown_share, "{:,.1f} %".format)
    if any(terms.context_of(each) for each in counts):
        own = "" if terms.context is None else f" of {terms.context:,} tokens"
        tip, write = f"Share of the context{own} that all texts take", "{:,.2f} %".format
        yield CountColumn("of context", tip, lambda each, _: _percent_of_context(terms, each), write)
    if terms.prices:
        tip = "Cost of all texts, by the price of a million tokens"
        yield CountColumn("cost", tip, lambda each, row: terms.cost(row, each.whole.n_tokens), cost_text)


def _percent_of_context(terms: Terms, counts: Counts) -> float | None:
    context = terms.context_of(counts)
    return None if context is None else 100 * counts.whole.n_tokens / context


def _count_table(counts: Sequence[Counts], n_texts: int, terms: Terms) -> Table:
    whole = counts[0].whole
    texts = "" if n_texts == 1 else f"{counted(n_texts, 'text')}: "
    title = f"{texts}{counted(whole.n_bytes, 'byte')}, {counted(whole.n_characters, 'character')}"
    title += f"; ratio to {counts[0].name}" if len(counts) > 1 else ""
    of_words = CountColumn("token/word", "Tokens a word", lambda each, _: each.whole.fertility, number)
    columns = [*count_columns(counts, terms), of_words]
    rows = [[each.name, *(column.cell(each, row) for column in columns)] for row, each in enumerate(counts)]
    return Table(title, [["", *(column.title for column in columns)], *rows])


def scripts_in(whole: Tally) -> list[int]:
    """The scripts of the texts, the one with the most words first."""
    return [int(script) for script in np.argsort(-whole.n_words, kind="stable") if whole.n_words[script]]


def file_types_in(counts: Counts) -> list[str]:
    """The file types, the one with the most bytes first."""
    return sorted(counts.file_types, key=lambda name: -counts.file_types[name].n_bytes)


def _script_table(counts: Sequence[Counts]) -> Table:
    n_words = counts[0].whole.n_words
    rows = [["", "words", *(each.name for each in counts)]]
    for script in scripts_in(counts[0].whole):
        unit = " (letters)" if SCRIPT_NAMES[script] in UNSPACED else ""
        fertilities = [number(each.whole.script_fertility(script)) for each in counts]
        rows.append([f"{SCRIPT_NAMES[script]}{unit}", f"{int(n_words[script]):,}", *fertilities])
    return Table("Tokens a word, by script", rows)


def _file_type_table(counts: Sequence[Counts]) -> Table:
    rows = [["", "bytes", *(each.name for each in counts)]]
    for name in file_types_in(counts[0]):
        tallies = [each.file_types[name] for each in counts]
        tokens = [f"{tally.n_tokens:,} ({number(tally.characters_per_token)})" for tally in tallies]
        rows.append([name or NO_ENDING, f"{tallies[0].n_bytes:,}", *tokens])
    return Table("Tokens by file type (characters a token)", rows)


def _span_table(compared: TextsComparison) -> Table:
    rows = [["", "that all have", "that no other has"]]
    for counts, n_equal, n_own in zip(compared.counts, compared.n_equal, compared.n_own, strict=True):
        n_tokens = counts.whole.n_tokens
        rows.append([counts.name, _share(n_equal, n_tokens), _share(n_own, n_tokens)])
    return Table("Spans", rows)


def _difference_table(compared: TextsComparison) -> Table:
    rows = [["line", "bytes", *(side.name for side in compared.sides), "why"]]
    for each in compared.differences:
        place = f"{each.line:,}" if compared.n_texts == 1 else f"{each.name}:{each.line:,}"
        why = "; ".join(dict.fromkeys(explained.reason.title for explained in each.reasons or ()))
        rows.append([place, f"{each.start:,}–{each.end:,}", *map(_pieces, each.pieces), why])
    n_places = counted(compared.n_differences, "place")
    return Table(f"{n_places} where they differ", rows)


def _pieces(pieces: Sequence[bytes]) -> str:
    """Tokens side by side."""
    shown = "|".join(visible_text(piece, LONGEST_CELL) for piece in pieces[:LONGEST_CELL])
    return elided(shown, LONGEST_CELL)


def number(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _share(count: int, whole: int) -> str:
    return f"{count:,} ({percent(count / whole)})" if whole else f"{count:,}"


def cost_text(cost: float | None) -> str:
    """`0.0075 $`, `1,200.00 $`: as money, however little it is, with at least three digits that count."""
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
        "differences": [
            {
                "file": each.name or None,
                "line": each.line,
                "span": [each.start, each.end],
                "token_ids": each.token_ids,
                "why": None if each.reasons is None else [*map(_reason_record, each.reasons)],
            }
            for each in compared.differences
        ],
    }


def _reason_record(explained: DifferenceReason) -> dict[str, object]:
    """Of the first model and others, by their places."""
    reason = explained.reason
    return {
        "others": [explained.other, *explained.alike],
        "cause": reason.cause.value,
        "subject": reason.subject,
        "reason": reason.sentence,
    }


def _model_record(compared: TextsComparison, terms: Terms, row: int) -> dict[str, object]:
    side, counts = compared.sides[row], compared.counts[row]
    whole = counts.whole
    return {
        "model": side.name,
        "encoder": side.encoder or next(iter(side.tokenizer.encoders)),
        "pre": side.tokenizer.vocabulary.pre_in_use,
        "exactness": side.tokenizer.exactness.level,
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
    """A line for each model and part of the texts: all, a file type, the words of a script."""
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
    """A bar for each model, as long as it needs tokens; the fewest are marked, unknown ones counted."""
    wholes = [counts.whole for counts in compared]
    totals = [whole.n_tokens for whole in wholes]
    most, least = max(totals), fewest_tokens((whole.n_tokens, whole.n_unknown) for whole in wholes)
    names_px = NOTE_CHARACTER_PX * max(n_columns(counts.name) for counts in compared) + 12
    left = MARGIN_PX + names_px

    def rows() -> Iterator[tuple[str, float]]:
        for row, (counts, n_tokens) in enumerate(zip(compared, totals, strict=True)):
            is_best = n_tokens == least and not counts.whole.n_unknown
            top = 40 + row * ROW_PX
            width = LONGEST_BAR_PX * n_tokens / most if most else 0.0
            outline = ' stroke="#1b1f27" stroke-width="1.25"' if is_best else ""
            bar = (
                f'<rect x="{left:.0f}" y="{top}" width="{width:.1f}" height="{BAR_PX}" rx="4" '
                f'fill="{FILLS[row % len(FILLS)]}"{outline}/>'
            )
            figure = f"{n_tokens:,} × {number(counts.ratio_to(compared[0]))}"
            if share := counts.whole.unknown_share:
                figure += f" · {percent(share, 1)} unknown"
            baseline = top + BAR_PX - 5
            yield (
                f"{note(MARGIN_PX, baseline, counts.name)}{bar}{note(left + width + 8, baseline, figure)}\n",
                left + width + 8 + NOTE_CHARACTER_PX * n_columns(figure),
            )

    return "".join(document(rows(), ROW_PX, "Tokens"))
