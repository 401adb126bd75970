"""The texts of the field: a few to be timed with, and some thousand on which ids are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from guiapp.analysis.bench.corpus import SAMPLE, corpus_named
from guiapp.analysis.hunt.generators import Material, batch, short
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.packed_texts import sliced
from guiapp.core.text.utf8 import is_text

GENERATORS = (
    "short texts",
    "digits",
    "contractions",
    "spaces and line ends",
    "edges of words",
    "composed characters",
    "random tokens",
    "signs",
)


class TimedText(NamedTuple):
    """A text to be timed with: what it is, and its name as `corpus_named` knows it."""

    title: str
    corpus: str


BUILT_IN = (
    TimedText("English", f"{SAMPLE}everyday"),
    TimedText("Code", f"{SAMPLE}code"),
    TimedText("Japanese", f"{SAMPLE}japanese"),
    TimedText("Mixed", f"{SAMPLE}languages"),
)


class ComparedText(NamedTuple):
    """A text to compare ids on, and where it is from."""

    origin: str
    text: bytes


def compared_texts(tokenizer: Tokenizer, timed: Sequence[TimedText], seed: int) -> list[ComparedText]:
    """The same texts for the same vocabulary, texts and seed, the shortest first.

    Lines of all samples and of the texts to be timed, these as a whole, and those that hunts generate.  None
    holds tokens that a file cuts out of ordinary text: not every library can be told of these.
    """
    origins: dict[bytes, str] = {}
    for origin, text in _all_texts(tokenizer, timed, seed):
        if text and is_text(text):
            origins.setdefault(text, origin)
    partition = tokenizer.special_tokens.partition
    kept = [text for text in origins if not len(partition(np.frombuffer(text, np.uint8), False).ids)]
    return [ComparedText(origins[text], text) for text in sorted(kept, key=lambda text: (len(text), text))]


def _all_texts(tokenizer: Tokenizer, timed: Sequence[TimedText], seed: int) -> Iterator[tuple[str, bytes]]:
    samples = [(f"sample “{sample.name}”", sample_text(sample.name)) for sample in SAMPLES]
    own = [(text.title, corpus_named(text.corpus, tokenizer.vocabulary).text) for text in timed]
    for origin, text in samples + own:
        yield from ((f"a line of {origin}", line) for line in text.splitlines(keepends=True))
        yield origin, text
    tokens = short(sliced(*tokenizer.vocabulary.token_bytes_table))
    material = Material((), tokens, (), (), takes_bytes=False)
    for name in GENERATORS:
        yield from ((f"generated: {name}", text) for text in batch(material, seed, 0, (name,))[1])
