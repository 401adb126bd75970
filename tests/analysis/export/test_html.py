"""Pieces of pages: words are words, and nothing is obeyed but what the page brings."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.export import html
from guiapp.analysis.export.html import beginning, rendered


@given(st.text(max_size=40), st.text(min_size=1, max_size=40))
def test_inserted_text_is_neither_an_element_nor_an_attribute(content, title):
    seen = []

    class Reader(HTMLParser):
        def handle_starttag(self, name, attributes):
            seen.append((name, [key for key, _ in attributes]))

    with patch.object(html, "resource", lambda _: '<p title="{{ title }}">{{ content }}</p>'):
        Reader().feed(rendered("a page", {"content": content, "title": title}))
    assert seen == [("p", ["title"])]


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
