"""The page of made-up runs: nothing of a stranger's is obeyed, nothing from elsewhere is needed."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from field_runs import field, vocabulary

from guiapp.core.bench.field.html import bar, tag, words
from guiapp.core.bench.field.page import page
from guiapp.core.explain.figures import three_digits

VOID = {"meta", "rect", "path"}


class Reader(HTMLParser):
    """Tags that were left open, texts, ids and links."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        if name not in VOID:
            self.open.append(name)
        told = dict(attributes)
        self.ids += [told["id"]] if "id" in told else []
        self.links += [told["href"]] if "href" in told else []

    def handle_endtag(self, name: str) -> None:
        assert name in VOID or self.open.pop() == name

    def handle_data(self, text: str) -> None:
        self.texts.append(text)


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def test_every_mark_of_wrong_ids_leads_to_the_text_that_shows_it():
    reader = read(page(field()))
    assert len(set(reader.ids)) == len(reader.ids)
    assert {link.removeprefix("#") for link in reader.links} == set(reader.ids)
    assert "wrong-llama-3-tokie" in reader.ids


def test_the_first_words_are_the_headline_and_exactness_comes_before_speed():
    text = page(field())
    assert text.index("3 give the right ids") < text.index("<table") < text.index("Wrong ids")
    assert (
        text.index("Wrong ids") < text.index("Throughput with Llama-3") < text.index("Throughput with Gpt-2")
    )


def test_what_is_wrong_is_told_with_both_ids_and_who_agrees():
    text = page(field())
    for part in ("&lt;script&gt;", "<sub>12</sub>", "tokenizers; not by llama.cpp", "7 of 100", "SIGSEGV"):
        assert part in text
    assert "<script>½" not in text
    assert text.count("<script>") == 1


def test_nothing_is_loaded_and_no_style_or_script_stands_in_an_element():
    text = page(field())
    assert not re.search(r'src="|https?://|url\(|@import|\sstyle="|\son\w+="', text)


def test_what_is_missing_is_said():
    text = page(field(is_complete=False))
    for part in ("Not given to this run: o200k", "pip install snaptokens", "stopped before its end"):
        assert part in text
    assert "No vocabulary here is for sentencepiece" in text
    assert "None: all that took part" in page(field(vocabulary(verdicts=(), openings={}, run=None)))


def test_words_are_escaped_and_figures_have_three_digits():
    assert tag("b", "a<b&\u202e", title='"') == '<b title="&quot;">a&lt;b&amp;\\u202e</b>'
    assert words("’") == "’"
    assert [three_digits(each) for each in (1234.5, 99.94, 9.876)] == ["1,234", "99.9", "9.88"]
    assert 'width="100.00"' in bar(1.5, 0.1, 2.0, "exact")
