"""The summary of the records of a file so far: lengths, trained tokens and findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import lru_cache
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.data.batches import MOST_TURNS, DataBatch, batches
from guiapp.analysis.data.examined import DataExaminer, DataRecord
from guiapp.analysis.data.findings import BITS, CODES, DataFinding, Noticed, finding_of
from guiapp.analysis.data.records import Records
from guiapp.analysis.doctor.findings import SEVERITIES, WARNING

PERCENTILES = (50, 90, 99)
MOST_PACKED = 100_000  # records that packing is computed from
REMEMBERED = 64
DIFFERENT = "doubled"


class Packing(NamedTuple):
    """The cost of padding at a batch size, and the gain of packing at a length.

    length        tokens of a row; longer records are cut
    rows          that first-fit needs for the first `of_records`
    filled        share of these rows that has tokens
    batch_size    rows that are padded to the longest one, in the order of the file
    padding       tokens of padding
    padding_share of all tokens of these batches
    """

    length: int
    rows: int
    of_records: int
    filled: float
    batch_size: int
    padding: int
    padding_share: float


class DataRecords(Sequence[DataRecord]):
    """The records of a file, each rendered and encoded on demand."""

    def __init__(self, examiner: DataExaminer, records: Records) -> None:
        self._examiner, self._records = examiner, records
        self._record = lru_cache(REMEMBERED)(self._examined)

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> DataRecord: ...
    @overload
    def __getitem__(self, index: slice) -> list[DataRecord]: ...
    def __getitem__(self, index: int | slice) -> DataRecord | list[DataRecord]:
        rows = range(len(self))[index]
        return self._record(rows) if isinstance(rows, int) else list(map(self._record, rows))

    def _examined(self, row: int) -> DataRecord:
        return self._examiner.examine(self._records.raw(row, row + 1))[0]


class TrainingData:
    """A summary of training data that grows by `add` and is valid at any time.

    records    a sequence of DataRecord, each computed on demand
    n_records  examined so far
    n_cut      trained tokens after the maximum length
    """

    def __init__(self, examiner: DataExaminer, source: Records) -> None:
        self.examiner, self.source = examiner, source
        self.records, self.n_records = DataRecords(examiner, source), 0
        self.n_rejected = self.n_cut = 0
        self._columns: dict[str, list[NDArray[Any]]] = {}
        self._examples = dict[str, tuple[int, Noticed]]()
        self._digests = set[int]()
        self._roles, self._trained_roles = Counter[str](), Counter[str]()
        self.by_turn = np.zeros(MOST_TURNS, np.int64)

    def __repr__(self) -> str:
        return f"<TrainingData: {self.n_records:,} records, {int(self.lengths.sum()):,} tokens>"

    @property
    def share(self) -> float:
        """The share of the file that was examined."""
        return self.source.share * self.n_records / len(self.source) if len(self.source) else 1.0

    def add(self, batch: DataBatch) -> None:
        codes = batch.codes.copy()
        for row, digest in enumerate(batch.digests.tolist()):
            if digest and digest in self._digests:
                codes[row] |= BITS[DIFFERENT]
            self._digests.add(digest)
        columns: dict[str, NDArray[Any]] = {
            "digests": batch.digests,
            "lengths": batch.n_tokens,
            "trained": batch.n_trained,
            "turns": batch.n_turns,
            "codes": codes,
        }
        for name, column in columns.items():
            self._columns.setdefault(name, []).append(column)
        for number, each in batch.examples:
            self._examples.setdefault(each.code, (number, each))
        if DIFFERENT not in self._examples and len(copies := np.flatnonzero(codes & BITS[DIFFERENT])):
            row = self.n_records + int(copies[0])
            self._examples[DIFFERENT] = row + 1, self.repeated(row)
        for role, (n_tokens, n_trained) in batch.by_role.items():
            self._roles[role] += n_tokens
            self._trained_roles[role] += n_trained
        self.by_turn += batch.by_turn
        self.n_records += len(batch)
        self.n_rejected += batch.n_rejected
        self.n_cut += batch.n_cut

    def _column(self, name: str, kind: type[np.generic]) -> NDArray[Any]:
        parts = self._columns.get(name, [])
        if len(parts) != 1:
            self._columns[name] = parts = [np.concatenate([np.zeros(0, kind), *parts]).astype(kind)]
        return parts[0]

    def repeated(self, row: int) -> Noticed:
        """The finding that a record, from 0, has the same tokens as an earlier one."""
        digests = self._column("digests", np.uint64)
        first = int(np.flatnonzero(digests == digests[row])[0])
        return Noticed(DIFFERENT, None, f"the same as record {first + 1:,}.")

    @property
    def lengths(self) -> NDArray[np.int32]:
        """int32[n]: tokens of each record, before the maximum length."""
        return self._column("lengths", np.int32)

    @property
    def trained(self) -> NDArray[np.int32]:
        """int32[n]: trained tokens of each record."""
        return self._column("trained", np.int32)

    @property
    def turns(self) -> NDArray[np.int32]:
        """int32[n]: messages of each record, 1 for a text."""
        return self._column("turns", np.int32)

    @property
    def codes(self) -> NDArray[np.uint32]:
        """uint32[n]: the findings of each record, as bits of `findings.BITS`."""
        return self._column("codes", np.uint32)

    @property
    def by_role(self) -> dict[str, tuple[int, int]]:
        """Tokens and trained tokens of the content of each role, of `template`, and of `text` for texts."""
        return {role: (n, self._trained_roles[role]) for role, n in self._roles.most_common()}

    @property
    def findings(self) -> list[DataFinding]:
        """All findings, the worst first, then by number of records."""
        codes = self.codes
        counts = {code: int(np.count_nonzero(codes & BITS[code])) for code in CODES}
        result = [
            finding_of(self._examples[code][1], self._examples[code][0], count, self.n_records)
            for code, count in counts.items()
            if count
        ]
        return sorted(result, key=lambda each: (SEVERITIES.index(each.severity), -each.n_records))

    def line_of(self, finding: DataFinding) -> int:
        """The line of the template that writes the example's token; 0 if there is none.

        Renders the record again.
        """
        if finding.line or finding.token is None:
            return finding.line
        origins = self.records[finding.record - 1].origins
        return origins[finding.token].line if finding.token < len(origins) else 0

    @property
    def has_warning(self) -> bool:
        return any(SEVERITIES.index(each.severity) <= SEVERITIES.index(WARNING) for each in self.findings)

    def rows_with(self, code: str) -> NDArray[np.int64]:
        """The records, from 0, with a finding."""
        return np.flatnonzero(self.codes & BITS[code])

    @property
    def tokens(self) -> dict[str, int]:
        """`total` and `trained` tokens, and `p50`, `p90`, `p99` and `max` of the lengths of records."""
        lengths = self.lengths
        values = np.percentile(lengths, PERCENTILES, method="inverted_cdf") if len(lengths) else [0, 0, 0]
        named = {f"p{share}": int(value) for share, value in zip(PERCENTILES, values, strict=True)}
        total, trained = int(lengths.sum(dtype=np.int64)), int(self.trained.sum(dtype=np.int64))
        return {"total": total, "trained": trained, **named, "max": int(lengths.max(initial=0))}

    @property
    def n_used(self) -> int:
        """The number of tokens up to the maximum length of each record."""
        most = self.examiner.options.max_length
        lengths = self.lengths if most is None else np.minimum(self.lengths, most)
        return int(lengths.sum(dtype=np.int64))

    @property
    def n_without_tokens(self) -> int:
        """The number of records that cannot be read or rendered, or are empty; they are not exported."""
        return int(np.count_nonzero(self.lengths == 0))

    def longer_than(self, most: int) -> int:
        """The number of records with more than `most` tokens."""
        return int(np.count_nonzero(self.lengths > most))

    def packing(self, length: int, batch_size: int = 8) -> Packing:
        return packing_of(self.lengths, length, batch_size)


def packing_of(lengths: NDArray[np.int32], length: int, batch_size: int) -> Packing:
    """The cost of padding and the gain of packing for records of these lengths."""
    lengths = np.minimum(lengths, length)
    packed = lengths[:MOST_PACKED]
    rows = first_fit(packed.tolist(), length)
    filled = float(packed.sum(dtype=np.int64) / (rows * length)) if rows else 1.0
    whole = np.concatenate([lengths, np.zeros(-len(lengths) % batch_size, lengths.dtype)])
    sizes = np.full(len(whole) // batch_size, batch_size, np.int64)
    if len(lengths) % batch_size:
        sizes[-1] = len(lengths) % batch_size
    padded = int((whole.reshape(-1, batch_size).max(axis=1, initial=0) * sizes).sum())
    padding = padded - int(lengths.sum(dtype=np.int64))
    share = padding / padded if padded else 0.0
    return Packing(length, rows, len(packed), filled, batch_size, padding, share)


def first_fit(lengths: Sequence[int], room: int) -> int:
    """The number of rows of length `room` if each record goes into the first row with room for it."""
    size = 1
    while size < len(lengths):
        size *= 2
    left = [room] * (2 * size)  # a tree: the most room left below each node
    n_rows = 0
    for length in lengths:
        node = 1
        while node < size:
            node = 2 * node + (left[2 * node] < length)
        n_rows = max(n_rows, node - size + 1)
        left[node] -= length
        while node > 1:
            node //= 2
            left[node] = max(left[2 * node], left[2 * node + 1])
    return n_rows


def growing(
    examiner: DataExaminer, source: Records, n_workers: int | None = None
) -> Generator[TrainingData, None, None]:
    """Yield the same object repeatedly, each time with one more batch."""
    data = TrainingData(examiner, source)
    with closing(batches(examiner, source, n_workers=n_workers)) as found:
        for batch in found:
            data.add(batch)
            yield data


def training_data(
    examiner: DataExaminer,
    source: Records,
    n_workers: int | None = None,
    progress: Callable[[float], object] = lambda _: None,
) -> TrainingData:
    """The summary of all records."""
    data = TrainingData(examiner, source)
    with closing(growing(examiner, source, n_workers)) as states:  # also if `progress` raises
        for data in states:
            progress(data.share)
    return data
