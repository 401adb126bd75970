"""The worker process of a hunt: tries texts on a pair of tokenizers, and shrinks those that differ."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

from guiapp.analysis.bench.worker import answer_all, prepare_process
from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.generators import Material, are_same, batch, short, texts_of_differences
from guiapp.analysis.hunt.mismatches import (
    MOST_LOCATIONS,
    MOST_TEXTS,
    Batch,
    Find,
    Kind,
    LineOffset,
    OfKind,
    UserLine,
)
from guiapp.analysis.hunt.pair import FileSide, LibrarySide, SidePair
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.native.model_files import sliced

MOST_TRIES = 600
SIMPLE = "a1. "  # the simplest first
MOST_LOOKED_AT = 12  # differing texts of a batch that are examined for their reason
MOST_LINES_LOOKED_AT = 200
MOST_KINDS = 100
MOST_OF_A_CAUSE = 20
MOST_SHORTENED = 40  # texts of a kind that are shortened to get several short ones
SHORT = 48  # bytes; the reason of a shorter text is found fast
CONTEXT_BYTES = (24, 24)  # bytes before and after the first difference in a long text
OWN_TEXTS = "your own texts"


class Searcher:
    """Searches for differences, and remembers the kinds that it has reported."""

    def __init__(self, pair: SidePair) -> None:
        self._pair = pair
        self._known: dict[Kind, int] = {}  # size of the shortest text in bytes
        self._texts: defaultdict[Kind, set[bytes]] = defaultdict(set)
        self._n_shortened: defaultdict[Kind, int] = defaultdict(int)

    def affixes(self) -> tuple[Find, ...]:
        """The mismatch for different BOS or EOS; empty if they are the same."""
        reason = self._pair.affixes()
        return () if reason is None else (self._find(b"", reason, ""),)

    def search(self, texts: Sequence[bytes], generator: str) -> Batch:
        """Find which texts differ, and why; for known kinds, report some further short texts.

        If many differ, examine a sample, whose counts are extrapolated to the others.
        """
        return self._batch(texts, (), generator, MOST_LOOKED_AT)

    def search_lines(self, lines: Sequence[UserLine]) -> Batch:
        """`search` for the user's own lines, with the positions at which they differ."""
        return self._batch([line.text for line in lines], lines, OWN_TEXTS, MOST_LINES_LOOKED_AT)

    def _batch(self, texts: Sequence[bytes], lines: Sequence[UserLine], generator: str, most: int) -> Batch:
        differing = self._pair.differing(texts)
        n_texts = len(texts) - self._pair.n_refused
        step = -(-len(differing) // most) or 1
        counts: defaultdict[Kind, int] = defaultdict(int)
        locations: defaultdict[Kind, list[LineOffset]] = defaultdict(list)
        finds = []
        for at in range(0, len(differing), step):
            text = texts[differing[at]]
            kind, find = self._examine(text, generator)
            counts[kind] += min(step, len(differing) - at)
            finds += [find] if find else []
            if lines and len(locations[kind]) < MOST_LOCATIONS:
                locations[kind].append(LineOffset(lines[differing[at]], self._pair.first_difference(text)))
        kinds = tuple(OfKind(kind, n, tuple(locations[kind])) for kind, n in counts.items())
        return Batch(n_texts, len(differing), tuple(finds), kinds, bool(lines), generator)

    def _examine(self, text: bytes, generator: str) -> tuple[Kind, Find | None]:
        """The kind of a text that differs, and a mismatch if the kind or its short text is new."""
        text = self._narrowed(text)
        reason = self._pair.reason(text)
        if reason is None:
            return (Cause.UNTOLD, ""), None
        if len(text) >= self._known.get(reason.kind, len(text) + self._has_room(reason.cause)):
            return reason.kind, self._another(text, reason.kind, generator)
        smallest, found = self._smallest(text, reason)
        if len(smallest) >= self._known.get(found.kind, len(smallest) + 1):
            return reason.kind, self._another(text, reason.kind, generator)
        self._known[found.kind] = len(smallest)
        self._texts[found.kind].add(smallest)
        return reason.kind, self._find(smallest, found, generator)

    def _another(self, text: bytes, kind: Kind, generator: str) -> Find | None:
        """A further short text of a kind, if there are few: `text` without the characters not needed."""
        if len(self._texts[kind]) in (0, MOST_TEXTS) or self._n_shortened[kind] == MOST_SHORTENED:
            return None
        self._n_shortened[kind] += 1
        text = shortened(text, lambda some: self._is_of(kind, some))
        reason = self._pair.reason(text)
        if text in self._texts[kind] or reason is None:
            return None
        self._texts[kind].add(text)
        return self._find(text, reason, generator)

    def _is_of(self, kind: Kind, text: bytes) -> bool:
        reason = self._pair.reason(text) if text else None
        return reason is not None and reason.kind == kind

    def _smallest(self, text: bytes, reason: Reason) -> tuple[bytes, Reason]:
        """The smallest text of a kind; shrinking a long text may change its kind."""
        if len(text) > SHORT:
            text = shrunk(text, self._differs)
            reason = self._pair.reason(text) or reason
        kind = reason.kind
        text = shrunk(text, lambda some: self._is_of(kind, some))
        return text, self._pair.reason(text) or reason

    def _differs(self, text: bytes) -> bool:
        return text != b"" and self._pair.differs(text)

    def _has_room(self, cause: Cause) -> bool:
        """Whether the limits allow one more kind."""
        n_of_cause = sum(each is cause for each, _ in self._known)
        return len(self._known) < MOST_KINDS and n_of_cause < MOST_OF_A_CAUSE

    def _narrowed(self, text: bytes) -> bytes:
        """The context of the first difference in a long text if it differs alone, else the text shrunk."""
        if len(text) <= CONTEXT_BYTES[0] + CONTEXT_BYTES[1]:
            return text
        at = self._pair.first_difference(text)
        part = text[max(at - CONTEXT_BYTES[0], 0) : at + CONTEXT_BYTES[1]].decode("utf-8", "ignore").encode()
        return part if self._differs(part) else shrunk(text, self._differs)

    def _find(self, text: bytes, reason: Reason, generator: str) -> Find:
        mine, other = (None if ids is None else tuple(ids) for ids in self._pair.ids(text))
        at = self._pair.first_difference(text) if text else 0
        return Find(text, (mine, other), at, reason, generator, spans=self._pair.spans(text))


# The smallest text that still has a property: first remove parts, then simplify characters


def shrunk(text: bytes, holds: Callable[[bytes], bool], most_tries: int = MOST_TRIES) -> bytes:
    """Shrink a text for which `holds` is true until no character can be removed or simplified.

    An invalid byte of UTF-8 counts as a character.  After `most_tries` the result may not be minimal.
    """
    still = _limited(holds, most_tries)
    characters = text.decode("utf-8", "surrogateescape")
    while (smaller := _simpler(_shorter(characters, still), still)) != characters:
        characters = smaller
    return _bytes(characters)


def shortened(text: bytes, holds: Callable[[bytes], bool]) -> bytes:
    """Like `shrunk`, without simplifying characters."""
    still = _limited(holds, MOST_TRIES)
    return _bytes(_shorter(text.decode("utf-8", "surrogateescape"), still))


def _limited(holds: Callable[[bytes], bool], most_tries: int) -> Callable[[str], bool]:
    """`holds` for strings; False after `most_tries` calls."""
    tries = iter(range(most_tries))
    return lambda characters: next(tries, None) is not None and holds(_bytes(characters))


def _bytes(characters: str) -> bytes:
    return characters.encode("utf-8", "surrogateescape")


def _shorter(text: str, still: Callable[[str], bool]) -> str:
    """Remove every part that can go: halves first, single characters last."""
    size = max(len(text) // 2, 1)
    while True:
        at, is_shorter = 0, False
        while at < len(text):
            less = text[:at] + text[at + size :]
            if still(less):
                text, is_shorter = less, True
            else:
                at += size
        if size == 1 and not is_shorter:
            return text
        size = max(min(size // 2, len(text) // 2), 1)


def _simpler(text: str, still: Callable[[str], bool]) -> str:
    for at in range(len(text)):
        for character in _simpler_characters(text[at]):
            other = text[:at] + character + text[at + 1 :]
            if still(other):
                text = other
                break
    return text


def _simpler_characters(character: str) -> Iterator[str]:
    if character not in SIMPLE:
        yield from SIMPLE
        base = unicodedata.normalize("NFD", character)[0]
        for other in (base.lower(), base, character.lower()):
            if other != character and len(other) == 1 and other not in SIMPLE:
                yield other


# The child process for a share of a hunt: a library that crashes it harms nothing else


class HuntTask(NamedTuple):
    """The task of all workers of a hunt.

    model   path of the first model
    other   path of the second model, or the name of a library in PEERS
    names   the names of both in sentences, with code marks
    lines   lines of the user's own texts, for the generator that changes them
    pres    the pre-tokenizers to split with, as `open_model` takes them
    generators  names of the generators to use, empty for all
    """

    model: str
    other: str
    names: tuple[str, str]
    seed: int
    lines: tuple[bytes, ...]
    pres: tuple[str | None, str | None] = (None, None)
    generators: tuple[str, ...] = ()


OpenedSides = tuple[Tokenizer, Tokenizer | None]  # None for a library


class LoadedSides(NamedTuple):
    """What is known before any text is tried.  If not `can_differ`, the only mismatch explains why."""

    note: str
    finds: tuple[Find, ...]
    can_differ: bool


class HuntWorker:
    """Opens one pair, generates texts for it and searches them."""

    def __init__(self, task: HuntTask, opened: OpenedSides | None = None) -> None:
        self._task, self._opened = task, opened

    def load(self) -> LoadedSides:
        task = self._task
        ours, theirs = self._opened or (open_model(task.model, task.pres[0]), None)
        pair = open_pair(ours, theirs or task.other, task.names, task.pres[1])
        self._searcher = Searcher(pair)
        if pair.unrelated:
            reason = Reason(Cause.OTHER_VOCABULARY, "vocabularies", pair.unrelated)
            return LoadedSides("", (Find(b"", (None, None), 0, reason),), False)
        self._material = material_of(pair, ours, self._task.lines)
        return LoadedSides(pair.note, self._searcher.affixes(), True)

    def batch(self, number: int, most: int | None = None) -> Batch:
        name, texts = self._texts(number)
        return self._searcher.search(texts[:most], name)

    def lines(self, lines: tuple[UserLine, ...]) -> Batch:
        return self._searcher.search_lines(lines)

    def texts(self, number: int, most: int | None = None) -> list[bytes]:
        return self._texts(number)[1][:most]

    def _texts(self, number: int) -> tuple[str, list[bytes]]:
        return batch(self._material, self._task.seed, number, self._task.generators)

    def some(self, texts: tuple[bytes, ...]) -> Batch:
        return self._searcher.search(texts, "")


def open_pair(
    ours: Tokenizer, other: str | Tokenizer, names: tuple[str, str], pre: str | None = None
) -> SidePair:
    """Pair `ours` with a model or library; `pre` splits the other's text.  Raises what opening it raises."""
    if isinstance(other, str) and other not in PEERS:
        other = open_model(other, pre)
    if isinstance(other, Tokenizer):
        return SidePair(FileSide(names[0], ours), FileSide(names[1], other))
    library = LibrarySide(other, ours)
    return SidePair(FileSide(names[0], ours, library.parses_special), library)


def material_of(pair: SidePair, ours: Tokenizer, lines: tuple[bytes, ...]) -> Material:
    """The material from which texts for a pair are generated."""
    theirs = pair.theirs.tokenizer
    tables = [ours.vocabulary.token_bytes_table]
    if theirs is not None and not are_same(tables[0], theirs.vocabulary.token_bytes_table):
        tables.append(theirs.vocabulary.token_bytes_table)
    tokens = short(text for table in tables for text in sliced(*table))
    special = short([*pair.ours.special_texts, *pair.theirs.special_texts])
    differences = [] if theirs is None else texts_of_differences(ours, theirs)
    return Material(differences, tokens, special, lines, pair.takes_bytes)


def serve(connection: Connection, task: HuntTask, opened: OpenedSides | None = None) -> None:
    """Answer until the pipe is closed."""
    prepare_process(threads=1)
    answer_all(connection, HuntWorker(task, opened))
