"""Kinds of tokens."""

from __future__ import annotations

from enum import IntFlag

import numpy as np


class Attribute(IntFlag):
    """The purpose of a token, as bits that can combine."""

    UNKNOWN = 1
    UNUSED = 2
    NORMAL = 4
    CONTROL = 8
    USER_DEFINED = 16
    BYTE = 32
    NORMALIZED = 64
    LSTRIP = 128
    RSTRIP = 256
    SINGLE_WORD = 512


KINDS = {
    Attribute.CONTROL: "control",
    Attribute.UNKNOWN: "unknown",
    Attribute.USER_DEFINED: "user-defined",
    Attribute.BYTE: "byte",
    Attribute.UNUSED: "unused",
    Attribute.NORMAL: "normal",
}
KIND_NAMES = (*KINDS.values(), "undefined")

ATTRIBUTE_OF_TYPE = np.array(
    [
        0,
        Attribute.NORMAL,
        Attribute.UNKNOWN,
        Attribute.CONTROL,
        Attribute.USER_DEFINED,
        Attribute.UNUSED,
        Attribute.BYTE,
    ],
    np.uint16,
)
"""By token_type, the number of a kind of token in GGUF files."""

NORMAL_TYPE, UNKNOWN_TYPE, CONTROL_TYPE, USER_DEFINED_TYPE, UNUSED_TYPE, BYTE_TYPE = range(1, 7)
