"""Which tokens of a record count in the loss, and why.

Characters select tokens as in `transformers`: a token counts if it has any of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import Encoding
from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import TokenloupeError

AUTO, GENERATION, DERIVED, COMPLETION, ALL, MARKER = KINDS = (
    "auto",
    "generation",
    "derived",
    "completion",
    "all",
    "marker",
)
BETWEEN = "…", "..."
ALL_ZEROS = "all zeros: the template has no generation tags"  # transformers warns, and trains nothing
IN_TAGS = "what is between the generation tags of the template"
TAG = re.compile(r"\{%[-+]?\s*generation\s*[-+]?%\}")  # as in transformers


class Why(IntEnum):
    """The reason why a token is trained or not."""

    OTHER = 0  # outside of the trained parts
    ADDED = 1  # BOS or EOS from the tokenizer
    IN_GENERATION = 2
    IN_TURN = 3  # the assistant writes it
    IN_COMPLETION = 4
    IN_MARKERS = 5
    ALL = 6
    CUT = 7  # after the maximum length

    @property
    def sentence(self) -> str:
        return SENTENCES[self]


FIRST_TRAINED, LAST_TRAINED = Why.IN_GENERATION.value, Why.ALL.value
SENTENCES = {
    Why.OTHER: "Not trained: outside of what the mask selects.",
    Why.ADDED: "Not trained: the tokenizer adds it.",
    Why.IN_GENERATION: "Trained: in a generation block of the template.",
    Why.IN_TURN: "Trained: the assistant writes it after the generation prompt.",
    Why.IN_COMPLETION: "Trained: part of the completion.",
    Why.IN_MARKERS: "Trained: between the markers.",
    Why.ALL: "Trained: the mask selects every token.",
    Why.CUT: "Cut off: after the maximum length.",
}


@dataclass(frozen=True)
class Mask:
    """Which part of a text is trained.

    kind    one of KINDS, but not AUTO
    why     this mask, in words
    first, last  the two markers of a MARKER mask
    transformers_result  the `assistant_masks` of `transformers` in words; "" if they are the same
    """

    kind: str
    why: str
    first: str = ""
    last: str = ""
    transformers_result: str = ""


def chosen_mask(given: str, template: str | None) -> Mask:
    """The mask of this name, or MARKER:A…B; `template` is None if the model has none.

    Raises TokenloupeError.
    """
    mask, is_tagged = _mask(given, template), bool(template and TAG.search(template))
    if template is None or mask.kind == GENERATION:
        return mask
    return replace(mask, transformers_result=IN_TAGS if is_tagged else ALL_ZEROS)


def _mask(given: str, template: str | None) -> Mask:
    kind, colon, markers = given.partition(":")
    if kind not in KINDS or bool(colon) != (kind == MARKER):
        names = ", ".join((*KINDS[:-1], f"{MARKER}:A…B"))
        raise TokenloupeError(f"“{quoted(given)}” is not a mask. Choose one of: {names}.")
    if kind == MARKER:
        sign = next((sign for sign in BETWEEN if sign in markers), "")
        first, _, last = markers.partition(sign) if sign else ("", "", "")
        if not first or not last:
            raise TokenloupeError("A marker mask needs two texts, such as marker:<|user|>…<|end|>.")
        first, last = (each.replace("\\n", "\n") for each in (first, last))
        why = f"what follows {quoted(first)}, up to and with {quoted(last)}"
        return Mask(MARKER, why, first, last)
    if kind != AUTO:
        return Mask(kind, "chosen")
    if template is not None and TAG.search(template):
        return Mask(GENERATION, "the template marks what the assistant writes")
    return Mask(DERIVED, "what each turn of the assistant has beyond the generation prompt")


def tokens_of(encoding: Encoding, text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """For spans of characters in order, the token range [first, end) that overlaps each."""
    return located([encoding], [text], [spans])[0][0]


def located(
    encodings: Sequence[Encoding], texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]
) -> list[tuple[list[tuple[int, int]], int | None]]:
    """`tokens_of` for many texts, each with the first token in which a span begins or ends, or None.

    Works on the joined texts at once: NumPy calls for each text would take most of the time.
    """
    data = b"\n".join(encoding.text_bytes for encoding in encodings)
    tokens = np.cumsum([0, *(len(encoding) for encoding in encodings)])
    sizes = np.cumsum([0, *(len(encoding.text_bytes) + 1 for encoding in encodings)])[:-1]
    starts, ends = (
        np.concatenate([np.zeros(0, np.int64), *(encoding.spans[:, side] for encoding in encodings)])
        + np.repeat(sizes, np.diff(tokens))
        for side in (0, 1)
    )
    rows = np.repeat(np.arange(len(spans)), [2 * len(each) for each in spans])
    flat = np.array([end for each in spans for span in each for end in span], np.int64)
    if data.isascii():
        flat += sizes[rows]
    else:
        first_bytes = np.flatnonzero(np.frombuffer(data, np.uint8) & 0xC0 != 0x80)
        characters = np.cumsum([0, *(len(text) + 1 for text in texts)])
        flat = np.append(first_bytes, len(data))[flat + characters[rows]]
    found = ends.searchsorted(flat, "right")
    crossed = np.flatnonzero(np.append(starts, len(data))[found] < flat)
    first_of = dict(zip(rows[crossed[::-1]].tolist(), found[crossed[::-1]].tolist(), strict=True))
    firsts = found[::2] - tokens[rows[::2]]
    lasts = np.maximum(starts.searchsorted(flat[1::2], "left") - tokens[rows[::2]], firsts)
    pairs = iter(zip(firsts.tolist(), lasts.tolist(), strict=True))
    bases = tokens.tolist()
    return [
        (list(islice(pairs, len(each))), first_of[row] - bases[row] if row in first_of else None)
        for row, each in enumerate(spans)
    ]


def between(text: str, first: str, last: str) -> Iterator[tuple[int, int]]:
    """The characters after each `first`, up to and including the next `last`, or to the end of the text."""
    at = text.find(first)
    while at >= 0:
        start = at + len(first)
        end = text.find(last, start)
        end = len(text) if end < 0 else end + len(last)
        yield start, end
        at = text.find(first, end)


def marked(n_tokens: int, tokens: Sequence[tuple[int, int]], why: Why) -> NDArray[np.uint8]:
    """uint8[n]: the Why of each token."""
    result = np.zeros(n_tokens, np.uint8)
    for start, end in tokens:
        result[start:end] = why.value
    return result
