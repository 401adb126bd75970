"""What is printed about a model and about an encoding, as plain values and lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from json import dumps
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.encode.encoding import Encoding
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import EncodeError

if TYPE_CHECKING:
    from guiapp.core.encode.reference.viterbi import Segmentation
    from guiapp.core.encode.tokenizer import Tokenizer

BACKGROUNDS = (24, 94, 29, 90, 58, 60)  # of the terminal's 256 colours; neighbours differ in hue
LONGEST_NAME = 4096
RESET = "\x1b[0m"


def info_report(tokenizer: Tokenizer, with_agreement: bool = False) -> dict[str, object]:
    """What the file says about its tokenizer; the record of `info --json`."""
    vocabulary = tokenizer.vocabulary
    kinds: dict[str, int] = {}
    _, firsts, counts = np.unique(vocabulary.attributes, return_index=True, return_counts=True)
    for token_id, count in zip(firsts.tolist(), counts.tolist(), strict=True):
        kind = vocabulary.kind(token_id)
        kinds[kind] = kinds.get(kind, 0) + count
    return {
        "path": quoted(str(vocabulary.path), LONGEST_NAME),
        "format": vocabulary.format,
        "name": quoted(vocabulary.name, LONGEST_NAME),
        "architecture": quoted(vocabulary.architecture, LONGEST_NAME),
        "type": vocabulary.type.value,
        "model": vocabulary.model,
        "pre": quoted(vocabulary.pre, LONGEST_NAME),
        "chosen_pre": vocabulary.chosen_pre,
        "tokens": len(vocabulary),
        "merges": _n_merges(tokenizer),
        "kinds": kinds,
        "special_ids": {role: i for role, i in asdict(vocabulary.special_ids).items() if i is not None},
        "end_of_generation": sorted(vocabulary.eog),
        "rules": asdict(vocabulary.rules) if vocabulary.parts is None else vocabulary.parts.model._asdict(),
        "encoders": list(tokenizer.encoders),
        "not_offered": dict(tokenizer.refused_encoders),
        **({"agreement": _agreement(tokenizer)} if with_agreement else {}),
        "metadata": {quoted(key, LONGEST_NAME): _plain(value) for key, value in vocabulary.metadata.items()},
        "exactness": asdict(tokenizer.exactness),
        "warnings": list(vocabulary.warnings),
    }


def value_text(value: object) -> str:
    """A value of a file for people: of an object that is a token the text, else JSON of what has parts."""
    if isinstance(value, dict) and isinstance(value.get("content"), str):
        return str(value["content"])
    return "none" if value is None else str(_plain(value))


def _plain(value: object) -> object:
    """A value as JSON has it, which knows no infinite numbers; what has parts as text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    return dumps(value, ensure_ascii=False, default=str) if isinstance(value, (dict, list)) else value


def _n_merges(tokenizer: Tokenizer) -> int:
    """Those in the file, or all that make its tokens where it is a list of ranks."""
    vocabulary, merging = tokenizer.vocabulary, tokenizer.merging
    if vocabulary.rules.merges_all_pairs and merging is not None:
        return len(merging.rules)
    return len(vocabulary.merge_offsets) - 1


def _agreement(tokenizer: Tokenizer) -> dict[str, dict[str, float]] | str:
    """By approximate encoder and sample; or why that cannot be told."""
    from guiapp.analysis.explain.encoder_agreement import measured_agreement

    try:
        return measured_agreement(tokenizer)
    except EncodeError as error:
        return str(error)


def ids_report(tokenizer: Tokenizer, encoding: Encoding) -> dict[str, object]:
    """The record of `tokenize --format json`; `bytes` is hexadecimal, `span` counts bytes of the text."""
    return {
        "encoder": encoding.encoder,
        "exactness": asdict(tokenizer.exactness),
        **_tokens_report(tokenizer, encoding),
    }


