"""Something to find out about the whole text, in the background, once typing has paused."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.token_store import Options
from guiapp.core.text.figures import percent
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.state.background import LatestJob, Progress, later

if TYPE_CHECKING:
    from guiapp.analysis.explain.encoder_agreement import EncoderAgreement, FirstDifference, Piece
    from guiapp.core.encode.tokenizer import Tokenizer

SHOWN_PIECES = 6
SHOWN_BYTES = 24
Found = TypeVar("Found")
Job = Callable[[Progress], Found]

PAUSE_MS = 150  # typing goes on meanwhile


class TextCheck(QObject, Generic[Found]):
    """Asks for what to do, does it, and forgets what it found as soon as the text changes.

    result  None while it is not known

    Signals:
        changed(): `result` is new.
        failed(str): why it cannot be found out.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.result: Found | None = None
        self._job = LatestJob[Found](self, self._set, self.failed)
        self._pause = later(self, PAUSE_MS, self._start)
        self._prepare: Callable[[], Job[Found] | None] | None = None

    def check(self, prepare: Callable[[], Job[Found] | None]) -> None:
        """Find out soon; `prepare` is asked for what to do once typing has paused, None for nothing."""
        self._prepare = prepare
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
        job = None if self._prepare is None else self._prepare()
        if job is not None:
            self._job.start(job)

    def _set(self, result: Found | None) -> None:
        if result != self.result:
            self.result = result
            self.changed.emit()


# How far an approximate encoder can be trusted on the present text


def explained(agreement: EncoderAgreement) -> str:
    """What was found, for people."""
    if agreement.first_difference is None:
        return "On this text it gives exactly the tokens of the exact encoder."
    approximated = f"{agreement.n_shared:,} of {agreement.n_exact:,}"
    return (
        f"On this text it gives {percent(agreement.share, 1)} of the exact encoder's tokens "
        f"({approximated}).\n\n"
        f"{_described(agreement.first_difference)}"
    )


def _described(first_difference: FirstDifference) -> str:
    approximated, exact = _shown(first_difference.approximated), _shown(first_difference.exact)
    return f"They first differ at byte {first_difference.start:,}:\nshown\t{approximated}\nexact\t{exact}"


def _shown(pieces: tuple[Piece, ...]) -> str:
    shown = " ┆ ".join(f"{visible_text(text, SHOWN_BYTES)}" for _, text in pieces[:SHOWN_PIECES])
    return f"{shown} …" if len(pieces) > SHOWN_PIECES else shown


def compared(tokenizer: Tokenizer, text: bytes, options: Options, progress: Progress) -> EncoderAgreement:
    """Encode the text, and by the exact encoder too, and compare."""
    from guiapp.analysis.explain.encoder_agreement import compare  # time that starting does not have

    exact_name = next(name for name, algorithm in tokenizer.encoders.items() if algorithm.exact)
    exact = tokenizer.encode(text, options.add_special, options.parse_special, exact_name)
    progress(0.4)
    approximated = tokenizer.encode(text, options.add_special, options.parse_special, options.encoder)
    progress(0.8)
    return compare(approximated, exact)
