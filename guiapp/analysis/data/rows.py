"""The records of a file as a list: columns to sort by, and a filter of terms that must all match.

refund               records whose text contains this, in upper or lower case
"order number"       the same with spaces
tokens:>4096  trained:0  messages:4..  record:100..200
finding:cut_off        records with a finding; also finding:error, finding:warning, finding:hint
-finding:doubled       a minus before a term: records that do not match it
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.data.findings import BITS, CODES, KINDS
from guiapp.analysis.data.records import Records
from guiapp.analysis.data.summary import TrainingData
from guiapp.analysis.doctor.findings import ERROR, HINT, SEVERITIES, WARNING
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list.filters import COMPARED, COMPARISONS, KEY, QUOTED, RANGE, WORD
from guiapp.analysis.vocabulary_list.listing import Flags, ListColumn

FINDING = "finding"
SEARCHED_RECORDS, SEARCHED_BYTES = 1024, 1 << 22  # between two reports of progress
WEIGHTS = {ERROR: 10_000, WARNING: 100, HINT: 1}
FIGURES: dict[str, Callable[[DataRows], NDArray[np.number]]]


@dataclass(eq=False)
class DataRows:
    """The n records examined so far; numbered from 0 here, and from 1 on screen.

    lengths, trained, turns, codes  as in `TrainingData`
    texts  cached results of text searches in the file: which of the first records contain a text
    """

    source: Records
    lengths: NDArray[np.int32]
    trained: NDArray[np.int32]
    turns: NDArray[np.int32]
    codes: NDArray[np.uint32]
    texts: dict[str, Flags] = field(default_factory=dict)
    orders: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    @classmethod
    def of(cls, data: TrainingData, texts: dict[str, Flags]) -> DataRows:
        return cls(data.source, data.lengths, data.trained, data.turns, data.codes, texts)

    def __len__(self) -> int:
        return len(self.lengths)

    def codes_of(self, row: int) -> list[str]:
        """The codes of a record's findings, the worst first."""
        codes = [code for code in CODES if int(self.codes[row]) & BITS[code]]
        return sorted(codes, key=lambda code: SEVERITIES.index(KINDS[code].severity))


def title_of(code: str) -> str:
    """The name of a finding in words."""
    return code.replace("_", " ")


def _numbers(rows: DataRows) -> NDArray[np.int64]:
    return np.arange(1, len(rows) + 1)


def _share(rows: DataRows) -> NDArray[np.float64]:
    return np.round(100 * rows.trained / np.maximum(rows.lengths, 1), 1)


def _weights(rows: DataRows) -> NDArray[np.int64]:
    """A number to sort by, larger for worse findings."""
    result = np.zeros(len(rows), np.int64)
    for code, bit in BITS.items():
        result += WEIGHTS[KINDS[code].severity] * ((rows.codes & bit) != 0)
    return result


def _findings(rows: DataRows, row: int, _: Spelling) -> str:
    return ", ".join(map(title_of, rows.codes_of(row)))


FIGURES = {
    "record": _numbers,
    "tokens": lambda rows: rows.lengths,
    "trained": lambda rows: rows.trained,
    "share": _share,
    "messages": lambda rows: rows.turns,
}
COLUMNS: tuple[ListColumn[DataRows], ...] = (
    ListColumn("record", "number in the file, from 1", FIGURES["record"]),
    ListColumn("tokens", "before the maximum length", FIGURES["tokens"]),
    ListColumn("trained", "tokens that count in the loss", FIGURES["trained"]),
    ListColumn("share", "of its tokens that are trained", FIGURES["share"], is_usual=False, unit="%"),
    ListColumn("messages", "1 for a text", FIGURES["messages"], widest="messages", yields=True),
    ListColumn("findings", "what was found in it", _weights, _findings, widest="border in token"),
)


def check_query(query: str) -> None:
    """Raise QueryError for an invalid filter."""
    for _ in _terms(query):
        pass


