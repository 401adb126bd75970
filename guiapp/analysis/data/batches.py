"""Examine batches of records on all cores, lazily and in the order of the file; results are in columns.

`data_table` depends on records alone, so any cluster can run it: a DataExaminer can be pickled.
"""

from __future__ import annotations

import pickle
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.data.examined import DataExaminer, DataRecord, locate_contents
from guiapp.analysis.data.findings import BITS, Noticed, codes_in, noticed
from guiapp.analysis.data.records import RawRecord, Records
from guiapp.core.encode.many_texts import n_cores
from guiapp.core.processes import TICK_S, ApartError, PersistentProcess
from guiapp.errors import TokenloupeError
from guiapp.native.checkpoint import checkpoint

WORKER = "guiapp.analysis.data.worker"
FIRST_RECORDS, BATCH_RECORDS, BATCH_BYTES = 32, 256, 1 << 20
MOST_TURNS = 32
MOST_WORKERS = 16
AHEAD = 2  # batches that wait for each worker
NO_WORKER = "A worker process ended. There may be too little memory: try again with fewer workers."


@dataclass(frozen=True, eq=False)
class DataBatch:
    """Some records in columns, k of them.

    numbers    int64[k]   in the file, from 1
    n_tokens   int32[k]   of the whole record; 0 for one that cannot be read
    n_trained  int32[k]   up to the maximum length
    n_turns    int32[k]   messages; 1 for a text
    codes      uint32[k]  the codes noticed, as bits of `findings.BITS`
    digests    uint64[k]  equal for equal tokens, 0 without tokens
    examples   the first of each code: the number of the record, and the Noticed
    by_role    tokens and trained tokens of the content of each role, and of `template`
    by_turn    int64[MOST_TURNS]  trained tokens of the first trained span of each record, the second …
    n_rejected tokens of the rejected sides of preferences
    n_cut      trained tokens after the maximum length
    ids, labels, bounds  if requested, else empty: record i has int32 ids[bounds[i] : bounds[i + 1]]
    """

    numbers: NDArray[np.int64]
    n_tokens: NDArray[np.int32]
    n_trained: NDArray[np.int32]
    n_turns: NDArray[np.int32]
    codes: NDArray[np.uint32]
    digests: NDArray[np.uint64]
    examples: tuple[tuple[int, Noticed], ...]
    by_role: dict[str, tuple[int, int]]
    by_turn: NDArray[np.int64]
    n_rejected: int
    n_cut: int
    ids: NDArray[np.int32]
    labels: NDArray[np.int32]
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)


def batch_of(examiner: DataExaminer, raws: Sequence[RawRecord], with_ids: bool = False) -> DataBatch:
    """Examine records and return the results in columns."""
    rows = examiner.examine(raws, checkpoint)
    locate_contents(rows)
    codes, examples = list[int](), dict[str, tuple[int, Noticed]]()
    roles, trained_roles, by_turn = Counter[str](), Counter[str](), np.zeros(MOST_TURNS, np.int64)
    for row in rows:
        bits = 0
        for each in noticed(row):
            bits |= BITS[each.code]
            examples.setdefault(each.code, (row.number, each))
        codes.append(bits)
        if row.encoding is not None:
            _count_roles(row, roles, trained_roles)
            for turn, (start, end) in enumerate(row.tokens[:MOST_TURNS]):
                by_turn[turn] += max(0, min(end, row.n_used) - start)
    kept = [row.token_ids[: row.n_used] for row in rows] if with_ids else []
    none = [np.zeros(0, np.int32)]
    return DataBatch(
        np.array([row.number for row in rows], np.int64),
        np.array([len(row.token_ids) for row in rows], np.int32),
        np.array([np.count_nonzero(row.is_trained[: row.n_used]) for row in rows], np.int32),
        np.array([_n_turns(row) for row in rows], np.int32),
        np.array(codes, np.uint32),
        np.array([_digest(row) for row in rows], np.uint64),
        tuple(examples.values()),
        {role: (roles[role], trained_roles[role]) for role in roles},
        by_turn,
        sum(row.n_rejected for row in rows),
        sum(max(0, end - max(start, row.n_used)) for row in rows for start, end in row.tokens),
        np.concatenate([*kept, *none]).astype(np.int32),
        np.concatenate([*([row.labels for row in rows] if with_ids else []), *none]).astype(np.int32),
        np.cumsum([0, *map(len, kept)]).astype(np.int64),
    )


