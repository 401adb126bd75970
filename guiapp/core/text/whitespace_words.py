"""Words between white space, which itself is dropped: all that models of kind `whitespace` do to a text."""

from __future__ import annotations

from guiapp.core.kernels.unicode_classes import lower
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText
from guiapp.core.text.unicode_tables import unicode_tables, whitespace
from guiapp.core.text.utf8 import characters, encode


def whitespace_words(text: bytes, lowercase: bool) -> tuple[NormalizedText, list[int]]:
    """The words side by side, and where each ends."""
    words = NormalizedBuilder()
    ends = [0]
    for start, end, code in characters(text):
        if code not in whitespace():
            words.append(encode(lower(unicode_tables(), code) if lowercase else code), start, end)
        elif len(words) > ends[-1]:
            ends.append(len(words))
    if len(words) > ends[-1]:
        ends.append(len(words))
    return words.build(), ends[1:]