def searched_texts(query: str) -> list[str]:
    """The texts that a filter requires; none if it is invalid."""
    try:
        return [value for is_not, key, value in _terms(query) if not key and not is_not]
    except QueryError:
        return []


def listed_rows(
    rows: DataRows, query: str, progress: Callable[[float], object] = lambda share: None
) -> Flags:
    """bool[n]: the records that match a filter.  Reads their texts from the file.  Raises QueryError."""
    flags = np.ones(len(rows), np.bool_)
    for is_not, key, value in _terms(query):
        if key == FINDING:
            flags &= ((rows.codes & _bits_of(value)) != 0) ^ is_not
        elif key:
            flags &= _compared(FIGURES[key](rows), value) ^ is_not
        else:
            flags &= _with_text(rows, value, progress) ^ is_not
    return flags


def _terms(query: str) -> Iterator[tuple[bool, str, str]]:
    """The terms of a filter: whether it is negated, its key, "" for a text, and its value."""
    for word in WORD.finditer(query):
        body, is_not = word["body"], bool(word["minus"])
        match = KEY.fullmatch(body)
        if match is not None and match[1] in (FINDING, *FIGURES):
            key, value = match[1], match[2]
            if not value:
                continue  # still being typed
            if key == FINDING:
                _bits_of(value)
            elif not (COMPARED.fullmatch(value) or RANGE.fullmatch(value) or value in COMPARISONS):
                raise QueryError(f"“{value}” is not a number or a range, such as 4..8 or >=4.")
            yield is_not, key, value
        else:
            quoted = QUOTED.fullmatch(body) if len(body) > 1 else None
            if text := body if quoted is None else quoted[1].replace('""', '"'):
                yield is_not, "", text


def _bits_of(name: str) -> int:
    """The bits of findings with this severity, or whose codes begin with `name`.  Raises QueryError."""
    plain = name.replace(" ", "_")
    bits = sum(
        bit
        for code, bit in BITS.items()
        if plain == KINDS[code].severity or code == plain or code.startswith(plain)
    )
    if not bits:
        raise QueryError(f"There is no finding “{name}”. Choose from: {', '.join((*SEVERITIES, *CODES))}.")
    return bits


def _compared(values: NDArray[np.number], text: str) -> Flags:
    if match := COMPARED.fullmatch(text):
        return np.asarray(COMPARISONS[match[1] or "="](values, float(match[2])), np.bool_)
    if match := RANGE.fullmatch(text):
        low, high = (float(end) if end else None for end in match.groups())
        above = values >= (-np.inf if low is None else low)
        return np.asarray(above & (values <= (np.inf if high is None else high)), np.bool_)
    return np.ones(len(values), np.bool_)  # a comparison without its number


def _with_text(rows: DataRows, text: str, progress: Callable[[float], object]) -> Flags:
    """The records that contain a text, literally or with JSON escapes."""
    lowered = text.lower()
    written = lowered, json.dumps(lowered)[1:-1], json.dumps(lowered, ensure_ascii=False)[1:-1]
    needles = {each.encode("utf-8", "replace") for each in written}
    known, result = rows.texts.get(text, np.zeros(0, np.bool_))[: len(rows)], np.zeros(len(rows), np.bool_)
    at = len(known)
    result[:at] = known
    while at < len(rows):
        progress(at / len(rows))
        raws = rows.source.raw(at, min(at + SEARCHED_RECORDS, len(rows)), SEARCHED_BYTES)
        for raw in raws:
            content = raw.content if isinstance(raw.content, bytes) else str(raw.content).encode()
            is_ascii = content.isascii()
            content = content.lower() if is_ascii else content.decode(errors="replace").lower().encode()
            result[raw.number - 1] = any(needle in content for needle in needles)
        at += max(len(raws), 1)
        rows.texts[text] = result[:at]
    return result
