"""What findings are called, and their sentences in stretches: what the file says apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING, Finding

ICONS = {ERROR: ("error", "bad"), WARNING: ("warning", "warning"), HINT: ("hint", "dim")}
"""Icon and colour of the theme."""
QUOTED = re.compile("“([^“”]*)”")
CAPITALS = re.compile(r"\b(bos|eog)\b")


class SentencePart(NamedTuple):
    """A stretch of a sentence; `is_quoted` where it is what a file says."""

    text: str
    is_quoted: bool = False


def title_of(finding: Finding) -> str:
    """The code as words: `BOS twice`."""
    words = CAPITALS.sub(lambda found: found[0].upper(), finding.code.replace("_", " "))
    return words[:1].upper() + words[1:]


def sentence_parts(sentence: str) -> Iterator[SentencePart]:
    """The stretches of a sentence, what stands in quotes apart and without them."""
    end = 0
    for found in QUOTED.finditer(sentence):
        yield SentencePart(sentence[end : found.start()])
        yield SentencePart(found[1], True)
        end = found.end()
    yield SentencePart(sentence[end:])
