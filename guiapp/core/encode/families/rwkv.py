"""RWKV vocabularies: greedy longest match over bytes, no normalisation."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens, as_bytes
from guiapp.core.encode.families.pipeline import (
    NO_TRACE,
    Bounds,
    CutTable,
    Pipeline,
    Tracer,
    after_steps,
    byte_pairs,
    tokens_from_steps,
    trace_whole,
)
from guiapp.core.encode.reference.longest_match import Taken, rwkv_steps
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP, Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.binding import NONE
from guiapp.native.encoders import TokenMatcher
from guiapp.native.special_tokens import CallOptions

NORMAL = np.uint16(Attribute.NORMAL)


class RwkvPipeline(Pipeline):
    """See `Pipeline`.

    Cuts between two bytes that never meet within a token are exact, but may be far apart.  Greedy matching
    offers more: from the start of any token on, the encoding depends only on the text from there on, and
    each token on at most `lookahead` bytes from its start.  So after an edit, encode from the last token that
    started `lookahead` bytes before it, until a token starts where an old one did after the edit: from there
    on the old tokens are valid.
    """

    encoders: tuple[str, ...] = ("rwkv",)

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        unknown = vocabulary.special_ids.unk
        self._unknown = NONE if unknown is None else unknown
        takes_all = vocabulary.library == LLAMA_CPP
        is_taken = np.ones(len(vocabulary), np.bool_) if takes_all else vocabulary.attributes & NORMAL != 0
        self._token_ids = np.flatnonzero(is_taken).astype(np.int32)

    def make_tables(self) -> None:
        _ = self._matcher

    @cached_property
    def _matcher(self) -> TokenMatcher:
        return TokenMatcher(*self._vocabulary.token_bytes_table, self._token_ids)

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        tokens = {self._vocabulary.token_bytes(token_id): token_id for token_id in self._token_ids.tolist()}
        tokens.pop(b"", None)
        return tokens

    @cached_property
    def lookahead(self) -> int:
        """The length of the longest token in bytes."""
        _, offsets = self._vocabulary.token_bytes_table
        return int(np.diff(offsets).max(initial=1))

    def encode(self, fragment: NDArray[np.uint8], after_special: bool, encoder: str) -> FragmentTokens:
        return self._encode(fragment, CallOptions())

    def _encode(self, text: NDArray[np.uint8], options: CallOptions) -> FragmentTokens:
        return self._checked(FragmentTokens(*self._matcher.encode_rwkv(text, self._unknown, options)))

    def fast_path(self, text: str | bytes, options: CallOptions) -> NDArray[np.int32] | None:
        data = as_bytes(text)
        if len(data) > options.most_bytes or options.before or options.after:
            return None
        return self._encode(np.frombuffer(data, np.uint8), options).ids

    def spans(self, text: NDArray[np.uint8], ids: NDArray[np.int32], options: CallOptions) -> Bounds:
        tokens = self._encode(text, options)
        return tokens.starts, tokens.ends

    def encode_readable(
        self, fragment: bytes, after_special: bool, encoder: str, tracer: Tracer = NO_TRACE
    ) -> FragmentTokens:
        trace_whole(tracer, fragment, None)
        steps = rwkv_steps(fragment, self._ids, self.lookahead, self._unknown)
        tokens = after_steps(steps, Taken(), tracer)
        tracer.end_piece(tokens)
        return self._checked(tokens_from_steps(tokens))

    @cached_property
    def _cut_table(self) -> CutTable:
        return ~byte_pairs(*self._vocabulary.token_bytes_table, self._token_ids)

    def _checked(self, tokens: FragmentTokens) -> FragmentTokens:
        if self._unknown == NONE and NONE in tokens.ids:
            at = int(tokens.starts[np.argmax(tokens.ids == NONE)])
            raise EncodeError(
                f"No token begins with the byte at offset {at:,} of this text, and the file has no valid "
                "tokenizer.ggml.unknown_token_id to put in its place. Fix the file, or change the text."
            )
        return tokens
