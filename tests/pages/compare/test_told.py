"""All that the page of two texts tells of both, and of what changed."""

import pytest
from controls_in_words import controls_of
from pictures import in_words, paintings_of
from PySide6.QtWidgets import QApplication

import guiapp
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.compare.texts_details import LEGEND
from guiapp.pages.compare.texts_page import PrefixBar


@pytest.fixture
def page(make_shell, qtbot):
    shell = make_shell(b"How do lions sleep? Well.", "demo:bpe", lambda name, *_: guiapp.open_model(name))
    shell.window.actions_table["compare_texts"].trigger()
    page = shell.window.pages.current
    page.shell = shell
    qtbot.waitUntil(lambda: page.isVisible() and page.is_ready)
    return page


def test_all_that_is_told_of_two_texts(page, qtbot):
    page.compared.second.text.show(b"How do lions eat? Well.")
    qtbot.waitUntil(lambda: page.compared.report is not None and page.is_ready)
    QApplication.processEvents()
    legend = [entry.meaning for entry in LEGEND]
    copying = "Begin with the left text, to change it here"
    assert [line.replace("\u200b", "|") for line in controls_of(page)] == [
        *("FROM THE START | From the start", "6 tokens in common", "Go there | Show where both part"),
        "50 % of the right text: what a cache of prefixes keeps.\n"
        "They part in line 1, at token 7: ·s (261) at the left, ·e (303) at the right.",
        "CHANGE 1 OF 1 · LINE 1 | Change",
        *("Removed: 2 tokens", "·s|leep|", "261 1514"),
        *("Inserted: 2 tokens", "·e|at|", "303 307"),
        *("1 CHANGE: 2 REMOVED, 2 INSERTED | Changes", "Changes"),
        *("LEGEND | Legend", *legend),
        *("Text | checked", "Ids", "12 | Tokens"),
        "23 characters · 23 bytes | 23 characters · 23 bytes · kept until the window closes",
        "Open text… | Read a file as the other text | Read a file as the other text",
        f"Copy left text | {copying} | {copying}",
        "Other text",
        *("The window's text", "12 | Tokens", "25 characters · 25 bytes", "Text"),
    ]


NONE, SOME, ALL = (0, 0, 0), (0.25, 0.5, 1), (1, 1, 1)


@pytest.mark.parametrize(("shares", "widths"), [(NONE, NONE), (SOME, (100, 50, 25)), (ALL, (100, 100, 100))])
def test_the_bar_shows_what_both_begin_with_what_both_have_and_the_whole(qtbot, shares, widths):
    themes = ThemeSource(QApplication.instance(), "dark")
    bar = PrefixBar(themes)
    qtbot.addWidget(bar)
    bar.resize(100, bar.sizeHint().height())
    bar.show_shares(*shares)
    paintings = paintings_of(bar)
    assert in_words(paintings.marks, themes.theme) == ["warning", "line", "dim"]
    assert [mark.place.getRect() for mark in paintings.marks] == [(0, 0, width, 4) for width in widths]