def data_table(examiner: DataExaminer, records: Iterable[object]) -> Any:
    """Examine records into a `pyarrow.Table`: for `map_batches` of Ray Data, `map` of `datasets`, etc.

    records  lines of JSON, as text or bytes; or values: objects with `messages`, `text` and so on
    Columns: `input_ids` and `labels`, lists of int32 cut at the maximum length, empty if the record is
    unusable; and `findings`, the codes of what is wrong, separated by spaces.
    """
    import pyarrow

    lines = (each.encode("utf-8", "surrogatepass") if isinstance(each, str) else each for each in records)
    raws = [RawRecord(number, 0, each) for number, each in enumerate(lines, 1)]
    batch = batch_of(examiner, raws, with_ids=True)
    bounds, findings = pyarrow.array(batch.bounds.astype(np.int32)), map(codes_in, batch.codes.tolist())
    return pyarrow.table(
        {
            "input_ids": pyarrow.ListArray.from_arrays(bounds, pyarrow.array(batch.ids)),
            "labels": pyarrow.ListArray.from_arrays(bounds, pyarrow.array(batch.labels)),
            "findings": pyarrow.array(findings, pyarrow.string()),
        }
    )


def _n_turns(row: DataRecord) -> int:
    conversation = None if row.record is None else row.record.conversation
    return int(row.encoding is not None) if conversation is None else len(conversation.messages)


def _digest(row: DataRecord) -> int:
    data = row.token_ids.tobytes()
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little") if data else 0


def _count_roles(row: DataRecord, roles: Counter[str], trained: Counter[str]) -> None:
    """Add tokens with content of a role that is located in the text to the role, others to `template`."""
    assert row.encoding is not None
    conversation = None if row.record is None else row.record.conversation
    n_tokens, n_trained = len(row.token_ids), int(np.count_nonzero(row.is_trained))
    if conversation is None:
        roles["text"] += n_tokens
        trained["text"] += n_trained
        return
    is_trained, at = row.is_trained.tobytes(), 0
    for number, (start, end) in row.content_tokens:
        start, at = max(start, at), max(end, at)
        size, own, role = max(0, end - start), is_trained.count(1, start, at), conversation.role(number)
        roles[role] += size
        trained[role] += own
        n_tokens, n_trained = n_tokens - size, n_trained - own
    roles["template"] += n_tokens
    trained["template"] += n_trained


# All records of a file


def batches(
    examiner: DataExaminer,
    records: Records,
    with_ids: bool = False,
    n_workers: int | None = None,
    start: int = 0,
) -> Generator[DataBatch, None, None]:
    """All records from `start` on, batch by batch; the first batch is small, to be ready at once.

    n_workers  number of processes; None: as many as cores, 0: all in this process
    There is a checkpoint every 50 ms; an exception from it ends the processes.  Raises TokenloupeError if a
    process ends, and the errors of `DataExaminer.examine`.
    """
    first = _next(records, start, FIRST_RECORDS)
    if not first:
        return
    yield batch_of(examiner, first, with_ids)
    at = start + len(first)
    n_workers = min(n_cores(), MOST_WORKERS) if n_workers is None else n_workers
    packed = b""
    if n_workers and records.up_to(at + BATCH_RECORDS):
        with suppress(TypeError):  # a vocabulary in memory cannot be pickled
            packed = pickle.dumps(examiner)
    if packed:
        yield from _in_processes(packed, records, with_ids, n_workers, at)
        return
    while raws := _next(records, at, BATCH_RECORDS):
        at += len(raws)
        yield batch_of(examiner, raws, with_ids)


def _next(records: Records, at: int, most: int) -> list[RawRecord]:
    records.up_to(at + most)
    return records.raw(at, at + most, BATCH_BYTES)


def _in_processes(
    packed: bytes, records: Records, with_ids: bool, n_workers: int, at: int
) -> Iterator[DataBatch]:
    stopped, waiting = threading.Event(), deque[Future[DataBatch]]()
    processes = [PersistentProcess(WORKER, True) for _ in range(n_workers)]
    idle = deque(processes)

    def work(raws: list[RawRecord]) -> DataBatch:
        process = idle.popleft()
        try:
            return _asked(process, packed, raws, with_ids, stopped)
        finally:
            idle.append(process)

    with ThreadPoolExecutor(n_workers, "data") as threads:
        try:
            while True:
                while len(waiting) < AHEAD * n_workers and (raws := _next(records, at, BATCH_RECORDS)):
                    at += len(raws)
                    waiting.append(threads.submit(work, raws))
                if not waiting:
                    return
                yield _result(waiting.popleft())
        finally:
            stopped.set()
            for future in waiting:
                future.cancel()
            for process in processes:
                process.close()


class _StoppedError(Exception):
    """The results are not needed any more."""


def _asked(
    process: PersistentProcess, packed: bytes, raws: list[RawRecord], with_ids: bool, stopped: threading.Event
) -> DataBatch:
    def progress(_: float) -> None:
        if stopped.is_set():
            raise _StoppedError

    try:
        answer = process.answer(pickle.dumps((packed, raws, with_ids)), progress, float("inf"))
    except ApartError as error:
        raise TokenloupeError(NO_WORKER) from error
    result = pickle.loads(answer)  # trusted: from our own process
    if isinstance(result, Exception):
        raise result
    assert isinstance(result, DataBatch)
    return result


def _result(future: Future[DataBatch]) -> DataBatch:
    while True:
        checkpoint()
        with suppress(NotYet):
            return future.result(TICK_S)
