"""A process of its own for a share of a hunt: what a library breaks there breaks nothing else.

It answers messages on a pipe, one at a time:

    ("load",)          what is known before any text
    ("batch", number)  the Batch of the texts with that number
    ("lines", lines)   the Batch of some of the user's own, each a Line
    ("texts", number)  the texts with that number
    ("some", texts)    their Batch
"""

from __future__ import annotations

from multiprocessing.connection import Connection
from typing import NamedTuple

from guiapp.analysis.bench.worker import answer_all, prepare_process
from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.generators import Material, batch
from guiapp.analysis.hunt.mismatches import Batch, Find, UserLine
from guiapp.analysis.hunt.pair import SidePair
from guiapp.analysis.hunt.searching import Searcher
from guiapp.analysis.hunt.sides import FileSide, LibrarySide
from guiapp.analysis.hunt.structures import short, special_texts, texts_of_differences
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.native.model_files import sliced


class HuntTask(NamedTuple):
    """What all workers of a hunt are told.

    model   path of the first
    other   path of the second, or the name of a library in PEERS
    names   what sentences call them, with code marks
    lines   of the user's own texts, to be changed
    pres    the pre-tokenizers to split by, as `open_model` takes them
    generators  names of those to take, none for all
    """

    model: str
    other: str
    names: tuple[str, str]
    seed: int
    lines: tuple[bytes, ...]
    pres: tuple[str | None, str | None] = (None, None)
    generators: tuple[str, ...] = ()


class LoadedSides(NamedTuple):
    """What is known before any text.  Unless they `can_differ`, the only find says why."""

    note: str
    finds: tuple[Find, ...]
    can_differ: bool


class HuntWorker:
    """One pair, and the texts for it."""

    def __init__(self, task: HuntTask) -> None:
        self._task = task

    def load(self) -> LoadedSides:
        task = self._task
        ours = open_model(task.model, task.pres[0])
        pair = open_pair(ours, task.other, task.names, task.pres[1])
        self._searcher = Searcher(pair)
        if pair.unrelated:
            reason = Reason(Cause.OTHER_VOCABULARY, "vocabularies", pair.unrelated)
            return LoadedSides("", (Find(b"", (None, None), 0, reason),), False)
        self._material = material_of(pair, ours, self._task.lines)
        return LoadedSides(pair.note, self._searcher.affixes(), True)

    def batch(self, number: int) -> Batch:
        name, texts = self._texts(number)
        return self._searcher.search(texts, name)

    def lines(self, lines: tuple[UserLine, ...]) -> Batch:
        return self._searcher.search_lines(lines)

    def texts(self, number: int) -> list[bytes]:
        return self._texts(number)[1]

    def _texts(self, number: int) -> tuple[str, list[bytes]]:
        return batch(self._material, self._task.seed, number, self._task.generators)

    def some(self, texts: tuple[bytes, ...]) -> Batch:
        return self._searcher.search(texts, "")


def open_pair(ours: Tokenizer, other: str, names: tuple[str, str], pre: str | None = None) -> SidePair:
    """Raises what opening the other one raises; `pre` splits its text."""
    if other not in PEERS:
        return SidePair(FileSide(names[0], ours), FileSide(names[1], open_model(other, pre)))
    library = LibrarySide(other, ours)
    return SidePair(FileSide(names[0], ours, library.parses_special), library)


def material_of(pair: SidePair, ours: Tokenizer, lines: tuple[bytes, ...]) -> Material:
    """What texts for a pair are made of."""
    theirs = pair.theirs.tokenizer
    both = [ours] if theirs is None else [ours, theirs]
    tokens = short(text for each in both for text in sliced(*each.vocabulary.token_bytes_table))
    special = short(text for each in both for text in special_texts(each))
    differences = [] if theirs is None else texts_of_differences(ours, theirs)
    return Material(differences, tokens, special, lines, pair.takes_bytes)


def serve(connection: Connection, task: HuntTask) -> None:
    """Answer until the pipe is closed."""
    prepare_process(threads=1)
    answer_all(connection, HuntWorker(task))
