"""Whole numbers that callers ask for."""

from __future__ import annotations

from operator import index
from typing import SupportsIndex

from guiapp.core.errors import EncodeError


def whole_number(given: SupportsIndex, what: str) -> int:
    """`given` as an int; EncodeError where it is none, with the name of what it was to be."""
    try:
        return index(given)
    except TypeError:
        raise EncodeError(f"“{given}” is no {what}. Choose a whole number.") from None
