"""Pieces of pages: all words escaped, nothing fetched or obeyed but what a page itself brings."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from typing import NamedTuple

from guiapp.core.demo import resources_folder
from guiapp.core.text.figures import printable

BAR_PX = 100.0


class Html(str):
    """What is HTML already."""


class TableCell(NamedTuple):
    """A cell of a table.

    content  words, or HTML
    value    what it is sorted by, None behind all others
    kind     a class of the style sheet
    title    what is told who points at it
    """

    content: str
    value: float | str | None = None
    kind: str = ""
    title: str = ""


class TableColumn(NamedTuple):
    """The head of a column; figures are sorted from the largest down where `is_descending`."""

    title: str
    kind: str = ""
    is_descending: bool = False
    about: str = ""


def words(text: str) -> Html:
    """Words as they stand, nothing in them obeyed."""
    return Html(escape(printable(text)))


def html(text: str) -> Html:
    """HTML as it is, words escaped."""
    return text if isinstance(text, Html) else words(text)


def joined(parts: Iterable[str], between: str = "") -> Html:
    return Html(html(between).join(map(html, parts)))


def tag(name: str, content: str = "", **attributes: str) -> Html:
    """An element; attributes that are empty are left out, and `kind` is its class."""
    told = "".join(
        f' {"class" if key == "kind" else key.replace("_", "-")}="{words(value)}"'
        for key, value in attributes.items()
        if value
    )
    return Html(f"<{name}{told}>{html(content)}</{name}>")


def resource(name: str) -> str:
    """A style sheet or a script of pages."""
    return (resources_folder() / "page" / name).read_text(encoding="utf-8")


def beginning(title: str, style: str, script: str) -> str:
    """A document up to where its body begins; no style and no script is obeyed but these."""
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{words(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
    )


def _hash(inline: str) -> str:
    """What a policy calls a style or a script of the page itself."""
    return f"'sha256-{b64encode(sha256(inline.encode()).digest()).decode()}'"


def section(title: str, *content: str) -> Html:
    return tag("section", joined([tag("h2", title), *content], Html("\n")))


def table(columns: Sequence[TableColumn], rows: Iterable[Sequence[TableCell]], kind: str = "") -> Html:
    """A table whose first column holds names."""
    head = joined(
        tag(
            "th",
            each.title,
            scope="col",
            kind=each.kind,
            title=each.about,
            data_down="1" * each.is_descending,
        )
        for each in columns
    )
    body = joined((tag("tr", joined(map(_cell, row))) for row in rows), Html("\n"))
    whole = joined([tag("thead", tag("tr", head)), tag("tbody", body)], Html("\n"))
    return tag("div", tag("table", whole, kind=kind), kind="wide")


def _cell(cell: TableCell) -> Html:
    value = "" if cell.value is None else str(cell.value)
    return tag("td", cell.content, kind=cell.kind, title=cell.title, data_v=value)


def bar(share: float, low: float, high: float, kind: str) -> Html:
    """A bar of a share of the room, with the ends of its interval."""
    width, start, end = (f"{min(max(each, 0.0), 1.0) * BAR_PX:.2f}" for each in (share, low, high))
    return Html(
        f'<svg class="bar {kind}" viewBox="0 0 {BAR_PX:g} 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="10"/><path d="M{start} 5H{end}"/></svg>'
    )
