"""What readers of files have to say beside the vocabulary."""

from __future__ import annotations


class FileNote(str):
    """A sentence about a file: what was repaired, is odd, or is not followed.

    code  the same for all of a kind, and in all versions
    key   of the metadata that it is about, "" for none
    """

    __slots__ = ("code", "key")

    code: str
    key: str

    def __new__(cls, code: str, message: str, key: str = "") -> FileNote:
        made = super().__new__(cls, message)
        made.code, made.key = code, key
        return made

    def __getnewargs__(self) -> tuple[str, str, str]:  # type: ignore[override]  # str makes copies of the text alone
        return self.code, str(self), self.key
