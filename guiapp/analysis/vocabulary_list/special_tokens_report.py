"""Special tokens as JSON records, as CSV, and as lines: what `special` prints and the window copies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from guiapp.analysis.export.json_text import json_text
from guiapp.analysis.export.tables import NONE, csv_lines, padded, widths_of
from guiapp.analysis.vocabulary_list.special_tokens import SpecialToken, TokenReach
from guiapp.core.text.figures import counted, quoted

LONGEST = 40  # characters of a token in a line
LONGEST_ESCAPE = 10  # characters for one: \U000e0001
WAYS = {
    TokenReach.TEXT: "always",
    TokenReach.UNKNOWN: "if unknown",
    TokenReach.PARSED: "if parsed",
    TokenReach.NEVER: "no",
}
"""Whether text leads to a token, in a cell."""
CSV_HEAD = (
    *("id", "token", "kind", "roles", "mark", "reached", "text", "around", "end_of_generation"),
    *("strips", "in_template", "reserved", "unused"),
)


def record(tokens: Iterable[SpecialToken]) -> dict[str, Any]:
    """The record of `special --json`; `text` is null where no text is known to lead to the token."""
    return {"tokens": [_record(token) for token in tokens]}


def _record(token: SpecialToken) -> dict[str, Any]:
    return {
        "id": token.token_id,
        "token": token.name,
        "kind": token.kind,
        "roles": [{"role": role.name, "source": role.source} for role in token.roles],
        "mark": token.mark,
        "reached": token.reach.value,
        "text": None if token.text is None else token.text.decode("utf-8", "replace"),
        "around": token.affix_position or None,
        "end_of_generation": token.end or None,
        "looks_like_end": token.is_end_like,
        "strips": list(token.strips),
        "in_template": token.in_template,
        "reserved": token.is_reserved,
        "unused": token.is_unused,
    }


def csv_text(tokens: Iterable[SpecialToken]) -> str:
    """The same for a spreadsheet; several roles stand in one cell."""
    return csv_lines([CSV_HEAD, *map(_cells, tokens)])


def _cells(token: SpecialToken) -> list[object]:
    said = _record(token)
    said["roles"] = " ".join(role.name for role in token.roles)
    said["strips"] = " ".join(token.strips)
    said |= {name: "yes" if value else "no" for name, value in said.items() if isinstance(value, bool)}
    return ["" if said[name] is None else said[name] for name in CSV_HEAD]


def json_list(tokens: Iterable[SpecialToken]) -> str:
    """The texts as a JSON list, as `additional_special_tokens` takes them."""
    return json_text([token.name for token in tokens], 2) + "\n"


def python_list(tokens: Iterable[SpecialToken]) -> str:
    """Ids and texts as a list in Python."""
    lines = (f"    ({token.token_id}, {token.name!r}),\n" for token in tokens)
    return f"special_tokens = [\n{''.join(lines)}]\n"


def plain_list(tokens: Iterable[SpecialToken]) -> str:
    """Id and text of each on a line of its own, a tab between them."""
    return "".join(
        f"{token.token_id}\t{quoted(token.name, len(token.name) * LONGEST_ESCAPE)}\n" for token in tokens
    )


def end_text(token: SpecialToken) -> str:
    """`yes`, or that it goes on where people may take it for an end."""
    return "yes" if token.end else "looks so" if token.is_end_like else ""


COLUMNS: Sequence[tuple[str, Callable[[SpecialToken], str]]] = (
    ("id", lambda token: str(token.token_id)),
    ("token", lambda token: quoted(token.name, LONGEST)),
    ("role", lambda token: token.roles_text or ("unused" if token.is_unused else "")),
    ("kind", lambda token: token.kind),
    ("from text", lambda token: WAYS[token.reach]),
    ("ends", end_text),
    ("the file", lambda token: token.mark),
)


def text_lines(tokens: Sequence[SpecialToken]) -> Iterator[str]:
    """For people: a table, and what is in it."""
    rows = [
        [title for title, _ in COLUMNS],
        *([text(token) or NONE for _, text in COLUMNS] for token in tokens),
    ]
    if tokens:
        widths = widths_of(rows)
        yield from ("  ".join(padded(row, widths, [False] * len(row))).rstrip() for row in rows)
    yield summary(tokens)


def summary(tokens: Sequence[SpecialToken]) -> str:
    """`256 special tokens: 2 end a generation, 251 are unused.`"""
    if not tokens:
        return "No special tokens."
    facts = (
        (sum(bool(token.end) for token in tokens), "ends a generation", "end a generation"),
        (sum(token.is_unused for token in tokens), "is unused", "are unused"),
        (sum(token.reach is TokenReach.NEVER for token in tokens), *["not reached by its own text"] * 2),
    )
    told = ", ".join(f"{n:,} {one if n == 1 else several}" for n, one, several in facts if n)
    return counted(len(tokens), "special token") + (f": {told}." if told else ".")
