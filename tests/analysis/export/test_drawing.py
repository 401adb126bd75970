"""Drawings are as large as what is in them."""

import pytest

from guiapp.analysis.export.exported_run import box, document, label_at, note, printable
from guiapp.analysis.export.tables import n_columns


def test_a_document_is_as_large_as_its_rows():
    rows = [("<a/>\n", 30.0), ("<b/>\n", 200.4), ("<c/>\n", 7.0)]
    assert list(document(rows, 10, "a<b")) == [
        "",
        "",
        "",
        '<svg xmlns="http://www.w3.org/2000/svg" width="216" height="70" '
        'font-family="monospace" font-size="15">\n'
        '<rect width="100%" height="100%" fill="#ffffff"/>\n'
        '<text x="16" y="26" fill="#1b1f27" font-weight="bold">a&lt;b</text>\n',
        "<a/>\n",
        "<b/>\n",
        "<c/>\n",
        "</svg>\n",
    ]


@pytest.mark.parametrize(("head", "width"), [("汉", 50), ("汉汉", 68), ("汉" * 10, 214)])
def test_a_document_is_wide_enough_for_its_head(head, width):
    assert f'width="{width}" height="40"' in "".join(document([], 10, head))


@pytest.mark.parametrize(
    ("text", "n"),
    [("", 0), ("ab", 2), ("汉a", 3), ("Ａ🚀", 4), ("é", 1)],
    ids=lambda value: str(len(str(value))),
)
def test_ideographs_and_emoji_take_two_columns(text, n):
    assert n_columns(text) == n


@pytest.mark.parametrize(
    ("label", "tint", "is_made", "width", "looks", "middle"),
    [
        ("", 0, False, 23, 'fill="#cfe3fb"', "16.5"),
        ("<", 1, False, 23, 'fill="#fbe3b5"', "16.5"),
        ("ab", 7, True, 32, 'fill="#fbe3b5" stroke="#2f5fd0" stroke-width="2.5"', "21.0"),
    ],
)
def test_a_box_is_as_wide_as_its_label_which_stands_in_its_middle(label, tint, is_made, width, looks, middle):
    shown = label.replace("<", "&lt;")
    assert box(5, 7, label, tint, is_made) == (
        f'<rect x="5" y="7" width="{width}" height="40" rx="6" {looks}/>'
        f'<text x="{middle}" y="32" text-anchor="middle" fill="#1b1f27">{shown}</text>',
        width,
    )


def test_words_stand_where_they_are_told_to():
    assert label_at(3, 4, "&") == '<text x="3" y="29" text-anchor="middle" fill="#1b1f27">&amp;</text>'
    assert note(3.5, 4, "&") == '<text x="3.5" y="4" fill="#5a6372" font-size="12">&amp;</text>'


def test_a_drawing_holds_nothing_that_cannot_be_seen():
    assert printable("`\x01` is `a`.") == "\ufffd is a."
