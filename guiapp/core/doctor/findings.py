"""What the doctor finds, as values; and what it looks at."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from guiapp.core.chat.templates import ChatTemplate, templates_of
from guiapp.core.errors import EncodeError
from guiapp.core.formats.gguf import embedding_rows
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import Vocabulary

ERROR, WARNING, HINT = "error", "warning", "hint"
SEVERITIES = (ERROR, WARNING, HINT)
GGUF = "GGUF"
CONVERT = "Convert the model again from its original files, with a newer converter."
DOWNLOAD = "Download the file again, or mend it by hand."


class Change(NamedTuple):
    """A text, and its ids before and after the mending; `after` is None where only a conversion can tell."""

    text: str
    before: tuple[int, ...]
    after: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a tokenizer, or odd.

    code      the same for all of a kind, and in all versions
    severity  ERROR: texts get other ids than the model learned, or none; WARNING: some may; HINT: odd
    what      sentences, with what the file says quoted
    remedy    what mends it: a command, a key, or a sentence
    changes   None where there is no one text to show
    """

    code: str
    severity: str
    what: str
    remedy: str = CONVERT
    changes: Change | None = None


@dataclass(frozen=True, eq=False)
class Patient:
    """A tokenizer with what its files say besides."""

    tokenizer: Tokenizer

    @property
    def vocabulary(self) -> Vocabulary:
        return self.tokenizer.vocabulary

    @property
    def is_gguf(self) -> bool:
        return self.vocabulary.format == GGUF

    @cached_property
    def texts(self) -> list[str]:
        """All tokens as the file spells them."""
        data, offsets = self.vocabulary.token_data.tobytes(), self.vocabulary.token_offsets.tolist()
        return [data[start:end].decode("utf-8", "replace") for start, end in pairwise(offsets)]

    @cached_property
    def specials(self) -> dict[str, int]:
        """The tokens that are cut out of texts."""
        return {self.texts[row]: row for row in self.tokenizer.special_tokens.searched_for(True).tolist()}

    @cached_property
    def templates(self) -> tuple[ChatTemplate, ...]:
        return templates_of(self.vocabulary)

    @cached_property
    def embedding_rows(self) -> int | None:
        path = self.vocabulary.path
        return embedding_rows(path) if self.is_gguf and path is not None else None

    def ids(self, text: str | bytes, add_special: bool = False) -> tuple[int, ...]:
        """Of a text; none where the tokenizer refuses it."""
        try:
            return tuple(self.tokenizer.encode(text, add_special, True).token_ids.tolist())
        except EncodeError:
            return ()

    def rows(self, bits: int) -> list[int]:
        """The tokens with one of these attributes."""
        found: list[int] = np.flatnonzero(self.vocabulary.attributes & bits).tolist()
        return found

    def new_metadata(self, options: str) -> str:
        """The command that writes a copy of a GGUF file with other metadata."""
        return new_metadata(self.vocabulary, options) if self.is_gguf else CONVERT


Check = Callable[[Patient], Iterator[Finding]]


def new_metadata(vocabulary: Vocabulary, options: str) -> str:
    name = "model.gguf" if vocabulary.path is None else vocabulary.path.name
    return f"gguf_new_metadata.py {options} {shlex.quote(name)} mended.gguf"
