"""Where a token of a prompt is from, in words."""

from __future__ import annotations

from guiapp.analysis.chat.chat import ADDED, TokenOrigin
from guiapp.analysis.chat.traced import CHANGED, CONTENT
from guiapp.core.vocabulary.quoting import quoted

LONGEST_ROLE = 24


def places(origin: TokenOrigin) -> list[str]:
    """Whose the token is and where there, at length and shorter."""
    if origin.kind == ADDED:
        return ["put there by the tokenizer, not by the template", "added"]
    if not origin.is_content:
        whom = "" if origin.message is None else f", for message {origin.message + 1}"
        return [f"the template's own{whom}", "template"]
    role = quoted(origin.role, LONGEST_ROLE)
    owner = "a tool" if origin.message is None else f"message {origin.message + 1}, {role}"
    field = "its text" if origin.field in ("", "content") else quoted(origin.field)
    said, shorter = [owner], list[str]()
    if origin.kind == CONTENT:
        said.append(f"characters {origin.start:,}–{origin.end:,} of {field}")
        shorter.append(f"{owner} · characters {origin.start:,}–{origin.end:,}")
    elif origin.kind == CHANGED:
        said.append(f"made of {field}")
    if origin.is_mixed:
        said.append("with what is around it")
    return [" · ".join(said), *shorter, owner]


def line_of(origin: TokenOrigin) -> str:
    """Which line of the template wrote it; "" where that is none."""
    return f"written by line {origin.line}" if origin.line else ""
