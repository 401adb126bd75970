"""Each sign is drawn in the colours and the shapes of what it stands for, beside what it means."""

from itertools import groupby, pairwise

import pytest
from pictures import in_words, paintings_of
from PySide6.QtCore import QRectF

from guiapp.widgets.shared.theme import ThemeSource
from guiapp.widgets.window.page_signs import PAGES, signs_of
from guiapp.widgets.window.signs_card import BOX_PX, SAMPLE_PX, SignList

LISTS = {title: signs for page in ("inspect", *PAGES) for title, signs in signs_of(page)}

LOOKS = {  # colours are those of the theme, “?” for others
    "In texts": """
        span0, two text, span1, of text
        2 warning, <s> text
        span2, dotted text, <think> text
        span0, 2 picture, 2 text, 汉 text
        span0, é text, 2 text
        span3, ꙮ text, bad
        span0, 3 warning, word text
        span0, word text, dim
        span0, word text, accent
        text, 200B text
        warning, 152 hidden on_accent
        span0, word text, 2 text
        span0, pаypal text, 2 warning
        ·  →  ↵ text
        Ġ  Ċ text
        ▁  <0x0A> text
    """,
    "On wish, from the menu “Colour by”": """
        span0, two text, text, span1, of text
        49 warning, warning
        3 text
    """,
    "On the charts": """
        4 ?
        ? ?
        ? ?, 3 text
        ? ?
        3 ?
        ≈ 97.2 % text
        once text
        ▲  ▼ text
        2 ?
        dashed ?
        dotted ?
        2 ?
        faint, ?, name text
        ? ?, ?
        dashed good
    """,
    "Of models side by side": """
        4 ?
        span0, word text
        span0, word text
        span0, text, word text
        +2 7 warning, warning
        3 warning
    """,
    "Of two texts": """
        span0, word text
        span0, text, word text
        3 text
    """,
    "Of two vocabularies": """
        ?, A text, ?, B text
        faint, 2 ?
        ≠ warning
        ✓ good
        – text
    """,
    "Of special tokens": """
        always text
        if parsed text
        no text
        yes text
        looks so text
    """,
    "Of findings": """
        picture
        picture
        picture
        faint
        dotted accent
    """,
    "Of finds": """
        ?, A text, ?, B text
        faint
        dotted accent
        warning, 1 warning
        accent, text
    """,
    "In prompts": """
        span0, two text, ?, of text
        faint, <end> dim
        2 bad, 1 bold on_accent
        2 warning, 1 bold on_accent
        ×4 text
        span0, text, word text
    """,
    "In the vocabulary": """
        2 ?
        <E2 82> text
        warning
        warning panel
        dim
    """,
    "In the tree": """
        4 ?
        ?, come on_accent
        ?, Han · 4,892 on_accent
        ?, <E6> on_accent
        90 ?
        ?
        ?, text
        ?, on_accent, text
        ?, text, accent
        ?
        90 ?, 3 text
        ?, on_accent, warning
        90 ?, 2 on_accent, accent
        span0, Wel bold text, come dim
        3 accent, the bold text
        3 faint, the dim
        raised, 1,446 dim
    """,
    "In the steps": """
        span0, word text, accent
        span0, word text, dashed accent
        accent ?, on bold text, raised accent, on_accent
        dotted accent ?, on text
        dashed line panel, on struck dim, dim
        2 accent
        2 good
        raised, warning panel, 3 warning
        span0, a text, span1, cb text, dotted warning
        2 line, 0 dim, 100 dim, rank dim
        bad
        bad
        warning
        ?, raised, text, faint
        dashed accent
        ?
    """,
    "In trainings": """
        accent, the on_accent
        ?, 12 text
        ing struck dim, dim
    """,
}


def paintings(signs, theme_source):
    shown = SignList(tuple(signs), theme_source)
    shown.resize(shown.sizeHint())
    return shown, paintings_of(shown)


def sample_of(sign, theme_source):
    """What is drawn of it, as if its box were the only thing there."""
    shown, painted = paintings([sign], theme_source)
    up = (shown.height() - BOX_PX) / 2
    return [
        mark._replace(place=mark.place.translated(-2, -up))
        for mark in painted.marks
        if mark.place.left() < SAMPLE_PX
    ]


def looks(marks, theme):
    """Its parts in the order in which they are drawn, with how many of a kind there are."""
    words = [in_words([mark], theme)[0] or "picture" for mark in marks]
    parts = ((word, len(list(same))) for word, same in groupby(words))
    return ", ".join(word if count == 1 else f"{count} {word}" for word, count in parts)


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.mark.parametrize("title", LISTS)
def test_signs_have_the_colours_of_what_they_stand_for(theme_source, title):
    drawn = [looks(sample_of(sign, theme_source), theme_source.theme) for sign in LISTS[title]]
    assert drawn == [line.strip() for line in LOOKS[title].strip().splitlines()]


@pytest.mark.parametrize("title", LISTS)
def test_a_sign_lies_in_the_middle_of_its_place(theme_source, title):
    for sign in LISTS[title]:
        sample = QRectF()
        for mark in sample_of(sign, theme_source):
            sample |= mark.place.adjusted(-0.1, -0.1, 0.1, 0.1)  # lines, too
        assert QRectF(-5.5, -7.5, SAMPLE_PX + 6, BOX_PX + 11).contains(sample), sign.meaning
        assert sample.center().x() == pytest.approx(SAMPLE_PX / 2, abs=16), sign.meaning
        assert sample.center().y() == pytest.approx(BOX_PX / 2, abs=4), sign.meaning


def test_rows_stand_below_each_other_with_words_beside_their_signs(theme_source):
    for signs in LISTS.values():
        shown, painted = paintings(signs, theme_source)
        words = [mark for mark in painted.written if mark.place.left() > SAMPLE_PX]
        rows, told, place = [], "", QRectF()
        for mark in words:
            told, place = f"{told} {mark.text}".strip(), place | mark.place if told else mark.place
            if told == signs[len(rows)].meaning:
                rows.append(place)
                told = ""
        assert len(rows) == len(signs)
        assert {mark.pen for mark in words} == {theme_source.theme.text.name()}
        assert 0 <= rows[0].top() < 8
        assert 0 < shown.height() - rows[-1].bottom() < 10
        for above, below in pairwise(rows):
            assert 2 < below.top() - above.bottom() < 20
        assert {round(row.left()) for row in rows} == {SAMPLE_PX + 16}
        for sign, row in zip(signs, rows, strict=True):
            alone, _ = paintings([sign], theme_source)
            assert row.height() < alone.height()
