"""Remarks on a run as rich text: where ids differ, a click leads there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from urllib.parse import quote, unquote

from guiapp.core.bench.measurement import Record


def linked(remarks: Sequence[str], results: Sequence[Record]) -> Iterator[str]:
    """Each sentence; the name in front of one about ids that differ is a link."""
    differing = {
        f"{row['contender']} differs on {row['corpus']} ": row for row in results if row["first_difference"]
    }
    for told in remarks:
        row = next((row for begin, row in differing.items() if told.startswith(begin)), None)
        if row is None:
            yield escape(told)
        else:
            name = row["contender"]
            link = f"{quote(name, safe='')}/{quote(row['corpus'], safe='')}"
            yield f'<a href="{link}">{escape(name)}</a>{escape(told.removeprefix(name))}'


def contender_and_text(link: str) -> tuple[str, str]:
    """Whom a link is about, and on which text."""
    contender, _, text = link.partition("/")
    return unquote(contender), unquote(text)
