"""Tasks, and the cells that they become once their texts are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guiapp.core.bench.contenders.contender import as_split, split_name
from guiapp.core.bench.corpus import WORST_TEXTS, Corpus, fresh_text, stretched, worst_texts
from guiapp.core.bench.operations import N_SINGLE, SINGLY
from guiapp.core.bench.stages import STAGES, WHOLE, stage_names
from guiapp.core.tokenizer import Tokenizer

if TYPE_CHECKING:  # plans name the scenarios that are measured where nobody asks for others
    from guiapp.core.bench.plan import Plan

BYTES_PER_TOKEN = 4  # about
LONGEST_PART_BYTES = 100_000  # that surely hold more tokens than the longest part
N_PROMPTS = 64
N_PARTS = 64
N_UNSEEN, UNSEEN_BYTES = 2_048, 128
DOCUMENT_BYTES = 2_000
UNITS = {
    "encode each": N_PROMPTS,
    "count parts": N_PARTS,
    "encode parts": N_PARTS,
    SINGLY: N_SINGLE,
}  # of one call


class Task(NamedTuple):
    """What a cell is before its texts are made.

    operations  take turns like contenders, so that what machines do to their times falls on all of them
    text        the number of the corpus, or of the text of the worst case
    size_bytes  of the text, or of one of UNITS, about
    """

    scenario: str
    operations: tuple[str, ...]
    text: int
    size_bytes: int
    threads: int = 1

    @property
    def call_bytes(self) -> int:
        """What one call takes."""
        return self.size_bytes * UNITS.get(self.operations[0], 1)


@dataclass(frozen=True)
class Cell:
    """What all contenders do in turn.

    operations  what they do in each round, with
    texts       these; prompts and documents are several
    parts       of the only text, where parts are counted
    unit_bytes, unit_tokens   the size that times refer to; None where it is that of all texts together
    own_bytes   of the text that they are made of; less than all together where it is repeated
    only        by operation, the contenders that have it; all where nothing is said
    """

    scenario: str
    operations: tuple[str, ...]
    corpus: str
    texts: tuple[bytes, ...]
    parts: tuple[tuple[int, int], ...] = ()
    threads: int = 1
    unit_bytes: int | None = None
    unit_tokens: int | None = None
    own_bytes: int | None = None
    only: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_for(self, contender: str, operation: str) -> bool:
        return operation not in self.only or contender in self.only[operation]

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.texts)) if self.unit_bytes is None else self.unit_bytes


@dataclass(frozen=True)
class Setting:
    """What tasks become cells with."""

    plan: Plan
    tokenizer: Tokenizer
    corpora: Sequence[Corpus]

    def cell(self, task: Task, *texts: bytes) -> Cell:
        name, own_bytes = self.corpora[task.text].name, len(self.text(task, task.size_bytes))
        return Cell(task.scenario, task.operations, name, texts, threads=task.threads, own_bytes=own_bytes)

    def text(self, task: Task, size_bytes: int) -> bytes:
        """The text of a task, at least so long."""
        text = self.corpora[task.text].text
        if self.plan.repeat == "fresh" and size_bytes > len(text):
            return text + fresh_text(size_bytes - len(text), self.plan.seed)
        return text

    @property
    def contenders(self) -> tuple[str, ...]:
        return self.plan.contenders or tuple(self.tokenizer.encoders)


def whole(setting: Setting, task: Task) -> Cell:
    return setting.cell(task, setting.corpora[task.text].text)


def lengthened(setting: Setting, task: Task) -> Cell:
    return setting.cell(task, stretched(setting.text(task, task.size_bytes), task.size_bytes))


def prompts(setting: Setting, task: Task) -> Cell:
    prompts = _pieces(setting.corpora[task.text].text, task.size_bytes, N_PROMPTS)
    return replace(setting.cell(task, *prompts), unit_bytes=task.size_bytes)


def unseen(setting: Setting, task: Task) -> Cell:
    """Stretches from random places, so that hardly any comes twice."""
    text, size = setting.corpora[task.text].text, task.size_bytes
    starts = np.random.default_rng(setting.plan.seed).integers(0, len(text), N_UNSEEN).tolist()
    repeated = stretched(text, len(text) + size)
    prompts = dict.fromkeys(_from_character(repeated, start, size) for start in starts)
    return replace(setting.cell(task, *(prompts if len(prompts) > 1 else [*prompts] * 2)), unit_bytes=size)


def worst(setting: Setting, task: Task) -> Cell:
    name = WORST_TEXTS[task.text]
    text = worst_texts(setting.tokenizer.vocabulary, task.size_bytes, setting.plan.seed)[name]
    return Cell(task.scenario, task.operations, name, (text,))


def documents(setting: Setting, task: Task) -> Cell:
    """Texts of the length of a short page, as many as fill a batch."""
    text, n_documents = setting.text(task, task.size_bytes), max(task.size_bytes // DOCUMENT_BYTES, 1)
    return setting.cell(task, *_pieces(text, min(DOCUMENT_BYTES, task.size_bytes), n_documents))


def parts(setting: Setting, task: Task) -> Cell:
    """Parts of so many tokens, beginning at random tokens."""
    text = setting.text(task, LONGEST_PART_BYTES)
    if setting.plan.repeat == "same":
        text = stretched(text, max(len(text), LONGEST_PART_BYTES))
    spans = setting.tokenizer.encode(text, add_special=False, parse_special=False).spans
    if not len(spans):
        spans = np.array([[0, len(text)]])
    n_tokens = min(max(task.size_bytes // BYTES_PER_TOKEN, 1), len(spans))
    generator = np.random.default_rng(setting.plan.seed + n_tokens)
    first = generator.integers(0, len(spans) - n_tokens + 1, N_PARTS)
    bounds = spans[first, 0].tolist(), spans[first + n_tokens - 1, 1].tolist()
    parts = tuple(zip(*bounds, strict=True))
    mean_bytes = round(sum(end - start for start, end in parts) / N_PARTS)
    return replace(setting.cell(task, text), parts=parts, unit_bytes=mean_bytes, unit_tokens=n_tokens)


def stages(setting: Setting, task: Task) -> Cell:
    """The whole call, and each stage for those of our encoders that have it."""
    having: dict[str, set[str]] = {name: set() for name in STAGES}
    for contender in setting.contenders:
        name, is_split = split_name(contender)
        if name in setting.tokenizer.encoders:
            for stage in stage_names(as_split(setting.tokenizer, is_split), name):
                having[stage].add(contender)
    only = {stage: frozenset(names) for stage, names in having.items() if names}
    return replace(whole(setting, task), operations=(WHOLE, *only), only=only)


def _pieces(text: bytes, size_bytes: int, count: int) -> tuple[bytes, ...]:
    """Stretches of one size from places all over the text."""
    repeated = stretched(text, max(len(text), size_bytes) + size_bytes)
    starts = np.linspace(0, len(repeated) - size_bytes, count).astype(int).tolist()
    return tuple(_from_character(repeated, start, size_bytes) for start in starts)


def _from_character(text: bytes, start: int, size_bytes: int) -> bytes:
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return stretched(text[start : start + size_bytes + 4], size_bytes)
