"""The JSON of tokenizers, its long parts as arrays: a Python object for each token and rule takes longer.

What these parts hold that the native reader does not take is read as other JSON is.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.system.outside_json import read_json
from guiapp.native.model_files import json_ranks, json_texts
from guiapp.native.normalized import repair
from guiapp.native.strings import Packed

RANKS = re.compile(rb'"vocab"\s*:\s*(?=\[)')
LONG_PARTS = re.compile(rb'"(?:(vocab)"\s*:\s*(?=\{)|(merges)"\s*:\s*(?=\[))')
STAND_IN, QUOTED_STAND_IN = "\0", b'"\\u0000"'  # where a long part was
SURROGATE = re.compile(rb"\xed[\xa0-\xbf]")


class PackedTexts(NamedTuple):
    """Many texts one behind the other, as `packed` lays them out.

    numbers    int64[n]: one for each, or none at all
    are_pairs  whether two that follow each other belong together
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    numbers: NDArray[np.int64]
    are_pairs: bool


class RankedTexts(NamedTuple):
    """The bytes of many tokens, packed, and int64[n]: their ranks."""

    texts: Packed
    ranks: NDArray[np.int64]


def read_json_with_texts(data: bytes) -> Any:
    """What a JSON text says, but `vocab` and `merges` of its `model` may be Texts.

    Raises ValueError as `read_json` does.
    """
    shortened, parts_by_name = _without_long_parts(data)
    if parts_by_name:
        content = read_json(shortened, number_as_read_there)
        model = content.get("model") if isinstance(content, dict) else None
        if isinstance(model, dict) and all(model.get(name) == STAND_IN for name in parts_by_name):
            return content | {"model": model | parts_by_name}
    return read_json(data, number_as_read_there)


def read_json_with_ranks(data: bytes) -> Any:
    """What a JSON text says, but `vocab` may be a Ranks.  Raises ValueError as `read_json` does."""
    if (place := RANKS.search(data)) and _is_utf_8(data):
        read = json_ranks(np.frombuffer(data, np.uint8), place.end())
        if read is not None:
            content = read_json(b"".join([data[: place.end()], QUOTED_STAND_IN, data[read[2] :]]))
            if isinstance(content, dict) and content.get("vocab") == STAND_IN:
                return content | {"vocab": RankedTexts(*read[:2])}
    return read_json(data)


def number_as_read_there(text: str) -> float:
    """As serde_json reads it: digits and power of ten are rounded each by itself; that decides ties."""
    digits, _, power = text.lower().lstrip("-").partition("e")
    whole, _, fraction = digits.partition(".")
    exponent = (int(power) if power else 0) - len(fraction)
    if len(whole + fraction) > 19 or abs(exponent) > 300:
        return float(text)
    value = float(int(whole + fraction))
    value = value * 10.0**exponent if exponent >= 0 else value / 10.0**-exponent
    return -value if text.startswith("-") else value


def _without_long_parts(data: bytes) -> tuple[bytes, dict[str, PackedTexts]]:
    """A JSON text with stand-ins for the long parts that the native reader takes, and these."""
    if not _is_utf_8(data):
        return data, {}
    array = np.frombuffer(data, np.uint8)
    parts_by_name: dict[str, PackedTexts] = {}
    parts, done = list[bytes](), 0
    while place := LONG_PARTS.search(data, done):
        read = json_texts(array, place.end())
        name = (place[1] or place[2]).decode()
        if read is None or name in parts_by_name:
            return data, {}
        texts, numbers, end, n_pairs = read
        if n_pairs not in (0, len(texts[1]) // 2):
            return data, {}
        parts_by_name[name] = PackedTexts(*texts, numbers, n_pairs > 0)
        parts += [data[done : place.end()], QUOTED_STAND_IN]
        done = end
    return b"".join([*parts, data[done:]]), parts_by_name


def _is_utf_8(data: bytes) -> bool:
    return repair(np.frombuffer(data, np.uint8)) is None and not SURROGATE.search(data)
