"""A vocabulary as a SentencePiece model file, so that SentencePiece itself can be compared with.

Written by hand in protobuf's wire format; fields as in sentencepiece_model.proto.
"""

from __future__ import annotations

import struct

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

VARINT, BYTES, FLOAT = 0, 2, 5
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
PIECE_TYPES = {
    Attribute.UNKNOWN: UNKNOWN,
    Attribute.CONTROL: CONTROL,
    Attribute.BYTE: BYTE,
    Attribute.USER_DEFINED: USER_DEFINED,
    Attribute.UNUSED: UNUSED,
}
UNIGRAM_MODEL, PAIR_MODEL = 1, 2


def sentencepiece_model(vocabulary: Vocabulary) -> bytes:
    """The bytes of a `.model` file with the pieces, scores and normaliser of an SPM or UGM vocabulary."""
    pieces = b"".join(_message(1, _piece(vocabulary, token)) for token in range(len(vocabulary)))
    rules = vocabulary.rules
    model_type = UNIGRAM_MODEL if vocabulary.type is VocabType.UGM else PAIR_MODEL
    has_bytes = int((vocabulary.attributes & Attribute.BYTE != 0).sum()) == 256
    trainer = _number(3, model_type) + _number(35, has_bytes)  # model_type, byte_fallback
    normalizer = (
        _message(1, b"as in the file")  # name
        + _message(2, vocabulary.charsmap.tobytes())  # precompiled_charsmap
        + _number(3, rules.add_space_prefix)  # add_dummy_prefix
        + _number(4, rules.remove_extra_whitespaces)
        + _number(5, 1)  # escape_whitespaces
    )
    return pieces + _message(2, trainer) + _message(3, normalizer)


def _piece(vocabulary: Vocabulary, token: int) -> bytes:
    attributes = Attribute(int(vocabulary.attributes[token]))
    kind = next((number for bit, number in PIECE_TYPES.items() if bit in attributes), NORMAL)
    score = _key(2, FLOAT) + struct.pack("<f", vocabulary.score(token))
    return _message(1, vocabulary.raw_text(token)) + score + _number(3, kind)


def _message(field: int, data: bytes) -> bytes:
    return _key(field, BYTES) + _varint(len(data)) + data


def _number(field: int, value: int) -> bytes:
    return _key(field, VARINT) + _varint(value)


def _key(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    groups.append(value)
    return bytes(groups)
