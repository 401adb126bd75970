"""Text word by word, by WordPiece or Unigram; words that were met before are looked up."""

from __future__ import annotations

from functools import partial

import numpy as np

from guiapp.errors import EncodeError
from guiapp.native.binding import SHORT_TEXT, Bytes, Handle, Ints, Pool, WideInts, function
from guiapp.native.unigram import Unigram
from guiapp.native.wordpiece import WordPieceHandle

_word_encoder_new = function("word_encoder_new(handle, handle) -> handle")
_word_encoder_encode = function("word_encoder_encode(handle, bytes, >ints)")
_word_encoder_encode_each = function("word_encoder_encode_each(handle, bytes, wide_ints, >wide_ints)")
_word_encoder_copy = function("word_encoder_copy(handle, >ints) -> nothing")


class WordEncoders:
    """Encodes text word by word; words that were met before are looked up.  Threads may share it."""

    def __init__(self, model: WordPieceHandle | Unigram) -> None:
        self._encoders = Pool(partial(_WordEncoder, model))
        self._encoders.prepare()

    def encode(self, text: Bytes) -> Ints:
        """The ids of a text.  Raises EncodeError where the character map makes too much of a word."""
        encoder = self._encoders.take()
        count = _word_encoder_encode(encoder, text, encoder.ids)
        ids = encoder.ids[:count].copy() if 0 <= count <= len(encoder.ids) else encoder.copied(count)
        self._encoders.idle.append(encoder)
        return ids

    def encode_each(self, texts: Bytes, ends: WideInts) -> tuple[Ints, WideInts]:
        """The ids of texts side by side, and how many each has; errors as for `encode`."""
        encoder, counts = self._encoders.take(), np.empty(len(ends), np.int64)
        ids = encoder.copied(_word_encoder_encode_each(encoder, texts, ends, counts))
        self._encoders.idle.append(encoder)
        return ids, np.diff(counts, prepend=0)


class _WordEncoder(Handle, free="word_encoder_free"):
    """Encodes one text after the other, for one thread at a time.

    ids  room for those of a short text
    """

    def __init__(self, model: WordPieceHandle | Unigram) -> None:
        models = (None, model) if isinstance(model, Unigram) else (model, None)
        super().__init__(_word_encoder_new(*models), model)
        self.ids = np.empty(SHORT_TEXT, np.int32)

    def copied(self, count: int) -> Ints:
        """The ids of the last text."""
        if count < 0:
            raise EncodeError("The file's character map makes too much of a word. Encode a shorter text.")
        ids = np.empty(count, np.int32)
        _word_encoder_copy(self, ids)
        return ids
