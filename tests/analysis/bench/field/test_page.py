"""The page of made-up runs: nothing of a stranger's is obeyed, nothing from elsewhere is needed."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

from field_runs import field

from guiapp.analysis.bench.field.page import page
from guiapp.analysis.bench.field.record import json_of, load_field

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
        attribute_values = dict(attributes)
        self.ids += [attribute_values["id"]] if "id" in attribute_values else []
        self.links += [attribute_values["href"]] if "href" in attribute_values else []

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


def test_a_mismatch_shows_both_ids_and_which_references_agree():
    text = page(field())
    for part in ("&lt;script&gt;", "<sub>12</sub>", "tokenizers; not by llama.cpp", "7 of 100", "SIGSEGV"):
        assert part in text
    assert "<script>½" not in text
    assert text.count("<script>") == 1


def test_nothing_is_loaded_and_no_style_or_script_stands_in_an_element():
    text = page(field())
    assert not re.search(r'src="|https?://|url\(|@import|\sstyle="|\son\w+="', text)


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, ...]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *(name for name, _ in attrs)))


HOSTILE = "\"'></style></script></title><script>alert(1)</script><img src=x onerror=alert(2)>&lt;"
UNCHANGED_KEYS = ("kind", "state", "scenario", "operation")  # what a record must have as it is


def hostile(value):
    """The same with markup behind every text, names of contenders included."""
    if isinstance(value, dict):
        return {name: part if name in UNCHANGED_KEYS else hostile(part) for name, part in value.items()}
    if isinstance(value, list):
        return [hostile(part) for part in value]
    return value + HOSTILE if isinstance(value, str) else value


def test_markup_in_a_record_of_others_makes_no_element(tmp_path):
    file = tmp_path / "field.json"
    record = json.loads(json_of(field()))
    del record["vocabularies"][0]["run"]["left_out"]
    pages = []
    for each in (record, hostile(record)):
        each["vocabularies"] = [{**part, "name": "a"} for part in each["vocabularies"][:1]]
        file.write_text(json.dumps(each))
        pages.append(page(load_field(file)))
    plain, odd = (set(Elements(text).found) for text in pages)
    assert odd <= plain
    assert pages[1].count("<script") == pages[0].count("<script")
    assert HOSTILE not in pages[1]
