"""The ids that post-processors of `tokenizers` put around a single text.

Source: https://github.com/huggingface/tokenizers, tokenizers/src/processors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.vocabulary.quoting import quoted

Parts = list[list[int | None]]  # ids in order; None stands for the text

MOST_AROUND = 1 << 12  # ids


def affix_ids(spec: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Those before and behind.  Raises ComponentError with what is wrong."""
    ids = list(chain(*_applied(spec, [[None]])))
    if ids.count(None) != 1:
        raise ComponentError(
            "has a post-processor that repeats or drops the text, rather than to put ids around it"
        )
    if (n_around := len(ids) - 1) > MOST_AROUND:
        raise ComponentError(f"has a post-processor that puts {n_around:,} ids around a text")
    at = ids.index(None)
    return _whole(ids[:at]), _whole(ids[at + 1 :])


def _whole(ids: list[int | None]) -> tuple[int, ...]:
    return tuple(token_id for token_id in ids if token_id is not None)


def _applied(spec: Any, parts: Parts) -> Parts:
    """What a processor makes of a text that others may have put ids around."""
    if spec is None:
        return parts
    kind = spec["type"]
    if kind == "Sequence":
        for each in spec["processors"]:
            parts = _applied(each, parts)
        return parts
    if kind not in PROCESSORS:
        raise ComponentError(f"uses a post-processor “{quoted(str(kind))}”, which is not known here")
    return PROCESSORS[kind](spec, parts)


def _template(spec: Any, parts: Parts) -> Parts:
    if len(parts) > 2:
        raise ComponentError("has a post-processor that fills a template from more than two parts")
    template = spec["single"] if len(parts) == 1 else spec["pair"]
    return [list(piece) for piece in _filled(template, spec["special_tokens"], parts)]


def _filled(template: Any, special: Any, parts: Parts) -> Iterator[list[int | None]]:
    for piece in template:
        if "SpecialToken" in piece:
            yield list(map(_id, special[piece["SpecialToken"]["id"]]["ids"]))
        elif (sequence := piece["Sequence"]["id"]) in ("A", "B")[: len(parts)]:
            yield parts[0 if sequence == "A" else 1]
        else:
            raise ComponentError(
                f"has a post-processor that wants a text “{quoted(str(sequence))}” where there is none"
            )


def _bert(spec: Any, parts: Parts) -> Parts:
    first, last = _id(spec["cls"][1]), _id(spec["sep"][1])
    return [[first, *parts[0], last], *([*part, last] for part in parts[1:])]


def _roberta(spec: Any, parts: Parts) -> Parts:
    first, last = _id(spec["cls"][1]), _id(spec["sep"][1])
    return [[first, *parts[0], last], *([last, *part, last] for part in parts[1:])]


def _byte_level(spec: Any, parts: Parts) -> Parts:
    """It only changes offsets."""
    return parts


PROCESSORS: dict[str, Callable[[Any, Parts], Parts]] = {
    "TemplateProcessing": _template,
    "BertProcessing": _bert,
    "RobertaProcessing": _roberta,
    "ByteLevel": _byte_level,
}


def _id(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ComponentError(f"has a post-processor with the id {quoted(repr(value))}")
    return value
