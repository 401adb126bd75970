"""Tasks, and the cells that they become once their texts are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guiapp.analysis.bench.corpus import WORST_TEXTS, BenchText, fresh_text, stretched, worst_texts
from guiapp.analysis.bench.operations import N_SINGLE, SINGLY
from guiapp.core.encode.tokenizer import Tokenizer

if TYPE_CHECKING:  # plans name the scenarios that are measured where nobody asks for others
    from guiapp.analysis.bench.plan import Plan

N_PROMPTS = 64
N_UNSEEN, UNSEEN_BYTES = 2_048, 128
DOCUMENT_BYTES = 2_000
UNITS = {"encode each": N_PROMPTS, SINGLY: N_SINGLE}  # of one call


class CellTask(NamedTuple):
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
class BenchCell:
    """What all contenders do in turn.

    operations  what they do in each round, with
    texts       these; prompts and documents are several
    unit_bytes  the size that times refer to; None where it is that of all texts together
    own_bytes   of the text that they are made of; less than all together where it is repeated
    """

    scenario: str
    operations: tuple[str, ...]
    corpus: str
    texts: tuple[bytes, ...]
    threads: int = 1
    unit_bytes: int | None = None
    own_bytes: int | None = None

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.texts)) if self.unit_bytes is None else self.unit_bytes


@dataclass(frozen=True)
class CellBuilder:
    """What tasks become cells with."""

    plan: Plan
    tokenizer: Tokenizer
    corpora: Sequence[BenchText]

    def cell(self, task: CellTask, *texts: bytes) -> BenchCell:
        name, own_bytes = self.corpora[task.text].name, len(self.text(task, task.size_bytes))
        return BenchCell(
            task.scenario, task.operations, name, texts, threads=task.threads, own_bytes=own_bytes
        )

    def text(self, task: CellTask, size_bytes: int) -> bytes:
        """The text of a task, at least so long."""
        text = self.corpora[task.text].text
        if self.plan.repeat == "fresh" and size_bytes > len(text):
            return text + fresh_text(size_bytes - len(text), self.plan.seed)
        return text


def whole(setting: CellBuilder, task: CellTask) -> BenchCell:
    return setting.cell(task, setting.corpora[task.text].text)


def lengthened(setting: CellBuilder, task: CellTask) -> BenchCell:
    return setting.cell(task, stretched(setting.text(task, task.size_bytes), task.size_bytes))


def prompts(setting: CellBuilder, task: CellTask) -> BenchCell:
    prompts = _pieces(setting.corpora[task.text].text, task.size_bytes, N_PROMPTS)
    return replace(setting.cell(task, *prompts), unit_bytes=task.size_bytes)


def unseen(setting: CellBuilder, task: CellTask) -> BenchCell:
    """Stretches from random places, so that hardly any comes twice."""
    text, size = setting.corpora[task.text].text, task.size_bytes
    starts = np.random.default_rng(setting.plan.seed).integers(0, len(text), N_UNSEEN).tolist()
    repeated = stretched(text, len(text) + size)
    prompts = dict.fromkeys(_from_character(repeated, start, size) for start in starts)
    return replace(setting.cell(task, *(prompts if len(prompts) > 1 else [*prompts] * 2)), unit_bytes=size)


def worst(setting: CellBuilder, task: CellTask) -> BenchCell:
    name = WORST_TEXTS[task.text]
    text = worst_texts(setting.tokenizer.vocabulary, task.size_bytes, setting.plan.seed)[name]
    return BenchCell(task.scenario, task.operations, name, (text,))


def documents(setting: CellBuilder, task: CellTask) -> BenchCell:
    """Texts of the length of a short page, as many as fill a batch."""
    text, n_documents = setting.text(task, task.size_bytes), max(task.size_bytes // DOCUMENT_BYTES, 1)
    return setting.cell(task, *_pieces(text, min(DOCUMENT_BYTES, task.size_bytes), n_documents))


def _pieces(text: bytes, size_bytes: int, count: int) -> tuple[bytes, ...]:
    """Stretches of one size from places all over the text."""
    repeated = stretched(text, max(len(text), size_bytes) + size_bytes)
    starts = np.linspace(0, len(repeated) - size_bytes, count).astype(int).tolist()
    return tuple(_from_character(repeated, start, size_bytes) for start in starts)


def _from_character(text: bytes, start: int, size_bytes: int) -> bytes:
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return stretched(text[start : start + size_bytes + 4], size_bytes)
