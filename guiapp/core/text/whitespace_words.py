"""Words between white space, which itself is dropped: how models of kind `whitespace` begin."""

from __future__ import annotations

from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText
from guiapp.core.text.unicode_tables import lower_case, whitespace
from guiapp.core.text.utf8 import characters, encode
from guiapp.core.vocabulary.vocabulary import Rules


def whitespace_words(text: bytes, rules: Rules) -> tuple[NormalizedText, list[int]]:
    """The words side by side, and where each ends.  Spaces that become U+2581 are parts of words."""
    words = NormalizedBuilder()
    ends = [0]
    for start, end, code in characters(text):
        is_marked = rules.escape_spaces and text[start:end] == b" "
        if is_marked or code not in whitespace():
            words.append(encode(lower_case().get(code, code) if rules.lowercase else code), start, end)
        elif len(words) > ends[-1]:
            ends.append(len(words))
    if len(words) > ends[-1]:
        ends.append(len(words))
    return words.build(), ends[1:]
