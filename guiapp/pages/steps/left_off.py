"""Where work was left off, for as long as its text is not recorded again."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.kit.document.document import TextDocument
from guiapp.pages.steps.recording import Recording


class Paused(NamedTuple):
    """A step among those of the bytes [start, end) of the text; of none where nothing is recorded."""

    recorded: tuple[int, int] | None = None
    step: int = 0


class LeftOff:
    """A place in the present text that waits for its steps; with another text it is gone."""

    def __init__(self, document: TextDocument, recording: Recording) -> None:
        self._document = document
        self._recording = recording
        self._place, self._text = Paused(), b""

    @property
    def place(self) -> Paused:
        recorded = self._place.recorded
        is_there = recorded is not None and self._document.slice(*recorded) == self._text
        return self._place if is_there else Paused()

    def wait_for(self, place: Paused) -> None:
        """Have the part recorded next that the place is in."""
        self._place = place
        if place.recorded is not None:
            self._text = self._document.slice(*place.recorded)
            self._recording.want(*place.recorded)

    def arrive(self, text: bytes) -> int | None:
        """The step to go to among those of a recorded text, if that is what was waited for."""
        place, self._place = self._place, Paused()
        is_this = place.recorded is not None and self._text.startswith(text)  # or what it begins with
        return place.step if is_this else None
