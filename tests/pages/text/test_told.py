"""What panels of the Inspect page say and paint: budget, dearest words, the card of a chip, legends."""

from types import SimpleNamespace

import pytest
from controls_in_words import controls_of, painted_of
from fitting import unreadable
from pictures import in_words, paintings_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

import guiapp
from guiapp.core.encode.counting.cost import CostlyText
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.text.hidden_card import HiddenCard, chip_facts, visible_lines
from guiapp.pages.text.side import ExpensiveRow
from guiapp.pages.text.text_panel import _Bar


def open_demo(name, pre, progress):
    return guiapp.open_model(name)


@pytest.fixture
def themes(qapp):
    return ThemeSource(QApplication.instance(), "dark")


BARS = {  # of 100 px: used, most, and the shares from left to right
    (0, 10): [(0, 100, "raised")],
    (1, 1000): [(0, 100, "raised"), (0, 10, "faint")],
    (5, 10): [(0, 100, "raised"), (0, 50, "faint")],
    (10, 10): [(0, 100, "raised"), (0, 100, "faint")],
    (20, 10): [(0, 100, "raised"), (0, 100, "warning"), (50, 2, "text"), (0, 50, "faint"), (45, 5, "faint")],
    (1000, 1): [
        (0, 100, "raised"),
        (0, 100, "warning"),
        (0.1, 2, "text"),
        (0, 10, "faint"),
        (0, 0.1, "faint"),
    ],
}


def test_all_words_can_be_read_in_a_window_of_any_size(make_shell, qtbot):
    shell = make_shell(b"A house and a garden", "demo:bpe", open_demo)
    for name in ("why", "budget"):
        shell.window.actions_table[name].trigger()
        assert unreadable(shell.window) == []


@pytest.mark.parametrize(("used", "most"), BARS)
def test_the_bar_of_the_budget_shows_what_is_used_and_what_does_not_fit(qtbot, themes, used, most):
    bar = _Bar(SimpleNamespace(n_used=used, n_most=most), themes)
    qtbot.addWidget(bar)
    bar.resize(100, 10)
    marks = paintings_of(bar).marks
    names = {getattr(themes.theme, name).name(): name for name in ("raised", "warning", "text", "faint")}
    found = [(mark.place.left(), mark.place.width(), names[mark.brush]) for mark in marks]
    assert found == [
        (pytest.approx(left), pytest.approx(width), name) for left, width, name in BARS[used, most]
    ]
    assert all(mark.place.height() == 10 for mark in marks)


def test_the_budget_is_told_in_words(make_shell, qtbot):
    shell = make_shell(b"A house and a garden", "demo:bpe", open_demo)
    bar = shell.window.inspect_page.budget_bar
    shell.window.actions_table["budget"].trigger()
    n_used = len(shell.session.tokens)
    share = "Share of the budget that is used"
    usual = ["BUDGET | Budget", f"{n_used}", "of", "8,192 | Budget in tokens"]
    untold = "tokens; the model's file says nothing"
    assert controls_of(bar) == [*usual, untold, f"{8192 - n_used:,} tokens left", share]
    own = ["tokens of your own"]
    for most, left in (
        (n_used, "0 tokens left"),
        (n_used + 1, "1 token left"),
        (n_used - 1, "1 token too many: cut off at the line"),
    ):
        bar._budget.choose(most)
        field = f"{most} | Budget in tokens"
        assert controls_of(bar) == [*usual[:3], field, *own, left, share]


def test_a_dear_row_tells_its_text_places_tokens_and_share(qtbot, themes):
    row = ExpensiveRow(themes)
    qtbot.addWidget(row)
    row.resize(300, row.sizeHint().height())
    row.show()
    for n_tokens, n_times, n_all, most, words, length in (
        (6, 1, 12, 12, ["key text", "line 7 dim", "6 bold text", "50 % dim", "warning"], 0.5),
        (1, 1, 10_000, 1, ["key text", "line 7 dim", "1 bold text", "<1 % dim", "warning"], 1.0),
        (1200, 3, 2400, 1200, ["key text", "line 7 ×3 dim", "1,200 bold text", "50 % dim", "warning"], 1.0),
        (1, 1, 2, 10_000, ["key text", "line 7 dim", "1 bold text", "50 % dim", "warning"], 0.0),
    ):
        dear = CostlyText("key", n_tokens, n_times, 0, 3)
        row.show_row(dear, 7, n_all, most)
        paintings = paintings_of(row)
        assert in_words(paintings.marks, themes.theme) == words
        (bar,) = paintings.shapes
        assert (bar.left(), bar.width()) == (8, max((300 - 16) * length, bar.height()))
        texts = dict(paintings.texts)
        assert max(place.right() for place in texts.values()) == pytest.approx(292, abs=1)
    counted = "1 token"
    assert controls_of(row) == [f"key | key: {counted}, 50 % of all | key"]
    assert row.toolTip() == f"key\n{counted}, from line 7 on"
    row.show_row(CostlyText("key", 4, 2, 0, 3), 1, 8, 4)
    assert controls_of(row) == ["key | key: 4 tokens in 2 places, 50 % of all | key"]
    assert row.toolTip() == "key\n4 tokens in 2 places, from line 1 on"


