"""A conversation in tokens as a JSON record and as lines: what `chat` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.chat import Chat
from guiapp.analysis.chat.fixes import Fix
from guiapp.analysis.chat.hints import Hint
from guiapp.analysis.chat.token_origins import AT_ONCE, TokenOrigin
from guiapp.analysis.chat.turns import Turn
from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.encode.encoding import Encoding
from guiapp.core.text.figures import counted, quoted

SIGNS = Spelling.SIGNS
AROUND, LONGEST_LINE = 60, 200  # characters of a line of the template


def chat_record(chat: Chat, hints: Sequence[Hint]) -> dict[str, Any]:
    """The record of `chat --json`; what something does not have is null, messages count from 0.

    Tokens are told one after the other, for `json_parts`: all at once may fill memory.
    """
    budget = chat.budget
    return {
        "text": chat.text,
        "token_ids": _numbers(chat.token_ids),
        "tokens": _tokens(chat, chat.encoding, chat.origins),
        "generated": np.flatnonzero(chat.is_generated).tolist(),
        "turns": [turn_record(turn) for turn in chat.turns],
        "as_text": {
            "token_ids": _numbers(chat.as_text.token_ids),
            "tokens": _tokens(chat, chat.as_text, chat.as_text_origins),
        }
        if differs(chat)
        else None,
        "hints": [_hint_record(hint) for hint in hints],
        "budget": {
            "tokens": budget.n_tokens,
            "template": budget.n_template,
            "added": budget.n_added,
            "roles": budget.by_role,
            "messages": budget.by_message,
        },
        "template": {
            "name": chat.template.name,
            "source": chat.template.source,
            "lines": list(chat.rendering.lines),
            "elapsed_ns": chat.rendering.elapsed_ns,
        },
    }


def turn_record(turn: Turn) -> dict[str, Any]:
    return {
        "tokens": [turn.start, turn.end],
        "message": turn.message,
        "role": turn.role or None,
        "is_prompt": turn.is_prompt,
    }


def differs(chat: Chat) -> bool:
    """Whether content as text has other tokens, and is not what was asked for."""
    return not np.array_equal(chat.as_text.token_ids, chat.token_ids)


def _numbers(ids: NDArray[np.int32]) -> Iterator[int]:
    for first in range(0, len(ids), AT_ONCE):
        yield from ids[first : first + AT_ONCE].tolist()


def _tokens(chat: Chat, encoding: Encoding, origins: Sequence[TokenOrigin]) -> Iterator[dict[str, Any]]:
    text_of = cache(partial(SIGNS.token, chat.tokenizer.vocabulary))
    for first in range(0, len(encoding), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        rows = zip(
            encoding.token_ids[some].tolist(), encoding.spans[some].tolist(), origins[some], strict=True
        )
        for token_id, span, origin in rows:
            yield {
                "id": token_id,
                "text": text_of(token_id),
                "span": span,
                "origin": origin.kind,
                "message": origin.message,
                "role": origin.role or None,
                "field": origin.field or None,
                "field_span": [origin.start, origin.end] if origin.end else None,
                "line": origin.line or None,
                "mixed": origin.is_mixed,
                "also": origin.also,
            }


def _hint_record(hint: Hint) -> dict[str, Any]:
    return {
        "code": hint.code,
        "severity": hint.severity,
        "what": hint.what,
        "tokens": hint.tokens,
        "message": hint.message,
        "fix": None if hint.fix is None else _fix_record(hint.fix),
    }


def _fix_record(fix: Fix) -> dict[str, Any]:
    edit = None if fix.edit is None else fix.edit._asdict()
    template = None if fix.template is None else fix.template._asdict()
    said = {"label": fix.label, "add_special": fix.add_special, "as_text": fix.as_text}
    return {**said, "edit": edit, "template": template, "remedy": fix.remedy or None}


def chat_lines(chat: Chat, hints: Sequence[Hint]) -> Iterator[str]:
    """For people: the budget, the tokens by origin, and what to look at."""
    budget = chat.budget
    roles = [f"{count:,} {quoted(role)}" for role, count in budget.by_role.items()]
    parts = [
        f"{budget.n_template:,} template",
        *roles,
        *([f"{budget.n_added:,} added"] if budget.n_added else []),
    ]
    yield f"{counted(budget.n_tokens, 'token')}: {', '.join(parts)}"
    yield f"template {quoted(chat.template.name)}, from {quoted(chat.template.source)}"
    yield ""
    yield from _token_lines(chat, chat.encoding, chat.origins)
    if differs(chat):
        yield f"\nContent encoded as text, {counted(len(chat.as_text), 'token')}:"
        yield from _token_lines(chat, chat.as_text, chat.as_text_origins)
    for hint in hints:
        yield f"\n{hint.severity}: {hint.what}"
        if hint.fix is not None and (way := _way(chat, hint.fix)):
            yield f"  {way}"


def _way(chat: Chat, fix: Fix) -> str:
    """How people mend it who have no button; "" for what is plain from the hint."""
    if fix.template is not None:
        whole, (start, end, instead) = chat.template.source_text, fix.template
        before = whole[max(whole.rfind("\n", 0, start) + 1, start - AROUND) : start]
        behind, _, _ = whole[end : end + AROUND].partition("\n")
        number = whole.count("\n", 0, start) + 1
        return f"line {number} of the template, mended: {quoted(before + instead + behind, LONGEST_LINE)}"
    options = {"--no-special": fix.add_special is False, "--as-text": fix.as_text is True}
    return fix.remedy or next((f"mended by {name}" for name, is_it in options.items() if is_it), "")


def _token_lines(chat: Chat, encoding: Encoding, origins: Sequence[TokenOrigin]) -> Iterator[str]:
    """A line for all tokens in a row that are from the same."""
    vocabulary = chat.tokenizer.vocabulary
    tokens = zip(encoding.token_ids.tolist(), origins, strict=True)
    for label, group in groupby(tokens, lambda token: _label(token[1])):
        yield f"{label:24}{' '.join(SIGNS.token(vocabulary, token_id) for token_id, _ in group)}"


def _label(origin: TokenOrigin) -> str:
    if origin.message is None or not origin.is_content:
        return f"{origin.kind} {origin.line}" if origin.line else origin.kind
    role = quoted(origin.role, 12)
    return (
        f"{origin.message + 1} {role}"
        if origin.field == "content"
        else f"{origin.message + 1} {role}, {quoted(origin.field)}"
    )
