"""How WordPiece, Unigram and PLaMo 2 vocabularies change text before they encode it: the reference.

Native versions: native/wordpiece.cpp, unigram.cpp and plamo2.cpp.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.charsmap import Charsmap, longest_match
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText, common_ends
from guiapp.core.text.unicode_tables import (
    CONTROL,
    MARK,
    N_CODES,
    PUNCTUATION,
    SYMBOL,
    categories,
    first_decomposed,
    lower_case,
    whitespace,
)
from guiapp.core.text.utf8 import LAST_CODE, REPLACEMENT, character_length, characters, code_of, encode
from guiapp.native.normalized import CodeTable

SPACE = ord(" ")
SPACE_SYMBOL = "▁".encode()
BYTE_ORDER_MARK = "\ufeff".encode()

ALONE_RANGES = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
"""Chinese characters, each a WordPiece word.  BERT's own list has 2B820, llama.cpp's 2B920."""


class Action(IntEnum):
    """How a WordPiece vocabulary treats a character."""

    SKIP = 0
    END_WORD = 1
    STAND_ALONE = 2
    EXTEND_WORD = 3


def action_of(code: int, lowercase: bool, strip_accents: bool) -> tuple[Action, int]:
    """The action of WordPiece for a code point, and the code point that replaces it."""
    if strip_accents:
        code = first_decomposed().get(code, code)
    category = categories()[code]
    target = lower_case().get(code, code) if lowercase else code
    if code in whitespace():
        return Action.END_WORD, target
    if code in (0, REPLACEMENT) or category == CONTROL or (strip_accents and category == MARK):
        return Action.SKIP, target
    if category == PUNCTUATION or (code < 0x7F and category == SYMBOL) or _is_ideograph(code):
        return Action.STAND_ALONE, target
    return Action.EXTEND_WORD, target


def all_actions(lowercase: bool, strip_accents: bool) -> NDArray[np.int32]:
    """`action_of` for each code point: the difference to its replacement, times 4, plus the action."""
    category = np.frombuffer(categories(), np.uint8)
    actions = np.full(N_CODES, Action.EXTEND_WORD, np.int32)
    actions[category == PUNCTUATION] = Action.STAND_ALONE
    actions[:0x7F][category[:0x7F] == SYMBOL] = Action.STAND_ALONE
    for first, last in ALONE_RANGES:
        actions[first : last + 1] = Action.STAND_ALONE
    actions[category == CONTROL] = actions[[0, REPLACEMENT]] = Action.SKIP
    if strip_accents:
        actions[category == MARK] = Action.SKIP
    actions[list(whitespace())] = Action.END_WORD
    codes = np.arange(N_CODES, dtype=np.int32)
    targets = codes.copy()
    if lowercase:
        targets[list(lower_case())] = list(lower_case().values())
    if strip_accents:
        composed, plain = list(first_decomposed()), list(first_decomposed().values())
        actions[composed], targets[composed] = actions[plain], targets[plain]
    return (targets - codes) * 4 + actions


@cache
def action_table(lowercase: bool, strip_accents: bool) -> CodeTable:
    """The same for the native library."""
    return CodeTable(all_actions(lowercase, strip_accents))


def wordpiece_words(fragment: bytes, lowercase: bool, strip_accents: bool) -> Iterator[NormalizedText]:
    """The words of a text, each after U+2581; skipped characters belong to the character before them."""
    builder: NormalizedBuilder | None = None
    for start, end, code in characters(fragment):
        action, target = action_of(code, lowercase, strip_accents)
        if builder and action in (Action.END_WORD, Action.STAND_ALONE):
            yield builder.build()
            builder = None
        if action in (Action.STAND_ALONE, Action.EXTEND_WORD):
            if builder is None:
                builder = NormalizedBuilder()
                builder.append(SPACE_SYMBOL, start, start)
            builder.append(encode(target), start, end)
        if builder and action is Action.SKIP:
            builder.extend(end)
        if builder and action is Action.STAND_ALONE:
            yield builder.build()
            builder = None
    if builder:
        yield builder.build()


def normalize_unigram(
    fragment: bytes,
    charsmap: Charsmap,
    user_defined: Collection[bytes],
    add_space_prefix: bool,
    remove_extra_whitespaces: bool,
) -> NormalizedText:
    """Replace characters by the map and spaces by U+2581.

    The beginning of a user-defined token is copied as it is, even if the rest does not follow.
    """
    builder = NormalizedBuilder()
    unchanged, longest = sorted(user_defined), max(map(len, user_defined), default=0)
    at, in_word, has_prefix = 0, False, False
    while at < len(fragment):
        output, length = _normalize_one(fragment, at, charsmap, unchanged, longest)
        pending = NormalizedBuilder()
        if output == fragment[at : at + length]:
            pending.keep(output, at)
        else:
            made = output.lstrip(b" ") if remove_extra_whitespaces else output
            pending.append(output[: len(output) - len(made)], at, at)
            pending.append(made, at, at + length)
        segment = pending.build()
        for byte, start, end in zip(output, segment.starts.tolist(), segment.ends.tolist(), strict=True):
            if byte != SPACE and not in_word:
                in_word = True
                if remove_extra_whitespaces or (add_space_prefix and not has_prefix):
                    builder.append(SPACE_SYMBOL, start, start)
                    has_prefix = True
            if byte != SPACE:
                builder.append(bytes([byte]), start, end)
            else:
                in_word = False
                if not remove_extra_whitespaces:
                    builder.append(SPACE_SYMBOL, start, end)
        at += length
    return builder.build()


def _normalize_one(
    fragment: bytes, at: int, charsmap: Charsmap, unchanged: Sequence[bytes], longest: int
) -> tuple[bytes, int]:
    """The replacement at a position, and the number of bytes that it covers; `unchanged` is sorted."""
    ahead = fragment[at : at + longest]
    index = bisect(unchanged, ahead)
    near = unchanged[max(index - 1, 0) : index + 1]  # the longest common prefix is with one of these
    length = max((common_ends(token, ahead)[0] for token in near), default=0)
    if length:
        return fragment[at : at + length], length
    match = longest_match(charsmap, fragment, at)
    if match:
        return match
    length = character_length(fragment, at)
    return (fragment[at : at + length], length) if length else (encode(REPLACEMENT), 1)


def plamo2_text(fragment: bytes) -> NormalizedText:
    """Each character in its shortest form, even above U+10FFFF; a leading byte order mark is dropped."""
    builder = NormalizedBuilder()
    at = 0
    while at < len(fragment):
        length = character_length(fragment, at)
        output = _shortest_form(fragment[at : at + length]) if length else encode(REPLACEMENT)
        length = max(1, length)
        if at > 0 or output != BYTE_ORDER_MARK:
            builder.append(output, at, at + length)
        at += length
    return builder.build()


def _shortest_form(character: bytes) -> bytes:
    code = code_of(character, len(character))
    return encode(code) if code <= LAST_CODE else character


def symbol_length(lead: int) -> int:
    """The length of a character by its first byte alone; Unigram steps through a text by these."""
    return 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)


def _is_ideograph(code: int) -> bool:
    return any(first <= code <= last for first, last in ALONE_RANGES)
