"""Remarks on a run as rich text: where ids differ, a click leads there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote, unquote

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.remarks import ALSO_ON


def linked(remarks: Sequence[str], results: Sequence[Record]) -> Iterator[str]:
    """Each sentence; in one about ids that differ the name and further texts are links."""
    differing: dict[str, list[str]] = {}
    for row in results:
        if row["first_difference"]:
            differing.setdefault(row["contender"], []).append(row["corpus"])
    for told in remarks:
        name = next((name for name in differing if told.startswith(f"{name} differs on ")), None)
        yield escape(told) if name is None else _with_links(told, name, differing[name])


def _with_links(told: str, name: str, texts: Sequence[str]) -> str:
    first, also, others = told.removeprefix(name).partition(ALSO_ON)
    others = escape(others)
    for text in dict.fromkeys(texts):
        others = others.replace(f"{escape(text)} (", f"{_link(name, text, text)} (", 1)
    return f"{_link(name, texts[0], name)}{escape(first)}{also}{others}"


def _link(contender: str, text: str, shown: str) -> str:
    return f'<a href="{quote(contender, safe="")}/{quote(text, safe="")}">{escape(shown)}</a>'


def contender_and_text(link: str) -> tuple[str, str]:
    """Whom a link is about, and on which text."""
    contender, _, text = link.partition("/")
    return unquote(contender), unquote(text)
