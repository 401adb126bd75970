"""Read training records from files: JSON lines or a JSON array, either also gzipped, or Parquet.

A file may be larger than memory: an index of the starts of records grows while the file is read, and a record
is parsed on demand.
"""

from __future__ import annotations

import gzip
import re
import tempfile
import threading
import weakref
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from mmap import ACCESS_READ, mmap
from os import PathLike, fsdecode
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.messages import Conversation, conversation_of
from guiapp.core.sources.files import open_input
from guiapp.core.text.numbers_in_words import in_bytes, quoted
from guiapp.core.text.outside_json import read_json
from guiapp.errors import ChatError, TokenloupeError
from guiapp.native.checkpoint import checkpoint

MESSAGES, CONVERSATIONS, COMPLETION, PREFERENCE, TEXT = SHAPES = (
    "messages",
    "conversations",
    "prompt-completion",
    "preference",
    "text",
)
KEYS = (  # of a record of each shape; the first shape that fits is used
    (MESSAGES, ["messages"]),
    (CONVERSATIONS, ["conversations"]),
    (CONVERSATIONS, ["conversation"]),
    (PREFERENCE, ["chosen"]),
    (COMPLETION, ["prompt", "completion"]),
    (TEXT, ["text"]),
)
ROLES = {"human": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bot": "assistant"}
ENDINGS = ".jsonl", ".ndjson", ".json", ".parquet"
BLOCK_BYTES = 8 << 20
LONGEST_RECORD = 16 << 20  # bytes
MOST_UNPACKED = 64 << 30
MARK = b"\xef\xbb\xbf"
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
UTF_16 = b"\xff\xfe", b"\xfe\xff"
PART = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},]|[^\s"\[\]{},:]+', re.DOTALL)
MOST_BETWEEN = 1 << 16  # parts of JSON between two checkpoints
BROKEN, DUPLICATE, SHAPELESS, EMPTY = "broken", "duplicate_key", "shape", "empty"


class RecordError(ValueError):
    """A record cannot be used; `code` is the code of its finding."""

    def __init__(self, code: str, what: str) -> None:
        super().__init__(what)
        self.code = code


class RawRecord(NamedTuple):
    """A record as read: JSON, or a value.

    number  from 1
    line    of the file, from 1; 0 for a file without lines
    """

    number: int
    line: int
    content: Any


@dataclass(frozen=True)
class Record:
    """A parsed record, in one form for all shapes.

    shape         one of SHAPES
    conversation  None for a plain text
    n_prompt      the number of messages, or of characters of the text, before the completion
    text          "" for a conversation
    rejected      the other conversation, or text, of a preference
    has_duplicate_key  whether an object in it has two entries with one key, of which the last counts
    """

    shape: str
    conversation: Conversation | None = None
    n_prompt: int = 0
    text: str = ""
    rejected: Conversation | str | None = None
    has_duplicate_key: bool = False


class Records:
    """The records of a file or of values; call `grow` until `is_complete`.

    One thread may grow it while others read.
    """

    name, is_complete = "records", True

    def __init__(self, values: Sequence[object] = ()) -> None:
        self._values = values
        self._lock = threading.RLock()  # of the file's position, and of caches

    def __len__(self) -> int:
        """The number of records known so far."""
        return len(self._values)

    @property
    def share(self) -> float:
        """The share of the file that is known."""
        return 1.0

    def grow(self) -> None:
        """Index another part of the file."""

    def raw(self, start: int, end: int, most_bytes: int = 1 << 62) -> list[RawRecord]:
        """The records [start, end) in order; fewer, but at least one, if they exceed `most_bytes`."""
        with self._lock:
            return self._raw(start, end, most_bytes)

    def _raw(self, start: int, end: int, most_bytes: int) -> list[RawRecord]:
        return [RawRecord(row + 1, 0, self._values[row]) for row in range(start, min(end, len(self)))]

    def up_to(self, number: int) -> bool:
        """Whether there are at least `number` records; indexes the file as far as needed."""
        while len(self) < number and not self.is_complete:
            checkpoint()
            self.grow()
        return len(self) >= number


class RecordFile(Records):
    """The records of a JSON file."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.name, self.is_complete = path.name, False
        self._file: IO[bytes] = open_input(path)
        weakref.finalize(self, self._file.close)
        self._unpacking: gzip.GzipFile | None = None
        if self._file.read(4).startswith(GZIP):
            self._file.seek(0)
            self._unpacking = gzip.GzipFile(fileobj=self._file)
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  (for as long as we are)
            weakref.finalize(self, self._file.close)
            self._unpack()
        self._size = self._file.seek(0, 2)
        self._file.seek(0)
        head = self._file.read(1 << 16)
        if head.startswith(UTF_16):
            raise TokenloupeError(f"{quoted(self.name)} is UTF-16. Convert it to UTF-8.")
        self._at = len(MARK) if head.startswith(MARK) else 0
        self._line, self._n = 1, 0
        self._blocks = list[NDArray[np.int64]]()  # of rows: start, end, line
        self._firsts = list[int]()  # the number of the first record of each block
        first = head[self._at :].lstrip()
        self._is_array = first.startswith(b"[") or _is_spread(first)

    def __len__(self) -> int:
        return self._n

    @property
    def share(self) -> float:
        return 1.0 if self.is_complete or not self._size else self._at / self._size

    def grow(self) -> None:
        if self._is_array:
            self._index_array()
        else:
            with self._lock:
                self._index_lines()

    def _raw(self, start: int, end: int, most_bytes: int) -> list[RawRecord]:
        found, end = list[RawRecord](), min(end, self._n)
        while start < end:
            row = int(np.searchsorted(self._firsts, start, "right")) - 1
            first, block = self._firsts[row], self._blocks[row]
            part = block[start - first : end - first]
            part = part[: max(1, int(np.searchsorted(part[:, 1], part[0, 0] + most_bytes, "right")))]
            entries = part.tolist()
            begin = entries[0][0]
            self._file.seek(begin)
            data = self._file.read(entries[-1][1] - begin)
            for number, (at, stop, line) in enumerate(entries, start + 1):
                found.append(RawRecord(number, line, data[at - begin : stop - begin]))
            start += len(entries)
            most_bytes -= len(data)
            if most_bytes <= 0 or len(part) < min(end, first + len(block)) - (start - len(entries)):
                break
        return found

    def _add(self, entries: NDArray[np.int64]) -> None:
        if len(entries):
            self._firsts.append(self._n)
            self._blocks.append(entries)
            self._n += len(entries)

    def _index_lines(self) -> None:
        self._file.seek(self._at)
        data = self._file.read(BLOCK_BYTES)
        is_last = self._at + len(data) >= self._size
        while not is_last and b"\n" not in data:
            checkpoint()
            more = self._file.read(BLOCK_BYTES)
            is_last = not more or self._at + len(data) + len(more) >= self._size
            data += more
            if len(data) > LONGEST_RECORD + BLOCK_BYTES:  # parsing will refuse it
                break
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")).astype(np.int64)
        if is_last and not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        elif not len(ends):
            ends = np.array([len(data)], np.int64)
        starts = np.concatenate([[0], ends[:-1] + 1])
        keep = np.flatnonzero(ends > starts)
        is_short = keep[ends[keep] - starts[keep] < 8]
        blank = [row for row in is_short.tolist() if not data[starts[row] : ends[row]].strip()]
        keep = np.setdiff1d(keep, blank, assume_unique=True)
        self._add(np.stack([starts[keep] + self._at, ends[keep] + self._at, keep + self._line], axis=1))
        self._line += len(ends)
        self._at = min(self._at + int(ends[-1]) + 1, self._size) if len(ends) else self._size
        self.is_complete = self._at >= self._size and not self._unpack()

    def _index_array(self) -> None:
        """Index all elements of one array, or consecutive objects, however they are broken into lines."""
        entries, depth, opened, line, seen = list[tuple[int, int, int]](), 0, -1, 1, 0
        while self._unpack():
            checkpoint()
        if self._size:
            with mmap(self._file.fileno(), 0, access=ACCESS_READ) as data:
                base = 1 if data[self._at : self._at + 64].lstrip()[:1] == b"[" else 0
                for number, part in enumerate(PART.finditer(data, self._at)):
                    if number % MOST_BETWEEN == 0:
                        checkpoint()
                    sign = part[0][:1]
                    if opened < 0 and depth == base and sign not in b",]}":
                        opened = part.start()
                    depth += (sign in b"[{") - (sign in b"]}")
                    if opened >= 0 and depth <= base and (depth < base or sign not in b"[{"):
                        line += data[seen:opened].count(b"\n")
                        entries.append((opened, part.end() if depth == base else part.start(), line))
                        seen, opened = opened, -1
                if opened >= 0:
                    entries.append((opened, len(data), line + data[seen:opened].count(b"\n")))
        self._add(np.array(entries, np.int64).reshape(-1, 3))
        self.is_complete = True

    def _unpack(self) -> bool:
        """Unpack another block, up to the end of a line; False at the end of the file."""
        if self._unpacking is None:
            return False
        try:
            data = self._unpacking.read(BLOCK_BYTES)
            data += self._unpacking.readline(LONGEST_RECORD) if data else b""
        except (OSError, EOFError, zlib.error) as error:
            raise TokenloupeError(f"{quoted(self.name)} is not a complete gzip file.") from error
        self._size = self._file.seek(0, 2) + len(data)
        if self._size > MOST_UNPACKED:
            raise TokenloupeError(f"{quoted(self.name)} unpacks to more than {in_bytes(MOST_UNPACKED)}.")
        self._file.write(data)
        self._file.flush()
        return bool(data)


class ParquetRecords(Records):
    """The records of a Parquet file; needs pyarrow."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            raise TokenloupeError("Parquet needs pyarrow. Install it: pip install pyarrow") from None
        self.name = path.name
        try:
            self._parquet = parquet.ParquetFile(path)
        except (ArrowException, OSError) as error:
            raise TokenloupeError(f"{quoted(self.name)} cannot be read: {quoted(str(error))}.") from error
        sizes = [
            self._parquet.metadata.row_group(row).num_rows for row in range(self._parquet.num_row_groups)
        ]
        self._starts = np.cumsum([0, *sizes]).tolist()
        self._group, self._rows = -1, list[Any]()

    def __len__(self) -> int:
        return int(self._starts[-1])

    def _raw(self, start: int, end: int, most_bytes: int) -> list[RawRecord]:
        found = list[RawRecord]()
        for row in range(start, min(end, len(self))):
            group = int(np.searchsorted(self._starts, row, "right")) - 1
            if group != self._group:
                self._group, self._rows = group, self._parquet.read_row_group(group).to_pylist()
            found.append(RawRecord(row + 1, 0, self._rows[row - self._starts[group]]))
        return found


def open_records(source: str | PathLike[str] | Iterable[object] | Records) -> Records:
    """Open the records of a file, or of values in any of the shapes.  Raises TokenloupeError."""
    if isinstance(source, Records):
        return source
    if not isinstance(source, str | PathLike):
        return Records(source if isinstance(source, Sequence) else list(source))
    path = Path(fsdecode(source))
    try:
        with open_input(path) as file:
            head = file.read(len(PARQUET))
        return ParquetRecords(path) if head == PARQUET else RecordFile(path)
    except OSError as error:
        raise TokenloupeError(f"{quoted(path.name)} cannot be read: {error.strerror}.") from error


def holds_records(path: Path) -> bool:
    """Whether a file is JSON or Parquet and its first record has one of the shapes."""
    if not any(ending in ENDINGS for ending in path.suffixes[-2:]):
        return False
    try:
        records = open_records(path)
        records.up_to(1)
        return bool(first := records.raw(0, 1)) and bool(read_record(first[0]).shape)
    except (TokenloupeError, RecordError):
        return False


def _is_spread(first: bytes) -> bool:
    """Whether the file begins with an object that spans several lines."""
    line, _, rest = first.partition(b"\n")
    return line.strip() in (b"{", b"{\r") and bool(rest)


# Parsing a record


def shape_of(value: Mapping[str, Any]) -> str:
    """The shape of an object, by its keys that have a value.  Raises RecordError."""
    keys = {key for key, each in value.items() if each is not None}
    for shape, needed in KEYS:
        if keys.issuperset(needed):
            return shape
    names = ", ".join(quoted(str(key), 20) for key in list(value)[:6])
    raise RecordError(SHAPELESS, f"It has none of the known keys, but {names or 'no key at all'}.")


def read_record(raw: RawRecord, shape: str | None = None) -> Record:
    """Parse a record.  Raises RecordError."""
    doubled = list[str]()

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        entries = dict(pairs)
        if len(entries) < len(pairs):
            doubled.append("")
        return entries

    value = raw.content
    if isinstance(value, bytes):
        if len(value) > LONGEST_RECORD:
            raise RecordError(BROKEN, f"It is longer than {in_bytes(LONGEST_RECORD)}.")
        try:
            value = read_json(value, object_of=object_of)
        except UnicodeDecodeError:
            raise RecordError(BROKEN, "It is not UTF-8.") from None
        except ValueError as error:
            raise RecordError(BROKEN, f"It is not valid JSON: {quoted(str(error), 100)}.") from None
    if isinstance(value, list) and shape is None and value and isinstance(value[0], dict):
        value = {MESSAGES: value}
    if isinstance(value, str):
        value = {TEXT: value}
    if not isinstance(value, Mapping):
        raise RecordError(SHAPELESS, "It is not an object with messages, or another known shape.")
    try:
        record = READERS[shape or shape_of(value)](value)
    except ChatError as error:
        raise RecordError(EMPTY if "no messages" in str(error) else SHAPELESS, str(error)) from None
    return Record(**{**vars(record), "has_duplicate_key": bool(doubled)})


def _messages(value: Mapping[str, Any]) -> Record:
    return Record(MESSAGES, conversation_of(_needed(value, "messages"), value.get("tools")))


def _conversations(value: Mapping[str, Any]) -> Record:
    given = value.get("conversations", value.get("conversation"))
    if not isinstance(given, list):
        raise RecordError(SHAPELESS, "Its conversations are not a list.")
    messages = [_from_value(each) for each in given]
    if isinstance(system := value.get("system"), str) and system:
        messages.insert(0, {"role": "system", "content": system})
    return Record(CONVERSATIONS, conversation_of(messages, value.get("tools")))


def _from_value(message: Any) -> Any:
    if not isinstance(message, dict) or "from" not in message:
        return message
    role = message["from"]
    return {"role": ROLES.get(role, role) if isinstance(role, str) else role, "content": message.get("value")}


def _completion(value: Mapping[str, Any]) -> Record:
    return _parts(COMPLETION, value.get("prompt"), _needed(value, "completion"), value.get("tools"))


def _preference(value: Mapping[str, Any]) -> Record:
    prompt, chosen = value.get("prompt"), _needed(value, "chosen")
    if isinstance(prompt, str) and isinstance(chosen, list):
        prompt = [{"role": "user", "content": prompt}]
        first = chosen[0] if chosen else None
        prompt = [] if isinstance(first, dict) and first.get("role") != "assistant" else prompt
    other = value.get("rejected")
    tools = value.get("tools")
    record = _parts(PREFERENCE, prompt, chosen, tools)
    rejected = None if other is None else _parts(PREFERENCE, prompt, other, tools)
    return Record(
        **{**vars(record), "rejected": rejected and (rejected.conversation or rejected.text)},
    )


def _parts(shape: str, prompt: Any, completion: Any, tools: Any) -> Record:
    """A record of a prompt and a completion, each a text or messages."""
    if isinstance(completion, str) and isinstance(prompt, str | None):
        prompt = prompt or ""
        return Record(shape, None, len(prompt), prompt + completion)
    lists = [
        [{"role": role, "content": each}] if isinstance(each, str) else each if each is not None else []
        for role, each in (("user", prompt), ("assistant", completion))
    ]
    if not all(isinstance(each, list) for each in lists):
        raise RecordError(SHAPELESS, "Prompt and completion are neither texts nor lists of messages.")
    return Record(shape, conversation_of([*chain(*lists)], tools), len(lists[0]))


def _text(value: Mapping[str, Any]) -> Record:
    text = _needed(value, "text")
    if not isinstance(text, str):
        raise RecordError(SHAPELESS, "Its text is not a string.")
    return Record(TEXT, text=text)


def _needed(value: Mapping[str, Any], key: str) -> Any:
    if value.get(key) is None:
        raise RecordError(SHAPELESS, f"It has no “{key}”.")
    return value[key]


READERS: dict[str, Callable[[Mapping[str, Any]], Record]] = {
    MESSAGES: _messages,
    CONVERSATIONS: _conversations,
    COMPLETION: _completion,
    PREFERENCE: _preference,
    TEXT: _text,
}
