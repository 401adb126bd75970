"""A vocabulary as a SentencePiece model file, so that SentencePiece itself can be compared with.

Written by hand in protobuf's wire format; fields as in sentencepiece_model.proto.
"""

from __future__ import annotations

import struct

from guiapp.core.vocab.vocabulary import Attribute, Vocabulary

VARINT, BYTES, FLOAT = 0, 2, 5
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
PIECE_TYPES = {
    Attribute.UNKNOWN: UNKNOWN,
    Attribute.CONTROL: CONTROL,
    Attribute.BYTE: BYTE,
    Attribute.USER_DEFINED: USER_DEFINED,
    Attribute.UNUSED: UNUSED,
}
MODEL_TYPE_BPE = 2


def sentencepiece_model(vocabulary: Vocabulary) -> bytes:
    """The bytes of a `.model` file with the pieces and scores of an SPM vocabulary, and no normalising."""
    pieces = b"".join(_message(1, _piece(vocabulary, token)) for token in range(len(vocabulary)))
    trainer = _number(3, MODEL_TYPE_BPE) + _number(35, 1)  # model_type, byte_fallback
    adds_space = vocabulary.rules.add_space_prefix
    # name, precompiled_charsmap, add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces
    normalizer = (
        _message(1, b"identity") + _message(2, b"") + _number(3, adds_space) + _number(4, 0) + _number(5, 1)
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
