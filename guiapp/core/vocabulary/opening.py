"""The stages of opening a model, the share of the work at which each begins, and notes about the file."""

from __future__ import annotations

from bisect import bisect_right

from guiapp.native.checkpoint import Progress

FILE, DOWNLOAD, HEADER, TENSORS, METADATA, MERGES, CHARACTERS, TOKENS, SPECIAL, ENCODERS, TABLES = (
    "file",
    "download",
    "header",
    "list of tensors",
    "metadata",
    "merge rules",
    "character map",
    "tokens",
    "special tokens",
    "encoders",
    "tables",
)
STARTS = {
    FILE: 0.0,  # searched for, if a model is given by name
    DOWNLOAD: 0.02,  # of files that are not on this machine
    HEADER: 0.125,
    TENSORS: 0.25,
    METADATA: 0.3125,
    MERGES: 0.375,
    CHARACTERS: 0.4375,
    TOKENS: 0.5,
    SPECIAL: 0.625,
    ENCODERS: 0.75,
    TABLES: 0.875,  # made if texts will be encoded at once
}
MOST_APART = 0.001  # rounding error of a share that is counted in thousandths


def stage_of(share: float) -> str:
    """The name of the stage at a share of the work."""
    return list(STARTS)[bisect_right([*STARTS.values()], share + MOST_APART) - 1]


class Opening:
    """The progress of opening a model, reported to `progress`; an exception from it stops the work.

    whole_bytes  the size of the file, if only its beginning is on this machine
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.whole_bytes: int | None = None
        self._share = 0.0

    def begin(self, stage: str) -> None:
        self._share = STARTS[stage]
        self.report()

    def download(self, share: float) -> None:
        """This share of a usual header, or of the whole file, is downloaded."""
        self._share = STARTS[DOWNLOAD] + share * (STARTS[HEADER] - STARTS[DOWNLOAD])
        self.report()

    def read_header(self, share: float) -> None:
        """This share of a usual header is read."""
        self._share = STARTS[HEADER] + share * (STARTS[TENSORS] - STARTS[HEADER])
        self.report()

    def end(self) -> None:
        self._share = 1.0
        self.report()

    def report(self) -> None:
        self._progress(self._share)


class FileNote(str):
    """A sentence about a file: something repaired, odd, or not followed.

    code  identifies the kind of note, the same in all versions
    key   the metadata key that it is about, "" for none
    """

    __slots__ = ("code", "key")

    code: str
    key: str

    def __new__(cls, code: str, message: str, key: str = "") -> FileNote:
        made = super().__new__(cls, message)
        made.code, made.key = code, key
        return made

    def __getnewargs__(self) -> tuple[str, str, str]:  # type: ignore[override]  # str copies only the text
        return self.code, str(self), self.key
