"""Whether other programs that read a model would give different ids, and the shortest text that shows it.

Tokenloupe compares its own implementations of these readings: unlike in a hunt, no library runs.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from os.path import basename
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.analysis.hunt.generators import AROUND_SPECIAL, BATCH, GENERATORS, batch, in_contexts
from guiapp.analysis.hunt.pair import FileSide, SidePair
from guiapp.analysis.hunt.searching import material_of, shrunk
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.table import LAST, format_of
from guiapp.core.formats.tokenizer_config import TRANSFORMERS, VERSION, name_before
from guiapp.core.open_model import open_model
from guiapp.core.processes import ApartError, answer_of
from guiapp.core.sources.tokenizer_files import is_tokenizer_name
from guiapp.core.text.numbers_in_words import counted, percent, quoted
from guiapp.core.vocabulary.remedies import GGUF
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP, LLAMA_CPP_VERSION, Vocabulary
from guiapp.errors import TokenloupeError

VERSIONS = {
    TRANSFORMERS: VERSION,
    "tokenizers": "0.23.3",
    "sentencepiece": "0.2.3",
    "tiktoken": "0.14.0",
    LLAMA_CPP: LLAMA_CPP_VERSION,
}
"""The versions of the programs that the readings were checked against."""
LIBRARIES = {"tekken.json": "mistral-common"}  # by format, if not `Vocabulary.library`
MISTRAL_PIECES = re.compile(r"\.model\.v\d")  # a version in the name of SentencePiece's model
MOST_SPECIAL, MOST_IN_CONTEXTS = 1_000, 150  # special tokens, alone and with text around them
MOST_OF_GENERATOR = 300
MOST_IDS = 12
MOST_LINES = 100_000
LONGEST_S = 120.0  # time limit of the child process
RECORD_KEYS = {"is_same": "same", "why": "reason"}


class OtherReading(NamedTuple):
    """How another program encodes texts with a model.

    name, version  of the program, or of a reading to choose; version "" if it has none
    source         the file that it reads instead, "" for the same one
    is_same        whether it gives the same ids for all compared texts; None if unknown
    why            the rule that it follows, or why nothing is known, as a sentence
    compared, differ  how many texts were compared (samples, special tokens, random texts) and how many differ
    lines, differing_lines  likewise for the user's own lines
    text           the shortest text with different ids, b"" if all texts differ; None if none does
    own_token_ids, token_ids  the ids of `text`, with BOS and EOS; None if the side refuses it
    """

    name: str
    version: str
    source: str = ""
    is_same: bool | None = None
    why: str = ""
    compared: int = 0
    differ: int = 0
    lines: int = 0
    differing_lines: int = 0
    text: bytes | None = None
    own_token_ids: tuple[int, ...] | None = None
    token_ids: tuple[int, ...] | None = None

    @property
    def title(self) -> str:
        """Such as `transformers 5.24.0`, with the file in brackets if it is a different one."""
        source = f" ({quoted(self.source)})" if self.source else ""
        if self.name == LLAMA_CPP and not source:
            source = " (converted to GGUF)"
        return f"{self.name} {self.version}".rstrip() + source

    def sentence(self) -> str:
        """The result in one line."""
        if self.is_same is None or (not self.is_same and self.text is None):
            return f"{self.title}: {'not known' if self.is_same is None else 'not comparable'}. {self.why}"
        lines = f" and your {counted(self.lines, 'line')}" if self.lines else ""
        if self.text is None:
            return f"{self.title} gives the same ids for {counted(self.compared, 'text')}{lines}."
        shown = f"for “{quoted(self.text.decode('utf-8', 'replace'))}”" if self.text else "for every text"
        ids = f"{_shown(self.token_ids)} instead of {_shown(self.own_token_ids)}"
        share = f"{self.differ:,} of {counted(self.compared, 'text')} differ"
        own = ""
        if self.lines:
            part = percent(self.differing_lines / self.lines, 1)
            own = f", and {self.differing_lines:,} of your {counted(self.lines, 'line')} ({part})"
        return f"{self.title} gives {ids} {shown}; {share}{own}."

    def record(self) -> dict[str, object]:
        """The record in `info --json`."""
        return {RECORD_KEYS.get(key, key): value for key, value in self._asdict().items()} | {
            "version": self.version or None,
            "source": quoted(self.source) or None,
            "reason": self.why or None,
            "text": None if self.text is None else self.text.decode("utf-8", "replace"),
        }


def _shown(ids: tuple[int, ...] | None) -> str:
    if ids is None:
        return "no ids"
    return f"[{', '.join(map(str, ids[:MOST_IDS]))}{', …' if len(ids) > MOST_IDS else ''}]"


class _Candidate(NamedTuple):
    """Another program: its name, the file that it reads, the rule it follows, and a function to open it."""

    name: str
    source: str
    why: str
    open: Callable[[], Tokenizer]


def other_readings(
    tokenizer: Tokenizer,
    lines: Sequence[bytes] = (),
    progress: Callable[[float], Any] = lambda _share: None,
) -> tuple[OtherReading, ...]:
    """Compare each other known program on the same model, also with the user's own lines.

    Deterministic for the same files and lines.  `progress` gets the fraction done, and may raise to cancel.
    """
    candidates = list(_candidates(tokenizer.vocabulary))
    readings = []
    for number, each in enumerate(candidates):
        progress(number / len(candidates))
        readings.append(_compared(tokenizer, each, lines[:MOST_LINES]))
    if candidates and tokenizer.vocabulary.opened_files is not None:
        LAST.put(tokenizer.vocabulary)  # opening the candidates has replaced it
    return tuple(each for each in readings if not _repeats_gguf(each, readings))


def _repeats_gguf(reading: OtherReading, readings: Sequence[OtherReading]) -> bool:
    """Whether this is the GGUF conversion, and a GGUF in the folder gives the same ids or is unknown."""
    files = [each for each in readings if each.name == reading.name and each.source]
    is_conversion = reading.name == LLAMA_CPP and not reading.source
    return is_conversion and any(
        reading.is_same is None or reading == each._replace(source="", why=reading.why) for each in files
    )


def _candidates(vocabulary: Vocabulary) -> Iterator[_Candidate]:
    path = vocabulary.path
    if path is None:
        return
    if vocabulary.chosen_pre in vocabulary.readings:
        yield _Candidate("", "", "It reads the file as it stands.", partial(open_model, path))
    for name, why in vocabulary.readings.items():
        if name != vocabulary.chosen_pre:
            yield _Candidate(name, "", why, partial(open_model, path, name))
    for other in _neighbours(path, vocabulary):
        name = basename(other)
        yield _Candidate("", name, f"It reads {quoted(name)}.", partial(open_model, other))


def _neighbours(path: Path, vocabulary: Vocabulary) -> Iterator[Path]:
    """Files of the same model in other formats; the only GGUF of a folder counts as the same model."""
    try:
        files = sorted(each for each in path.parent.iterdir() if is_tokenizer_name(each.name))
    except OSError:
        return
    ggufs = [each for each in files if each.suffix.lower() == ".gguf"]
    is_gguf = vocabulary.format == GGUF
    before = "" if is_gguf and len(ggufs) == 1 else name_before(path)
    if before is None:
        return
    for each in files:
        is_named = name_before(each) == before or (each in ggufs and len(ggufs) == 1 and before == "")
        if is_named and each != path and each.is_file() and _format(each) not in ("", vocabulary.format):
            yield each


def _format(path: Path) -> str:
    try:
        return format_of(path).name
    except TokenloupeError:
        return ""


def _compared(ours: Tokenizer, candidate: _Candidate, lines: Sequence[bytes]) -> OtherReading:
    try:
        theirs = candidate.open()
    except TokenloupeError as error:
        name = candidate.name or candidate.source or ours.vocabulary.format
        return OtherReading(name, VERSIONS.get(name, ""), why=str(error))
    vocabulary = theirs.vocabulary
    name = candidate.name or LIBRARIES.get(vocabulary.format, vocabulary.library)
    if MISTRAL_PIECES.search(candidate.source):
        name = "mistral-common"
    known = OtherReading(name, VERSIONS.get(name, ""), candidate.source, why=candidate.why)
    pair = SidePair(FileSide("ours", ours), FileSide(name, theirs))
    if pair.unrelated or pair.note:
        return known._replace(is_same=False, why=pair.unrelated or pair.note)
    texts = _texts(pair, ours)
    differing = [texts[at] for at in pair.with_other_ids(texts)]
    own = [lines[at] for at in pair.with_other_ids(lines)]
    n_differing, n_own = len(differing), len(own)
    text = min((*differing, *own), key=len, default=None)
    if pair.ours.affixes() != pair.theirs.affixes():
        n_differing, n_own, text = len(texts), len(lines), text or b""
    if text:
        text = shrunk(text, lambda some: bool(some and pair.with_other_ids([some])))
    result = known._replace(
        is_same=text is None, compared=len(texts), differ=n_differing, lines=len(lines), differing_lines=n_own
    )
    if text is None:
        return result
    mine, other = (None if ids is None else tuple(ids) for ids in pair.ids(text))
    return result._replace(text=text, own_token_ids=mine, token_ids=other)


def _texts(pair: SidePair, ours: Tokenizer) -> list[bytes]:
    """Lines of the samples, special tokens of both sides in contexts, and some texts of a hunt."""
    material = material_of(pair, ours, ())
    texts = [line for each in SAMPLES for line in sample_text(each.name).splitlines(keepends=True)]
    both = set(pair.ours.special_texts) & set(pair.theirs.special_texts)
    special = sorted(material.special, key=both.__contains__)  # those that only one side has go first
    texts += special[:MOST_SPECIAL]
    texts += in_contexts(special[:MOST_IN_CONTEXTS], AROUND_SPECIAL)
    texts += material.differences[:BATCH]
    for generator in GENERATORS:
        texts += batch(material, 0, 0, (generator.name,))[1][:MOST_OF_GENERATOR]
    return list(dict.fromkeys(filter(None, texts)))


def readings_apart(
    path: Path, pre: str | None, progress: Callable[[float], None]
) -> tuple[OtherReading, ...]:
    """`other_readings` for a model file, in a child process so that the window does not stutter.

    Returns () if that process fails.
    """
    try:
        answer = answer_of(__name__, json.dumps([str(path), pre]).encode(), progress, LONGEST_S)
    except (ApartError, TimeoutError):
        return ()
    return tuple(map(_read, json.loads(answer)))


def _read(row: dict[str, Any]) -> OtherReading:
    """Parse one record that `main` wrote."""
    values = row | {key: tuple(each) for key, each in row.items() if isinstance(each, list)}
    return OtherReading(**values)._replace(text=None if row["text"] is None else bytes.fromhex(row["text"]))


def main() -> None:
    path, pre = json.load(sys.stdin)
    readings = other_readings(open_model(path, pre))
    print(json.dumps([each._asdict() for each in readings], default=bytes.hex))


if __name__ == "__main__":
    main()
