"""From token ids to text by the decoder of a file of Hugging Face's `tokenizers`.

Source: https://github.com/huggingface/tokenizers, tokenizers/src/tokenizer/mod.rs, `decode`.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.core.hugging_face.decoders import ByteLevel, keeping_bytes
from guiapp.core.vocabulary import byte_alphabet
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.detokenizer import Decoder
from guiapp.native.model_files import BYTE_STAND_INS, spell_out

USUAL_BYTES = 8  # of a token, at most


class PartsDecoding:
    """Decodes by the parts of one vocabulary.  Threads may share it."""

    def __init__(self, vocabulary: Vocabulary, parts: Parts) -> None:
        self._parts = parts
        self._data, self._offsets = vocabulary.token_data, vocabulary.token_offsets
        self._normalized = {
            token.token_id: token.searched for token in parts.added_tokens if token.searched != token.content
        }
        self._keeping_bytes = keeping_bytes(parts.decoder)
        self._is_token = vocabulary.attributes != Attribute.UNUSED
        self._is_shown = self._is_token.copy()
        special = {token.content for token in parts.added_tokens if token.special}
        for token in parts.added_tokens:
            if token.searched in special:
                self._is_shown[token.token_id] = False

    def decode(
        self, ids: NDArray[np.int32], remove_special: bool, unparse_special: bool, is_text: bool
    ) -> bytes:
        """The bytes of some ids; those that stand for nothing are left out.

        `remove_special` leaves out the ids that are put around texts; `is_text`: see `detokenize`.
        """
        before, after = self._parts.before, self._parts.after
        if remove_special and before and tuple(ids[: len(before)].tolist()) == before:
            ids = ids[len(before) :]
        if remove_special and after and tuple(ids[-len(after) :].tolist()) == after:
            ids = ids[: -len(after)]
        ids = ids[(self._is_token if unparse_special else self._is_shown)[ids]]
        if isinstance(self._parts.decoder, ByteLevel) and not self._normalized:
            data: bytes = self._joined.decode(ids, len(ids) * USUAL_BYTES).tobytes()
            return data.decode("utf-8", "replace").encode() if is_text else data
        texts = list(map(self._text, ids.tolist()))
        with suppress(UnicodeEncodeError):  # regular expressions take characters only
            if not is_text:
                return self._keeping_bytes.decode(texts).encode(errors="surrogateescape")
        return self._parts.decoder.decode(texts).encode()

    def _text(self, token_id: int) -> str:
        start, end = self._offsets[token_id : token_id + 2]
        return self._normalized.get(token_id) or self._data[start:end].tobytes().decode()

    @cached_property
    def _joined(self) -> Decoder:
        """What a ByteLevel decoder makes of each token: bytes, or its text if a character stands for none."""
        data, offsets = self._data, self._offsets
        codes = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), np.uint32)
        stands_for_none = byte_alphabet.BYTES[np.minimum(codes, len(byte_alphabet.BYTES) - 1)] < 0
        stands_for_none |= codes >= len(byte_alphabet.BYTES)
        places = np.flatnonzero(data & 0xC0 != 0x80)[stands_for_none]
        kinds = np.full(len(offsets) - 1, Attribute.NORMAL, np.uint16)
        kinds[np.searchsorted(offsets, places, "right") - 1] = Attribute.USER_DEFINED  # taken as they are
        spelled, ends, size = spell_out(
            (data, offsets), kinds, BYTE_STAND_INS, byte_alphabet.BYTES, False, len(data)
        )
        return Decoder(spelled[:size], ends)


def decoding_of(vocabulary: Vocabulary) -> PartsDecoding:
    """Of a vocabulary that has parts; made once, and kept with it."""
    assert vocabulary.parts is not None
    known = vars(vocabulary)
    found: PartsDecoding = known.get("decoding") or PartsDecoding(vocabulary, vocabulary.parts)
    known["decoding"] = found
    return found
