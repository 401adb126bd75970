"""Pieces of pages: words are words, and nothing is obeyed but what the page brings."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.export.html import (
    Html,
    TableCell,
    TableColumn,
    bar,
    beginning,
    html,
    joined,
    section,
    table,
    tag,
    words,
)


def test_words_are_escaped_once_and_html_is_not():
    assert words('<b> & "x"\x1b') == html('<b> & "x"\x1b') == "&lt;b&gt; &amp; &quot;x&quot;\\x1b"
    assert isinstance(words("a"), Html)
    assert html(Html("<b>")) == "<b>"
    assert joined(["<", Html("<br>"), "&"], " > ") == "&lt; &gt; <br> &gt; &amp;"
    assert joined(["a", "b"]) == "ab"
    assert joined(["a", "b"], Html("<hr>")) == "a<hr>b"


def test_elements_have_the_attributes_that_say_something():
    assert tag("p") == "<p></p>"
    assert tag("td", "<", kind="a", title="", data_v='"1"') == (
        '<td class="a" data-v="&quot;1&quot;">&lt;</td>'
    )
    assert section("A & b", tag("p", "c"), "d") == ("<section><h2>A &amp; b</h2>\n<p>c</p>\nd</section>")


def test_a_table_has_a_head_and_what_its_rows_are_sorted_by():
    columns = [TableColumn("Name"), TableColumn("MB/s", "figure", True, "in <one> run")]
    rows = [
        [TableCell("a<"), TableCell("1,000", 1000.5, "best", "fast")],
        [TableCell(tag("b", "x"), "x"), TableCell("–")],
    ]
    assert table(columns, rows, "wide") == (
        '<div class="wide"><table class="wide"><thead><tr><th scope="col">Name</th>'
        '<th scope="col" class="figure" title="in &lt;one&gt; run" data-down="1">MB/s</th></tr></thead>\n'
        '<tbody><tr><td>a&lt;</td><td class="best" title="fast" data-v="1000.5">1,000</td></tr>\n'
        '<tr><td data-v="x"><b>x</b></td><td>–</td></tr></tbody></table></div>'
    )
    assert table([TableColumn("A")], []) == (
        '<div class="wide"><table><thead><tr><th scope="col">A</th></tr></thead>\n'
        "<tbody></tbody></table></div>"
    )


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_whatever_is_told_is_neither_an_element_nor_an_attribute(content, title):
    seen = []

    class Reader(HTMLParser):
        def handle_starttag(self, name, attributes):
            seen.append((name, [key for key, _ in attributes]))

    Reader().feed(tag("p", content, title=title))
    assert seen == [("p", ["title"])]


@pytest.mark.parametrize(
    ("ends", "drawn"),
    [
        ((0.5, 0.25, 0.75), ("50.00", "25.00", "75.00")),
        ((0, -1, 2), ("0.00", "0.00", "100.00")),
        ((1.5, 1, 1.25), ("100.00", "100.00", "100.00")),
    ],
)
def test_bars_stay_in_their_room(ends, drawn):
    picture = bar(*ends, "own")
    width, start, end = drawn
    assert f'<rect width="{width}" height="10"/><path d="M{start} 5H{end}"/>' in picture
    assert picture.startswith('<svg class="bar own" viewBox="0 0 100 10"')


def hash_of(inline):
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"


def test_a_page_allows_its_own_style_and_its_own_script_alone():
    page = beginning("A <b>", "p {}", "let a = 1")
    assert page.startswith('<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n')
    assert page.endswith("</head>\n<body>\n")
    assert "<title>A &lt;b&gt;</title>" in page
    assert "<style>p {}</style>\n" in page
    policy = re.search('Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src {hash_of('p {}')}",
        f"script-src {hash_of('let a = 1')}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
