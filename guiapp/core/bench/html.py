"""Pieces of reports: all words escaped, bars drawn without styles that the field's policy would forbid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from guiapp.core.vocab.quoting import printable

BAR_PX = 100.0
NOTHING = "–"


class Html(str):
    """What is HTML already."""


class Cell(NamedTuple):
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


class Column(NamedTuple):
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


def section(title: str, *content: str) -> Html:
    return tag("section", joined([tag("h2", title), *content], Html("\n")))


def table(columns: Sequence[Column], rows: Iterable[Sequence[Cell]], kind: str = "") -> Html:
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


def _cell(cell: Cell) -> Html:
    value = "" if cell.value is None else str(cell.value)
    return tag("td", cell.content, kind=cell.kind, title=cell.title, data_v=value)


def bar(share: float, low: float, high: float, kind: str) -> Html:
    """A bar of a share of the room, with the ends of its interval."""
    width, start, end = (f"{min(max(each, 0.0), 1.0) * BAR_PX:.2f}" for each in (share, low, high))
    return Html(
        f'<svg class="bar {kind}" viewBox="0 0 {BAR_PX:g} 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{width}" height="10"/><path d="M{start} 5H{end}"/></svg>'
    )