def segmentations_report(tokenizer: Tokenizer, best: Sequence[Segmentation]) -> dict[str, object]:
    """The record of `tokenize --best N --format json`; a score that is not finite is null."""
    return {
        "encoder": best[0].encoding.encoder,
        "exactness": asdict(tokenizer.exactness),
        "segmentations": [
            {
                "score": each.score if isfinite(each.score) else None,
                **_tokens_report(tokenizer, each.encoding),
            }
            for each in best
        ],
    }


def _tokens_report(tokenizer: Tokenizer, encoding: Encoding) -> dict[str, object]:
    vocabulary = tokenizer.vocabulary
    ids, spans = encoding.token_ids.tolist(), encoding.spans.tolist()
    return {
        "token_ids": ids,
        "tokens": [
            {
                "id": token_id,
                "span": span,
                "raw": vocabulary.raw_text(token_id).decode("utf-8", "backslashreplace"),
                "bytes": vocabulary.token_bytes(token_id).hex(),
                "kind": vocabulary.kind(token_id),
            }
            for token_id, span in zip(ids, spans, strict=True)
        ],
    }


def token_lines(
    tokenizer: Tokenizer, encoding: Encoding, style: str, spelling: Spelling = Spelling.SIGNS
) -> Iterator[str]:
    """The encoding for people: one token a line ("table"), or the text with coloured spans ("color")."""
    return _table(tokenizer, encoding, spelling) if style == "table" else _coloured(tokenizer, encoding)


def _table(tokenizer: Tokenizer, encoding: Encoding, spelling: Spelling) -> Iterator[str]:
    vocabulary = tokenizer.vocabulary
    yield f"{'index':>7} {'id':>7} {'span':>17}  {'kind':12}  {'token':24}  bytes"
    rows = zip(encoding.token_ids.tolist(), encoding.spans.tolist(), strict=True)
    for index, (token_id, (start, end)) in enumerate(rows):
        token = spelling.token(vocabulary, token_id, 24)
        kind, hexadecimal = vocabulary.kind(token_id), vocabulary.token_bytes(token_id).hex(" ").upper()
        span = f"{start}–{end}"
        yield f"{index:>7} {token_id:>7} {span:>17}  {kind:12}  {token:24}  {hexadecimal}"


def _coloured(tokenizer: Tokenizer, encoding: Encoding) -> Iterator[str]:
    """The text in lines; what belongs to no token has no colour."""
    line: list[str] = []
    for data, background in _segments(tokenizer, encoding):
        shown = visible_text(data)
        line.append(shown if background is None else f"\x1b[48;5;{background};38;5;231m{shown}{RESET}")
        if data.endswith(b"\n"):
            yield "".join(line)
            line = []
    if line:
        yield "".join(line)


def _segments(tokenizer: Tokenizer, encoding: Encoding) -> Iterator[tuple[bytes, int | None]]:
    """The bytes of tokens, each with its colour, and the lines of what lies between them."""
    text, last_end = encoding.text_bytes, 0
    rows = zip(encoding.token_ids.tolist(), encoding.spans.tolist(), strict=True)
    for index, (token_id, (start, end)) in enumerate(rows):
        yield from ((line, None) for line in text[last_end:start].splitlines(keepends=True))
        data = text[start:end] or tokenizer.vocabulary.token_bytes(token_id)
        yield data, BACKGROUNDS[index % len(BACKGROUNDS)]
        last_end = end
    yield from ((line, None) for line in text[last_end:].splitlines(keepends=True))


# A text that brings the BOS or EOS along that is added anyway: models were never trained on two


def doubled_special(tokenizer: Tokenizer, head: Sequence[int], tail: Sequence[int]) -> str | None:
    """What is wrong where ids, encoded with `add_special`, hold a special token twice at an end.

    `head` and `tail` are their first two and their last two; None where all is well.
    """
    if len(head) < 2:
        return None
    before, after = tokenizer.special_affixes()
    sentences = []
    for added, ids, does in ((before, head, "begins"), (after, tail, "ends")):
        if added and ids[0] == ids[1] == added[0]:
            name = visible_text(tokenizer.vocabulary.raw_text(added[0]))
            sentences.append(f"The text {does} with {name}, and the model adds another one.")
    return " ".join(sentences) or None
