"""All that the Hunt page tells and paints while a hunt runs and once it is over."""

import pytest
from controls_in_words import controls_of, painted_of
from fake_hunt import some_finds, tell
from fitting import unreadable
from main_window_driver import CTRL, press
from pictures import in_words, paintings_of
from PySide6.QtCore import Qt
from view_paintings import paintings_in

from guiapp.kit.widgets.find_picture import CutTwice, FindPicture
from guiapp.kit.widgets.theme import ThemeSource

TIPS = (
    "What makes the texts that are tried",
    "Texts of your own, tried line by line, and changed here and there",
)
TICKS = ["on_accent"] * 2 + ["text"] * 2 + ["first after 3.0 s dim"]


def status_of(*numbers, clock, button, off):
    """What stands above the causes, with what can be set while nothing runs."""
    names = "texts tried", "a second", "differ", "causes"
    figures = [
        line
        for number, name in zip(numbers, names, strict=True)
        for line in (f"{number} {name}", number, name)
    ]
    seed = f"0 | Seed | The same seed tries the same texts{off}"
    return [*figures, f"{clock} / 1:00 | How long a hunt goes on{off}", "seed", seed, button, "Time"]


def test_all_words_can_be_read_in_a_window_of_any_size(page, engine, qtbot):
    assert unreadable(page.window()) == []
    tell(qtbot, page, engine, some_finds(page, engine))
    press(qtbot, page.shell, Qt.Key.Key_Down, CTRL)
    assert unreadable(page.window()) == []


def test_all_that_is_told_of_a_hunt_that_runs(page, engine, qtbot):
    themes = page.shell.theme_source
    about = [
        *("A", "first", "BPE · llama-bpe · 2,560", "against"),
        *("B", "second", "BPE · qwen2 · 2,560"),
    ]
    assert [line.partition(" | ")[0] for line in controls_of(page.head)][:7] == about
    choices = controls_of(page.head)[7:]
    assert choices == [f"13 generators | {TIPS[0]} | off", f"your text | {TIPS[1]} | off"]
    assert painted_of(page.status, themes) == {"Time": ["raised", "opening both … dim"]}
    assert controls_of(page.words)[0] == "Opening both …"
    begun = status_of("0", "0", "0", "0", clock="0:00", button="Stop", off=" | off")
    assert controls_of(page.status) == begun
    tell(qtbot, page, engine, some_finds(page, engine))
    running = status_of("2,000", "667", "5", "2", clock="0:03", button="Stop", off=" | off")
    assert controls_of(page.status) == running
    time = ["raised", "accent", *TICKS, "trying: your own texts dim"]
    assert painted_of(page.status, themes)["Time"] == time


def test_all_that_is_told_of_a_hunt_that_is_over(page, engine, qtbot):
    themes = page.shell.theme_source
    tell(qtbot, page, engine, some_finds(page, engine))
    press(qtbot, page.shell, Qt.Key.Key_Down, CTRL)
    tell(qtbot, page, engine, some_finds(page, engine, is_over=True))
    over = status_of("2,000", "667", "5", "2", clock="0:03", button="Start", off="")
    assert controls_of(page.status) == over
    assert painted_of(page.status, themes)["Time"] == ["raised", "dim", *TICKS]
    choices = controls_of(page.head)[7:]
    assert choices == [f"13 generators | {TIPS[0]}", f"your text · 1,000 lines | {TIPS[1]}"]
    assert controls_of(page.panel) == [
        "FIND 2 OF 3 · GROUPS OF DIGITS",
        *("‹ | Previous find | Previous find", "› | Next find | Next find"),
        "Tokens of A and B",
        "A cuts  1  |  2 . | Why",
        "Pre-tokenizer, from byte 0 on",
        *("Copy report", "Open in Compare", "Step", "Save report…"),
        *("IN YOUR TEXTS | In your texts", "2 of 1,000 lines"),
        "THE REPORT HOLDS | The report holds",
        "versions and hashes of both, each text escaped, both lists of ids, where and why they part, seed 0",
        "Line 1: one·1984 | Show line 1 of your text",
        "Line 2: two·12 | Show line 2 of your text",
    ]
    first = ["A text", "?", "span0", "3 text", "span1", "4 text", "5 text", "2 tokens dim"]
    second = ["B text", "?", "span2", "3 text", "4 text", "5 text", "1 token dim", "3 dim"]
    assert painted_of(page.panel, themes) == {
        "Tokens of A and B": ["1 dim", "2 dim", *first, "dotted accent", *second]
    }


def test_a_find_without_known_places_shows_its_ids_and_added_tokens_have_a_ring(qtbot, qapp):
    themes = ThemeSource(qapp, "dark")
    picture = FindPicture(themes)
    qtbot.addWidget(picture)
    assert in_words(paintings_of(picture).marks, themes.theme) == []
    spans = ((0, 0), (0, 2), (2, 2)), None
    picture.show_find(CutTwice(b"ab", ((7, 8, 9), (5, 6)), spans))
    picture.resize(picture.sizeHint())
    told = in_words(paintings_of(picture).marks, themes.theme)
    assert [word for word in told if word not in ("?", "on_accent")] == [
        *("8 dim", "A text", "warning", "7 warning", "span0", "a text", "b text", "warning", "9 warning"),
        *("3 tokens dim", "B text", "5 6 text", "2 tokens dim"),
    ]
    assert picture.accessibleDescription() == "ab. A: 7 8 9. B: 5 6"
    picture.show_find(CutTwice(b"ab", (None, ()), (None, None)))
    told = in_words(paintings_of(picture).marks, themes.theme)
    assert [word for word in told if word not in ("?", "on_accent")] == [
        *("A text", "no ids text", "refuses it dim", "B text", "nothing text", "0 tokens dim")
    ]


def test_each_cause_has_its_texts_its_reason_and_a_bar_of_lines(page, engine, qtbot):
    themes = page.shell.theme_source
    tell(qtbot, page, engine, some_finds(page, engine))
    press(qtbot, page.shell, Qt.Key.Key_Down, CTRL)
    assert painted_of(page, themes)["Titles of the columns"] == [
        *("CAUSE bold dim", "SHORTEST TEXTS bold dim", "OF YOUR 1,000 LINES bold dim", "line")
    ]
    marks = paintings_in(page.causes).marks
    words = in_words(marks, themes.theme)
    assert [word for word in words if word not in ("?", "on_accent", "raised")] == [
        *("new accent", "Groups of digits bold text", "2 text", "12 text", "accent", "345 text", "accent"),
        *("+2 dim", "A cuts 1 | 2. dim", "warning", "line"),
        *("new accent", "Merge: order bold text", "none dim", "ab text", "A cuts 1 | 2. dim", "line"),
    ]
    whole = page.causes.viewport().width()
    ground, chosen, mark, *_ = [mark.place for mark in marks if not mark.text]
    assert (ground.width(), chosen.width(), mark.width()) == (whole, whole, 2)
    lines = [mark.place for mark in marks if mark.place.height() == 1]
    assert [line.width() for line in lines] == [whole, whole]
    assert lines[1].top() - lines[0].top() == chosen.height() == lines[0].top() + 1
    counts = [mark.place.right() for mark in marks if mark.text in ("2", "none")]
    (bar,) = [mark.place for mark in marks if mark.brush == themes.theme.warning.name()]
    assert counts == pytest.approx([whole - 16, whole - 16], abs=1)
    assert (bar.right(), bar.height()) == (whole - 16, 4)