def test_each_colouring_has_a_sample_of_each_colour(make_shell, qtbot):
    shell = make_shell(b"a house", "demo:bpe", open_demo)
    tools, themes = shell.window.inspect_page.tools, shell.theme_source
    assert painted_of(tools, themes) == {}
    for name, title in (("cost", "Characters a token"), ("rarity", "By id")):
        shell.window.actions_table[f"color:{name}"].trigger()
        spans = shell.window.inspect_page.spans
        assert spans.legend[0] == title
        for is_short in (False, True):
            tools._legend.set_short(is_short)
            ((told, words),) = painted_of(tools, themes).items()
            assert told == f"{title}: {', '.join(spans.legend[1])}"
            texts = [word.removesuffix(" dim") for word in words if word.endswith(" dim")]
            assert texts == [*([] if is_short else [title]), *spans.legend[1]]
            marks = paintings_of(tools._legend).marks
            boxes = [mark for mark in marks if not mark.text]
            lined = [mark for mark in boxes if mark.pen == themes.theme.line.name()]
            assert len(boxes) == len(spans.legend[1]) * (2 if len(lined) < len(boxes) else 1)
            gaps = [
                word.place.left() - box.place.right()
                for box, word in zip(lined, [mark for mark in marks if mark.text][-len(lined) :], strict=True)
            ]
            assert all(3 < gap < 6 for gap in gaps)
            assert marks[-1].place.right() <= tools._legend.minimumWidth()


@pytest.fixture
def make_card(make_shell):
    def make(text, start, end):
        shell = make_shell(text.encode(), "demo:bpe", open_demo)
        actions = QAction("Remove all hidden characters"), QAction("Copy the text without them")
        facts = chip_facts(shell.session, shell.window.hidden, start, end)
        card = HiddenCard(facts, shell.window.hidden, actions, shell.theme_source, shell.window)
        card.shell, card.actions_, card.facts = shell, actions, facts
        return card

    return make


REMOVE, ALL = "Remove", "Remove all"
COPY, NEXT = "Copy without | Copy the text without them", "Next ›"
HIDDEN = [
    "U+200B ZERO WIDTH SPACE | What it spells",
    "E2 80 | 8B | Bytes, with bars where tokens begin",
    "3 bytes",
]


def test_the_card_of_a_chip_tells_it_and_offers_what_can_be_done(make_card):
    about = "Zero-width character, U+200B. Nothing is drawn."
    blank = "Blank, or part of how the script is written: it stays when hidden characters are removed."
    for text, end, told in (
        ("a\u200bb", 4, [about, *HIDDEN, "40.0 % of all tokens", REMOVE, COPY]),
        ("a\u200bb\u200b", 4, [about, *HIDDEN, "28.6 % of all tokens", REMOVE, ALL, COPY, NEXT]),
        (
            "a\u00a0b",
            3,
            [
                *(blank, "U+00A0 NO-BREAK SPACE | What it spells"),
                *("C2 | A0 | Bytes, with bars where tokens begin", "2 bytes", "40.0 % of all tokens"),
            ],
        ),
    ):
        card = make_card(text, 1, end)
        card.open_at(QPoint(100, 100))
        title = "1 character, 2 tokens" if "\u00a0" in text else "1 hidden character, 2 tokens"
        assert controls_of(card) == [title, title, *told]
        card.close()
    spelt = make_card("a\U000e0048\U000e0069b", 1, 9).facts
    assert spelt == (
        *(1, 9, 2, "2 hidden characters, 8 tokens"),
        "Tag characters, U+E0048 to U+E0069. Nothing is drawn; a model can read:",
        *("Hi", "F3 | A0 | 81 | 88 | F3 | A0 | 81 | A9"),
        ("8 bytes", "4 tokens each", "72.7 % of all tokens"),
    )


def test_each_button_of_the_card_does_its_part_and_closes_it(make_card, qtbot):
    done = []
    for name in ("remove_button", "remove_all_button", "copy_button", "next_button"):
        card = make_card("a\u200bb\u200b", 1, 4)
        for action, what in zip(card.actions_, ("all", "copy"), strict=True):
            action.triggered.connect(lambda checked, what=what: done.append(what))
        card.open_at(QPoint(100, 100))
        qtbot.mouseClick(getattr(card, name), Qt.MouseButton.LeftButton)
        assert not card.isVisible()
        done.append((card.shell.session.document.text().decode(), card.shell.session.document.selection))
    text, selected = "a\u200bb\u200b", (5, 8)
    assert [each for each in done if isinstance(each, str)] == ["all", "copy"]
    assert [each[0] for each in done if not isinstance(each, str)] == ["ab\u200b", text, text, text]
    assert done[-1] == (text, selected)


def test_the_card_opens_below_a_place_and_stays_in_the_window(make_card):
    card = make_card("a\u200bb", 1, 4)
    window = card.shell.window.frameGeometry()
    for place, x, y in (
        (window.topLeft() + QPoint(100, 100), window.left() + 100, window.top() + 116),
        (window.topLeft() + QPoint(-50, 100), window.left(), window.top() + 116),
    ):
        card.open_at(place)
        assert (card.x(), card.y()) == (x, y)
    card.open_at(window.bottomRight())
    assert (card.geometry().right(), card.geometry().bottom()) == (window.right() - 9, window.bottom() - 17)
    card.close()


def test_what_is_spelt_keeps_its_lines_and_ends_somewhere():
    assert visible_lines("a b\n\u200bc ") == "a b\n<U+200B>c "
    assert visible_lines("a" * 2000) == "a" * 2000
    assert visible_lines("a" * 2001) == "a" * 2000 + " …"
