"""Fetch the file of an address: of a GGUF only the header, of other formats the whole file.

The header is requested in growing ranges.  A server without range support sends the file from its start;
the connection is closed when enough has arrived.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from guiapp.core.formats import gguf
from guiapp.core.formats.file_bytes import MEMORY_LIMIT_BYTES, MOST_BYTES, USUAL_HEADER_BYTES, MoreNeededError
from guiapp.core.formats.table import HEAD_BYTES
from guiapp.core.sources.cached import CachedFile, cached, keep, path_of
from guiapp.core.sources.web import (
    USUAL_LIMITS,
    Limits,
    NoAnswerError,
    Transfer,
    WebResponse,
    host_of,
    whole_number,
)
from guiapp.core.vocabulary.opening import Opening
from guiapp.errors import VocabError

FIRST_BYTES = 1 << 20
GROWTH = 4  # the part that has been read grows by this factor with each range
RANGE = re.compile(r"bytes (\S+)-(\S+)/(\S+)")
UNKNOWN_SIZE = 1 << 50  # larger than any file


def fetched(url: str, opening: Opening, limits: Limits = USUAL_LIMITS) -> CachedFile:
    """The file of an address, or the first part of a GGUF; an unchanged cached file is not sent again.

    If the server cannot be reached, the cached file is used.  Raises VocabError.
    """
    old = cached(url)
    asking = {**(old.validators if old else {}), "Range": f"bytes=0-{FIRST_BYTES - 1}"}
    transfer = Transfer(url, limits)
    try:
        with transfer.get(asking) as answer:
            if answer.status == 304:
                if old is None:
                    raise VocabError(f"{host_of(url)} sent no file. Try again later.")
                return old
            return _taken(url, transfer, answer, opening)
    except NoAnswerError as error:
        if old is None:
            raise
        return old._replace(why_old=str(error))
    except OSError as error:
        where = error.filename or path_of(url).parent
        raise VocabError(f"{where} cannot be written: {error.strerror}.") from error


def _taken(url: str, transfer: Transfer, answer: WebResponse, opening: Opening) -> CachedFile:
    with _new_file(path_of(url)) as (path, file):
        incoming = _Incoming(url, transfer, answer, file, opening)
        incoming.take(HEAD_BYTES)
        file.flush()
        if gguf.sniff(path.read_bytes()[:HEAD_BYTES]):
            _take_header(incoming, path)
        else:
            if (incoming.whole_bytes or 0) <= MOST_BYTES:
                incoming.take(MOST_BYTES)
            if not incoming.is_whole:
                raise VocabError(
                    f"The file on {host_of(url)} is larger than any tokenizer. Choose another one."
                )
        file.close()
        return keep(url, path, incoming.whole_bytes, answer.headers)


def _take_header(incoming: _Incoming, path: Path) -> None:
    """Fetch more until the header can be read.  Raises VocabError for a broken header."""
    size = FIRST_BYTES
    while True:
        incoming.take(size)
        try:
            return gguf.check_front(path, incoming.whole_bytes or UNKNOWN_SIZE)
        except MoreNeededError as error:
            if incoming.is_whole or size > MEMORY_LIMIT_BYTES:
                raise VocabError(f"{error} The file on the server ends there too.") from error
        size *= GROWTH


class _Incoming:
    """A file that arrives from its start, as far as requested.

    whole_bytes  its size, if the server reports it
    is_whole     whether the complete file has arrived
    """

    def __init__(
        self, url: str, transfer: Transfer, first: WebResponse, file: BinaryIO, opening: Opening
    ) -> None:
        self._url, self._transfer, self._file, self._opening = url, transfer, file, opening
        self._n_taken = 0
        self._has_ranges = first.status == 206
        self._identity = _identity_of(first)
        self.whole_bytes, self._end = self._sizes_of(first, FIRST_BYTES)
        self._body = first.body
        self.is_whole = False

    def take(self, n_bytes: int) -> None:
        """Fetch until the file has at least `n_bytes` bytes or is complete."""
        while self._n_taken < n_bytes and not self.is_whole:
            chunk = next(self._body, None) if self._n_taken < self._end else None
            if chunk is not None:
                self._write(chunk[: self._end - self._n_taken])
            elif not self._has_ranges or self._n_taken == self.whole_bytes:
                self.is_whole = True
            else:
                self._ask_for_more(n_bytes)
        self._file.flush()

    def _write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._n_taken += len(chunk)
        self.is_whole = self._n_taken == self.whole_bytes
        self._opening.download(
            min(1.0, self._n_taken / min(self.whole_bytes or UNKNOWN_SIZE, USUAL_HEADER_BYTES))
        )

    def _ask_for_more(self, n_bytes: int) -> None:
        start = self._n_taken
        with self._transfer.get({"Range": f"bytes={start}-{n_bytes - 1}"}) as answer:
            whole_bytes, end = self._sizes_of(answer, n_bytes)
            same = _identity_of(answer) == self._identity and whole_bytes == self.whole_bytes
            if answer.status != 206 or not same:
                raise VocabError(f"The file on {host_of(self._url)} changed during the download. Try again.")
            while self._n_taken < end and (chunk := next(answer.body, None)) is not None:
                self._write(chunk[: end - self._n_taken])
        if self._n_taken == start:
            raise VocabError(f"{host_of(self._url)} stopped sending. Try again later.")

    def _sizes_of(self, answer: WebResponse, asked_end: int) -> tuple[int | None, int]:
        """The size of the whole file, if the server reports it, and the end of the part that it sends."""
        is_packed = answer.headers.get("Content-Encoding", "identity") != "identity"
        if answer.status == 206:
            found = RANGE.fullmatch(answer.headers.get("Content-Range", ""))
            start, last, whole = map(whole_number, found.groups()) if found else (None, None, None)
            end = min(asked_end, -1 if last is None else last + 1)
            is_known = found is not None and found[3] != "*"
            if start != self._n_taken or end < start or is_packed or (is_known and end > (whole or 0)):
                raise VocabError(
                    f"{host_of(self._url)} sent a different part than requested. Try again later."
                )
            return whole, end
        whole = whole_number(answer.headers.get("Content-Length", ""))
        return None if is_packed else whole, UNKNOWN_SIZE


def _identity_of(answer: WebResponse) -> tuple[str | None, str | None]:
    """The response headers that change with the file, if the server sends them."""
    return answer.headers.get("ETag"), answer.headers.get("Last-Modified")


@contextmanager
def _new_file(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """A temporary file of the same name in a nearby folder; deleted afterwards unless it was moved."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=path.parent, prefix="fetching-") as folder:
        new = Path(folder, path.name)
        with new.open("wb") as file:
            yield new, file
