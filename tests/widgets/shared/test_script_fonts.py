"""Fonts of a text's scripts are loaded between events, each character's once."""

from functools import partial

import numpy as np
import pytest

from guiapp.widgets.shared.script_fonts import (
    LONGEST_SEQUENCE,
    PART,
    ScriptFonts,
    blocks,
    codes_of,
    draw_once,
    parts_of,
    sequences_of,
)
from guiapp.widgets.shared.shaped_texts import ShapedTexts
from guiapp.widgets.shared.theme import Theme


def test_neighbours_stand_together():
    codes = np.unique(codes_of("ab😍 ba漢字".encode() + b"\xff"))
    assert blocks(codes) == [" ", "ab", "字", "漢", "\ufffd", "😍"]


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


def test_only_the_beginning_of_a_long_text_is_read_at_once(qtbot):
    loaded = []
    fonts = ScriptFonts([loaded.append])
    fonts.prepare(b"a" * 20 * PART + "漢".encode())
    assert [characters for _, characters in fonts._waiting] == ["a"]
    qtbot.waitUntil(lambda: fonts.is_ready)
    assert loaded == ["a", "漢"]


@pytest.mark.parametrize("text", ["", "a" * PART, "é漢🚀" * PART, "\udc80" * 3 * PART])
def test_a_text_is_cut_between_characters(text):
    data = text.encode("utf-8", "surrogateescape")
    parts = [bytes(part) for part in parts_of(data)]
    assert b"".join(parts) == data
    assert max(map(len, parts)) <= PART
    assert "".join(part.decode("utf-8", "replace") for part in parts) == data.decode("utf-8", "replace")


def test_a_text_of_flags_alone_does_not_become_one_picture(qtbot):
    loaded = []
    fonts = ScriptFonts([loaded.append])
    fonts.prepare("🇯🇵".encode() * 10_000)
    qtbot.waitUntil(lambda: fonts.is_ready)
    assert set(map(len, loaded)) == {2, LONGEST_SEQUENCE}


def test_only_new_characters_are_loaded(qtbot):
    loaders = [ShapedTexts(Theme.mono_font(15)).learn, partial(draw_once, Theme.ui_font(13))]
    fonts = ScriptFonts(loaders)
    fonts.prepare("New York 汉武帝 👩‍👩‍👧 مرحبا".encode())
    assert not fonts.is_ready
    qtbot.waitUntil(lambda: fonts.is_ready)
    fonts.prepare("York 帝 👩‍👩‍👧".encode())
    assert fonts.is_ready
    fonts.prepare("Straße".encode())
    assert not fonts.is_ready
    qtbot.waitUntil(lambda: fonts.is_ready)
    fonts.use(loaders)
    fonts.prepare("York 帝".encode())
    assert not fonts.is_ready


def test_no_step_needs_a_font_that_was_not_loaded_before(make_steps_page, qtbot):
    page = make_steps_page(text=b"How do lions sleep in New York?")
    qtbot.waitUntil(lambda: page.trace.fonts.is_ready)
    texts = page.trace._texts
    loaded = set(texts._fonts)
    operations = {}
    for step in range(page.model.n_steps):
        operations.setdefault(page.model.debugger.trace.operation(step), step)
    assert "stale" in operations
    for step in operations.values():
        page.model.go_to(step)
        page.grab()
    assert set(texts._fonts) == loaded


def test_the_page_loads_those_of_the_recorded_text(make_steps_page, qtbot):
    page = make_steps_page(text="How many 漢字 lie in the sun?".encode())
    qtbot.waitUntil(lambda: page.trace.fonts.is_ready)
    page.trace.fonts.prepare("sun 漢字".encode())
    assert page.trace.fonts.is_ready
    page.set_text_size(24)
    assert not page.trace.fonts.is_ready
    qtbot.waitUntil(lambda: page.trace.fonts.is_ready)
