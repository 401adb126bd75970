"""Two prompts of one conversation as a JSON record and as lines: what `chat --beside` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.chat import Chat
from guiapp.analysis.chat.comparison import ChatComparison, TurnPair
from guiapp.analysis.chat.hints import Hint
from guiapp.analysis.chat.report import SIGNS, chat_record, turn_record
from guiapp.analysis.chat.turns import Turn
from guiapp.analysis.doctor.findings import WARNING
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.quoting import quoted


def comparison_record(
    compared: ChatComparison, hints: tuple[list[Hint], list[Hint]], told: str = ""
) -> dict[str, Any]:
    """The record of `chat --json` where something is beside: that of each, and how they differ.

    told  of llama.cpp, in what its prompt is another; "" for nothing
    """
    only_first, only_second = (np.flatnonzero(~shared).tolist() for shared in compared.is_shared)
    return {
        "first": chat_record(compared.first, hints[0]),
        "second": chat_record(compared.second, hints[1]),
        "same_text": compared.first.text == compared.second.text,
        "same_ids": compared.has_same_ids,
        "told": told or None,
        "counts": [count._asdict() for count in compared.counts],
        "turns": [
            {"first": first and turn_record(first), "second": second and turn_record(second)}
            for first, second in compared.turns
        ],
        "only_first": only_first,
        "only_second": only_second,
    }


def comparison_lines(
    compared: ChatComparison, names: tuple[str, str], told: str = "", hints: Sequence[Hint] = ()
) -> Iterator[str]:
    """For people: counts, and by turn what only the first (-) and only the second (+) has; warnings last."""
    first, second = (len(chat.encoding) for chat in (compared.first, compared.second))
    yield f"- {names[0]}: {counted(first, 'token')}"
    yield f"+ {names[1]}: {counted(second, 'token')}"
    if told:
        yield told
    yield ""
    yield f"{'':16}{'-':>10}{'+':>10}"
    for name, here, there in compared.counts:
        if here or there:
            yield f"{quoted(name, 15):16}{here:>10,}{there:>10,}" + (
                f"{there - here:>+10,}" if there != here else ""
            )
    for pair in compared.turns:
        yield ""
        yield from _turn_lines(compared, pair)
    for hint in hints:
        if hint.severity == WARNING:
            yield f"\n{hint.severity}: {hint.what}"


def _turn_lines(compared: ChatComparison, pair: TurnPair) -> Iterator[str]:
    sides = zip("-+", (compared.first, compared.second), pair, compared.is_shared, strict=True)
    told = [(sign, _only(chat, turn, shared)) for sign, chat, turn, shared in sides if turn]
    # of one side, as both have the same of these
    n_alike = next(
        int(shared[turn.start : turn.end].sum())
        for turn, shared in zip(pair, compared.is_shared, strict=True)
        if turn
    )
    yield f"{_name(pair.first or pair.second)}: {n_alike:,} alike"
    yield from (f"  {sign} {only}" for sign, only in told if only)


def _only(chat: Chat, turn: Turn, is_shared: NDArray[np.bool_]) -> str:
    """The tokens of a turn that the other side has not, those it has as one `…`."""
    shown = list[str]()
    for place in range(turn.start, turn.end):
        if not is_shared[place]:
            shown.append(SIGNS.token(chat.tokenizer.vocabulary, int(chat.token_ids[place])))
        elif shown and shown[-1] != "…":
            shown.append("…")
    return " ".join(shown).removesuffix(" …")


def _name(turn: Turn | None) -> str:
    if turn is None or turn.is_prompt:
        return "generation prompt"
    if turn.message is None:
        return f"template, {turn.role}" if turn.role else "template"
    return f"{turn.message + 1} {quoted(turn.role)}"
