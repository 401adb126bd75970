"""Compare the ids of each contender with ours on some thousand texts; if they differ, ask the references.

Ours count as right only if another reference gives the same; if none does, no contender is called wrong.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from guiapp.analysis.bench.field.texts import ComparedText
from guiapp.analysis.bench.worker import AskedProcess, ContenderFailed, Ids, WorkerLost
from guiapp.analysis.hunt.searching import shrunk
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.visible_text import visible_text

REFERENCES = ("tiktoken", "tokenizers", "sentencepiece", "llama.cpp", "mistral-common")
EQUAL, WRONG, DISPUTED, LEFT_OUT, LOST = "equal", "wrong", "disputed", "left out", "lost"
STATES = (EQUAL, WRONG, DISPUTED, LEFT_OUT, LOST)
BATCH = 1_000  # texts in one request
MOST_SHOWN = 40  # characters of a token
BATCH_LIMIT_S, TEXT_LIMIT_S, SHRINKING_S = 60.0, 10.0, 15.0


@dataclass(frozen=True)
class IdDifference:
    """The shortest text known on which ids differ.

    origin      where the text comes from that was shrunk to this one
    found       None if the contender refuses the text
    expected_tokens, found_tokens   the same tokens as visible texts
    agreeing    the references that give the expected ids
    deviating   the references, other than the contender, that give the ids found
    """

    text: str
    origin: str
    expected: tuple[int, ...]
    found: tuple[int, ...] | None
    expected_tokens: tuple[str, ...] = ()
    found_tokens: tuple[str, ...] = ()
    agreeing: tuple[str, ...] = ()
    deviating: tuple[str, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """The verdict on a contender's ids with one vocabulary.

    state       one of STATES
    reason      why it was left out or lost, as a sentence
    from_file   whether it read the given file itself; else a file that was converted from it
    n_texts, n_different   texts on which ids were compared, and on which they differ
    """

    contender: str
    state: str
    version: str = ""
    reason: str = ""
    from_file: bool = False
    n_texts: int = 0
    n_different: int = 0
    difference: IdDifference | None = None


class ExactnessCheck:
    """Compares the ids of contenders with ours.

    texts  the shortest first
    """

    def __init__(self, tokenizer: Tokenizer, texts: Sequence[ComparedText]) -> None:
        self._tokenizer = tokenizer.with_threads(1)
        self._texts = texts
        self._expected = self._tokenizer.encode_each([each.text for each in texts], False, False)

    def check(self, contender: str, worker: AskedProcess) -> Judgement:
        """Judge the ids of a loaded worker; the caller adds `version` and `from_file`."""
        try:
            different = self._different(worker)
            found = self._shrunk(worker, different[0]) if different else None
        except (ContenderFailed, WorkerLost) as error:
            return Judgement(contender, LOST, reason=str(error), n_texts=len(self._texts))
        state = WRONG if different else EQUAL
        return Judgement(contender, state, "", "", False, len(self._texts), len(different), found)

    def _different(self, worker: AskedProcess) -> list[ComparedText]:
        different: list[ComparedText] = []
        for start in range(0, len(self._texts), BATCH):
            some = self._texts[start : start + BATCH]
            found = worker.ask(BATCH_LIMIT_S, "ids", [each.text for each in some])
            rows = zip(some, self._expected[start : start + BATCH], found, strict=True)
            different += [each for each, right, ids in rows if not _are_equal(right, ids)]
        return different

    def _shrunk(self, worker: AskedProcess, origin: ComparedText) -> IdDifference:
        """Shrink a text on which ids differ, for up to SHRINKING_S; raises ContenderFailed or WorkerLost."""
        deadline = time.monotonic() + SHRINKING_S

        def differs(text: bytes) -> bool:
            if time.monotonic() > deadline:
                return False
            return not _are_equal(self._ids(text), _ids_by(worker, text))

        text = shrunk(origin.text, differs)
        found = _ids_by(worker, text)
        expected = tuple(self._ids(text).tolist())
        told = None if found is None else tuple(found.tolist())
        return IdDifference(
            text.decode(), origin.origin, expected, told, self._tokens(expected), self._tokens(told or ())
        )

    def _tokens(self, ids: Sequence[int]) -> tuple[str, ...]:
        vocabulary = self._tokenizer.vocabulary
        return tuple(
            visible_text(vocabulary.token_bytes(token), MOST_SHOWN) if 0 <= token < len(vocabulary) else "?"
            for token in ids
        )

    def _ids(self, text: bytes) -> Ids:
        return self._tokenizer.encode(text, False, False).token_ids


def with_references(verdicts: Sequence[Judgement], workers: Mapping[str, AskedProcess]) -> list[Judgement]:
    """The verdicts, with the references that give the same ids; `workers` are the loaded references.

    A contender is wrong if a reference other than itself gives the expected ids; else it is disputed.
    """
    return [_asked(each, workers) for each in verdicts]


def _asked(verdict: Judgement, workers: Mapping[str, AskedProcess]) -> Judgement:
    difference = verdict.difference
    if difference is None:
        return verdict
    agreeing, deviating = [], []
    for name, worker in workers.items():
        if name == verdict.contender:
            continue
        try:
            ids = _ids_by(worker, difference.text.encode())
        except (ContenderFailed, WorkerLost):
            continue
        told = None if ids is None else tuple(ids.tolist())
        if told == difference.expected:
            agreeing.append(name)
        elif told == difference.found:
            deviating.append(name)
    told_by = replace(difference, agreeing=tuple(agreeing), deviating=tuple(deviating))
    return replace(verdict, state=WRONG if agreeing else DISPUTED, difference=told_by)


def _ids_by(worker: AskedProcess, text: bytes) -> Ids | None:
    found: list[Ids | None] = worker.ask(TEXT_LIMIT_S, "ids", [text])
    return found[0]


def _are_equal(right: Ids, found: Ids | None) -> bool:
    return found is not None and np.array_equal(right, found)
