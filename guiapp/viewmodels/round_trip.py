"""Whether the tokens of a text give that text back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.core.tokenizer import Tokenizer
from guiapp.viewmodels.background import LatestJob, Progress

PAUSE_MS = 150  # typing goes on meanwhile
SHOWN_BYTES = 16


@dataclass(frozen=True)
class RoundTripResult:
    """What decoding the tokens of a text gave.

    offset    the first byte that differs, None where all are the same
    expected  the text from there on, at most SHOWN_BYTES
    decoded   what came instead
    """

    offset: int | None
    expected: bytes = b""
    decoded: bytes = b""

    @property
    def is_same(self) -> bool:
        return self.offset is None


class RoundTripInput(NamedTuple):
    """A text and its tokens, without BOS and the like around them."""

    tokenizer: Tokenizer
    text: bytes
    token_ids: NDArray[np.int32]


class RoundTrip(QObject):
    """Decodes the tokens in the background and compares.

    Signals:
        changed(): `result` is new.
        failed(str): why the tokens cannot be decoded.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._result: RoundTripResult | None = None
        self._job = LatestJob[RoundTripResult](self)
        self._job.done.connect(self._take)
        self._job.failed.connect(self.failed)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._start)
        self._snapshot: Callable[[], RoundTripInput | None] | None = None

    @property
    def result(self) -> RoundTripResult | None:
        """None while it is not known."""
        return self._result

    def check(self, snapshot: Callable[[], RoundTripInput | None]) -> None:
        """Find out soon; `snapshot` is asked for what to compare once typing has paused."""
        self._snapshot = snapshot
        self._pause.start()

    def forget(self) -> None:
        """The text has changed: the old answer holds no more."""
        self._pause.stop()
        self._job.cancel()
        self._set(None)

    def wait(self) -> None:
        """Stop, and wait for the thread; for closing."""
        self._pause.stop()
        self._job.wait()

    def _start(self) -> None:
        given = None if self._snapshot is None else self._snapshot()
        if given is not None:
            self._job.start(partial(compare, *given))

    def _take(self, result: RoundTripResult) -> None:
        self._set(result)

    def _set(self, result: RoundTripResult | None) -> None:
        if result != self._result:
            self._result = result
            self.changed.emit()


def compare(
    tokenizer: Tokenizer,
    text: bytes,
    token_ids: NDArray[np.int32],
    progress: Progress = lambda share: None,
) -> RoundTripResult:
    """Decode the tokens and look for the first byte that is not the text's."""
    decoded = tokenizer.decode_bytes(token_ids)
    progress(0.9)
    offset = first_difference(text, decoded)
    if offset is None:
        return RoundTripResult(None)
    stretch = slice(offset, offset + SHOWN_BYTES)
    return RoundTripResult(offset, text[stretch], decoded[stretch])


def first_difference(one: bytes, other: bytes) -> int | None:
    """Where two byte strings part; None if they are the same."""
    if one == other:
        return None
    size = min(len(one), len(other))
    differs = np.frombuffer(one, np.uint8)[:size] != np.frombuffer(other, np.uint8)[:size]
    return int(differs.argmax()) if differs.any() else size
