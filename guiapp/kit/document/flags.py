"""Flags of countries, which are two characters each, for Qt to find the graphemes of a text."""

from __future__ import annotations

import re

FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
UNTORN = "\U00010000\U000101fd"  # a letter and a mark on it


def with_untorn_flags(text: str) -> str:
    """The same text in as many UTF-16 units: QTextBoundaryFinder (Qt 6.11) tears flags behind other emoji."""
    return FLAG.sub(UNTORN, text)
