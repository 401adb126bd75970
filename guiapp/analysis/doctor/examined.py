"""A model under examination, with the values that several checks need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from guiapp.analysis.chat.templates import ChatTemplate, templates_of
from guiapp.analysis.doctor.findings import CONVERT, Finding, Tokenization, TokenizationChange
from guiapp.core.encode.encoding import as_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.gguf import embedding_rows
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.remedies import GGUF
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.model_files import sliced


@dataclass(frozen=True, eq=False)
class ExaminedModel:
    """A tokenizer with further facts from its files, and its original if given."""

    tokenizer: Tokenizer
    original: Tokenizer | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        return self.tokenizer.vocabulary

    @property
    def is_gguf(self) -> bool:
        return self.vocabulary.format == GGUF

    @cached_property
    def texts(self) -> list[str]:
        """The spellings of all tokens in the file."""
        texts = sliced(self.vocabulary.token_data, self.vocabulary.token_offsets)
        return [text.decode("utf-8", "replace") for text in texts]

    @cached_property
    def bracketed(self) -> list[int]:
        """The tokens that begin with < or [, like markers and padding."""
        data, offsets = self.vocabulary.token_data, self.vocabulary.token_offsets
        rows = np.flatnonzero(np.diff(offsets))
        result: list[int] = rows[np.isin(data[offsets[rows]], (ord("<"), ord("[")))].tolist()
        return result

    @cached_property
    def templates(self) -> tuple[ChatTemplate, ...]:
        return templates_of(self.vocabulary)

    @cached_property
    def in_templates(self) -> frozenset[int]:
        """The special tokens that templates write."""
        search, ids = self.tokenizer.special_tokens, set[int]()
        for template in self.templates:
            text = bytearray(template.text.encode("utf-8", "replace"))
            ids.update(search.partition(np.frombuffer(text, np.uint8), True).ids.tolist())
        return frozenset(ids)

    @property
    def reads_only(self) -> bool:
        """Whether the model generates no text, such as an embedding model."""
        items = self.vocabulary.metadata.items()
        is_not_causal = any(key.endswith(".attention.causal") and value is False for key, value in items)
        return is_not_causal or "bert" in self.vocabulary.architecture

    @cached_property
    def embedding_rows(self) -> int | None:
        path = self.vocabulary.path
        return embedding_rows(path) if self.is_gguf and path is not None else None

    def cut(self, text: str, add_special: bool = False) -> Tokenization:
        """The tokens of a text; empty if the tokenizer refuses it."""
        try:
            encoding = self.tokenizer.encode(as_bytes(text), add_special, True)
        except EncodeError:
            return Tokenization()
        return Tokenization(tuple(encoding.token_ids.tolist()), tuple(map(tuple, encoding.spans.tolist())))

    def rows(self, bits: int) -> list[int]:
        """The tokens with any of these attributes."""
        result: list[int] = np.flatnonzero(self.vocabulary.attributes & bits).tolist()
        return result

    def about(
        self,
        rows: Sequence[int],
        code: str,
        severity: str,
        sentence: str,
        remedy: str = CONVERT,
        changes: TokenizationChange | None = None,
    ) -> Finding:
        """A finding about some tokens; the sentence is about the first, a second one counts the others."""
        what = f"Token “{quoted(self.texts[rows[0]])}” (id {rows[0]}): {sentence}"
        if n_more := len(rows) - 1:
            what += f" The same is true of {counted(n_more, 'other token')}."
        return Finding(code, severity, what, remedy, changes, tuple(rows))


Check = Callable[[ExaminedModel], Iterator[Finding]]
