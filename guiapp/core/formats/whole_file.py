"""A file of a tokenizer, read whole."""

from __future__ import annotations

from pathlib import Path

from guiapp.core.vocabulary.header_bytes import FileState, open_regular, state_of
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.quoting import quoted
from guiapp.errors import NOT_USABLE, VocabError
from guiapp.native.checkpoint import checkpoint

MOST_BYTES = 1 << 28  # several times what any tokenizer has
CHUNK_BYTES = 4 << 20


class WholeFile:
    """The bytes of a file, and errors about it.

    data   bytes  all of it
    state  what identifies this content
    """

    def __init__(self, path: Path, opening: Opening) -> None:
        """Raises VocabError for a file that cannot be read, or is larger than any tokenizer."""
        self.path, self.name = path, quoted(path.name)
        with open_regular(path) as file:
            self.state: FileState = state_of(file)
            if self.state.size_bytes > MOST_BYTES:
                raise self.error(
                    f"is {self.state.size_bytes:,} bytes long", f"At most {MOST_BYTES:,} are read."
                )
            chunks, size = [], 0
            try:
                while chunk := file.read(min(CHUNK_BYTES, self.state.size_bytes + 1 - size)):
                    chunks.append(chunk)
                    size += len(chunk)
                    opening.read_header(min(1.0, size / max(1, self.state.size_bytes)))
                    checkpoint()
            except OSError as error:
                raise self.error(
                    f"cannot be read: {error.strerror}", "Check the disk or copy the file."
                ) from error
        if size != self.state.size_bytes:
            raise self.error("changed while it was read", "Wait until it is complete; open it again.")
        self.data = b"".join(chunks)

    def error(
        self, what: str, advice: str = "Download it again, or choose another file.", code: str = NOT_USABLE
    ) -> VocabError:
        return VocabError(f"{self.name} {what}. {advice}", code)
