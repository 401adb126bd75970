"""Parallel texts, a file for each language, in tokens of several models: what each language costs.

Source: Petrov, La Malfa, Torr & Bibi 2023, https://arxiv.org/abs/2305.15425; their counts are reproduced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.comparison import ModelSide, are_unknown, count_whole_words
from guiapp.analysis.compare.texts import TextFolderError, text_files
from guiapp.analysis.explain.characters import n_characters as count_characters
from guiapp.core.encode.encoding import LONGEST_TEXT
from guiapp.core.formats.tiktoken import COMPOSES_FIRST
from guiapp.core.sources.files import read_input
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.utf16 import as_utf8
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import stoppable

REFERENCE = "eng_Latn"
MOST_LISTED = 12  # names in an error
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Languages:
    """The tokens of m models for l parallel texts.

    models         their names
    languages      the names of the files up to the first dot, in order
    reference      the language that premiums refer to
    n_lines        int64[l]     lines that are not blank: parallel texts have equally many
    n_bytes        int64[l]     of the text in UTF-8, its lines joined by spaces
    n_characters   int64[l]
    n_words        int64[l]     in scripts without spaces between words, a character is one
    tokens         int64[m, l]  without BOS, EOS and the like
    unknown        int64[m, l]  tokens that stand for text which the vocabulary cannot write
    whole_words    int64[m, l]  words that are in one token
    used           int64[m, l]  different tokens
    vocabularies   int64[m]     tokens that each model has
    skipped        what was left out, as sentences
    """

    models: tuple[str, ...]
    languages: tuple[str, ...]
    reference: str
    n_lines: Integers
    n_bytes: Integers
    n_characters: Integers
    n_words: Integers
    tokens: Integers
    unknown: Integers
    whole_words: Integers
    used: Integers
    vocabularies: Integers
    skipped: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = f"{counted(len(self.languages), 'language')}, {counted(len(self.models), 'model')}"
        return f"<Languages: {counts}, reference {self.reference}>"

    def against(self, reference: str) -> Languages:
        """The same with premiums against another of the languages."""
        return replace(self, reference=reference)

    @property
    def reference_index(self) -> int:
        return self.languages.index(self.reference)

    @cached_property
    def premiums(self) -> Floats:
        """float64[m, l]: tokens for each token of the reference; NaN where that has none."""
        return _ratio(self.tokens, self.tokens[:, [self.reference_index]])

    @property
    def characters_per_token(self) -> Floats:
        """float64[m, l]"""
        return _ratio(self.n_characters, self.tokens)

    @property
    def bytes_per_token(self) -> Floats:
        """float64[m, l]"""
        return _ratio(self.n_bytes, self.tokens)

    @property
    def whole_word_share(self) -> Floats:
        """float64[m, l]: the share of words that are in one token; NaN where a text has no words."""
        return _ratio(self.whole_words, self.n_words)

    @property
    def unknown_share(self) -> Floats:
        """float64[m, l]: the share of tokens that are unknown."""
        return _ratio(self.unknown, self.tokens)

    @property
    def vocabulary_share(self) -> Floats:
        """float64[m, l]: the share of the vocabulary that the text uses."""
        return _ratio(self.used, self.vocabularies[:, None])

    @property
    def mean_premiums(self) -> Floats:
        """float64[m]: the geometric mean of the premiums of all languages but the reference."""
        others = np.delete(self.premiums, self.reference_index, axis=1)
        with np.errstate(divide="ignore"):
            means: Floats = np.exp(np.log(others).mean(axis=1))
        return means

    @property
    def parity(self) -> Floats:
        """float64[l, 2]: the lowest and the highest premium of a language over the models; 1 is parity."""
        return np.stack([self.premiums.min(axis=0), self.premiums.max(axis=0)], axis=1)

    @property
    def notes(self) -> tuple[str, ...]:
        """What those should know who read the counts."""
        n_expected = int(self.n_lines[self.reference_index])
        others = [
            f"{name} {int(n_lines):,}"
            for name, n_lines in zip(self.languages, self.n_lines, strict=True)
            if n_lines != n_expected
        ]
        if not others:
            return self.skipped
        lines = f"{self.reference} has {counted(n_expected, 'line')}, but {_listed(others)}"
        return (*self.skipped, f"Premiums need the same sentences in each file: {lines}.")


def _ratio(dividends: Integers, divisors: Integers) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(divisors > 0, dividends / divisors, np.nan)


class ParallelText(NamedTuple):
    """The lines of files joined by spaces, and how many of them are not blank."""

    n_lines: int
    text: bytes


def compare_languages(
    sides: Sequence[ModelSide],
    folder: Path,
    reference: str = REFERENCE,
    progress: Callable[[float], object] = lambda share: None,
) -> Languages:
    """Count the texts of a folder with each model, none with special tokens.

    Raises TextFolderError for a folder without two languages or without the reference, and EncodeError for
    no models, or where one cannot express a text.
    """
    if not sides:
        raise EncodeError("There is no model. Name at least one.")
    files, skipped = files_by_language(folder, reference)
    plain = [replace(side, add_special=False, parse_special=False) for side in sides]
    skipped += [
        f"Texts are composed first (NFC) for {side.name}, as by its own code."
        for side in sides
        if _composes(side)
    ]
    texts, counts = list[tuple[str, int, int, int, int]](), list[list[tuple[int, int, int, int]]]()
    for done, (language, paths) in enumerate(files.items()):
        progress(done / len(files))
        text = read_parallel(paths)
        if not text.n_lines:
            if language == reference:
                raise TextFolderError(f"The text of the reference “{quoted(reference)}” is empty.")
            skipped.append(f"Skipped {language}: it is empty.")
            continue
        rows = [_count(side, text.text) for side in stoppable(plain)]
        texts.append((language, text.n_lines, len(text.text), count_characters(text.text), rows[0][0]))
        counts.append([row[1:] for row in rows])
    if len(texts) < 2:
        raise TextFolderError(f"{folder} has one language with text. Premiums need two or more.")
    n_lines, n_bytes, n_characters, n_words = np.array([each[1:] for each in texts], np.int64).T
    tokens, unknown, whole_words, used = np.array(counts, np.int64).transpose(2, 1, 0)
    return Languages(
        models=tuple(side.name for side in sides),
        languages=tuple(name for name, *_ in texts),
        reference=reference,
        n_lines=n_lines,
        n_bytes=n_bytes,
        n_characters=n_characters,
        n_words=n_words,
        tokens=tokens,
        unknown=unknown,
        whole_words=whole_words,
        used=used,
        vocabularies=np.array([len(side.tokenizer.vocabulary) for side in sides], np.int64),
        skipped=tuple(skipped),
    )


def files_by_language(folder: Path, reference: str) -> tuple[dict[str, list[Path]], list[str]]:
    """The files of each language, and what is skipped: files whose names end otherwise than the reference's.

    Those of one name belong together, such as dev/tha_Thai.dev and devtest/tha_Thai.devtest.  Raises
    TextFolderError.
    """
    languages, n_others = _named_files(folder)
    if reference not in languages:
        raise TextFolderError(
            f"{folder} has no file for the reference “{quoted(reference)}”. Choose one of its languages as "
            f"the reference: {_listed(sorted(languages))}."
        )
    endings = {path.suffix for path in languages[reference]}
    paths = sorted(path for paths in languages.values() for path in paths)
    skipped = [path.name for path in paths if path.suffix not in endings]
    chosen = {
        name: [path for path in languages[name] if path.suffix in endings] for name in sorted(languages)
    }
    expected = " or ".join(sorted(endings))
    notes = [f"Skipped {_listed(skipped)}: not {expected} like the reference."] if skipped else []
    notes += [f"Skipped {counted(n_others, 'file')} without text."] if n_others else []
    return {name: files for name, files in chosen.items() if files}, notes


def usual_reference(folder: Path, wanted: str = "") -> str:
    """The language that is wanted, or else English or the first.  Raises TextFolderError."""
    names = sorted(_named_files(folder)[0])
    known = (name for name in (wanted, REFERENCE) if name in names)
    return next(known, next((name for name in names if name.lower().startswith("en")), names[0]))


def _named_files(folder: Path) -> tuple[dict[str, list[Path]], int]:
    """Files with text by their names up to the first dot, and how many others there are."""
    if not folder.is_dir():
        raise TextFolderError(f"{folder} is not a folder. Choose one with a file for each language.")
    paths, n_others = text_files(folder)
    languages: dict[str, list[Path]] = {}
    for path in paths:
        languages.setdefault(path.name.partition(".")[0], []).append(path)
    return languages, n_others


def read_parallel(paths: Sequence[Path]) -> ParallelText:
    """Join the lines of files, one after the other, by spaces.  Raises TextFolderError.

    The end of a file is the end of a line, so that what follows it is one space more, as in the source.
    """
    try:
        parts = [as_utf8(read_input(path, LONGEST_TEXT)) for path in paths]
    except OSError as error:
        name = error.filename or paths[0]
        raise TextFolderError(f"{name} cannot be read: {error.strerror or error}.") from error
    text = b"\n".join(parts).replace(b"\r\n", b"\n")
    n_lines = sum(bool(line.strip()) for line in text.split(b"\n"))
    return ParallelText(n_lines, text.replace(b"\n", b" "))


def _composes(side: ModelSide) -> bool:
    """Whether the model's own code composes characters, which `encode` leaves as they are."""
    return COMPOSES_FIRST in side.tokenizer.vocabulary.warnings


def _count(side: ModelSide, text: bytes) -> tuple[int, int, int, int, int]:
    """Words, tokens, unknown ones, words in one token, and different tokens."""
    if _composes(side):
        text = normalize("NFC", text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    encoding = side.encode(text)
    is_unknown = are_unknown(side.tokenizer.vocabulary, encoding.token_ids)
    n_words, n_whole = count_whole_words(text, encoding.spans, is_unknown)
    return n_words, len(encoding), int(is_unknown.sum()), n_whole, len(np.unique(encoding.token_ids))


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return f"{', '.join(quoted(name) for name in names[:MOST_LISTED])}{more}"
