"""Fonts of a text's scripts are loaded between events, each character's once."""

from itertools import product

import numpy as np
import pytest

from guiapp.core.text.visible_text import visible_text
from guiapp.kit.widgets.script_fonts import (
    FLAG_LETTERS,
    MOST_SEQUENCES,
    PART,
    ScriptFonts,
    blocks,
    codes_of,
    parts_of,
    sequences_of,
)


def test_characters_that_are_told_by_their_code_are_not_loaded():
    told = "\ufffe\ue000\u0378\U0010ffff\x85\u3000"
    assert [visible_text(character.encode()) for character in told] == [f"<U+{ord(c):04X}>" for c in told]
    assert blocks(np.unique(codes_of(f"{told}a".encode()))) == ["a"]


def test_pictures_of_several_characters_are_found_in_a_text():
    text = "a 👍🏽 👩‍👩‍👧! 🇯🇵 🇧🇷🇩🇪 ❤️ 1️⃣ 🚀😍 Straße".encode() + b"\xff"
    assert sequences_of(codes_of(text)) == {"👍🏽", "👩‍👩‍👧", "🇯🇵", "🇧🇷🇩🇪", "❤️", "1️⃣"}
    assert sequences_of(codes_of(b"")) == set()


def test_pictures_of_several_characters_are_found_in_all_parts_of_a_long_text(qtbot):
    loaded = []
    fonts = ScriptFonts([loaded.append])
    fonts.prepare(" ".join(["👍🏽", "a" * PART, "🇯🇵", "a" * PART, "❤️"]).encode())
    qtbot.waitUntil(lambda: fonts.is_ready)
    assert {"👍🏽", "🇯🇵", "❤️"} <= set(loaded)


@pytest.mark.parametrize("text", ["", "a" * PART, "é漢🚀" * PART, "\udc80" * 3 * PART])
def test_a_text_is_cut_between_characters(text):
    data = text.encode("utf-8", "surrogateescape")
    parts = [bytes(part) for part in parts_of(data)]
    assert b"".join(parts) == data
    assert max(map(len, parts)) <= PART
    assert "".join(part.decode("utf-8", "replace") for part in parts) == data.decode("utf-8", "replace")


def test_not_more_sequences_than_a_page_has_room_for_are_loaded(qtbot):
    loaded = []
    fonts = ScriptFonts([loaded.append])
    flags = ["".join(pair) for pair in product(map(chr, FLAG_LETTERS), repeat=2)]
    for part in (flags[:400], flags[300:], flags):
        fonts.prepare(" ".join(part).encode())
        qtbot.waitUntil(lambda: fonts.is_ready)
    assert len([text for text in loaded if text in flags]) == MOST_SEQUENCES < len(flags)
