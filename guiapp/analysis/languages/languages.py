"""Compare languages by the tokens that models need for parallel texts, one file for each language.

Source: Petrov, La Malfa, Torr & Bibi 2023, https://arxiv.org/abs/2305.15425; gives the same counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.comparison import ModelSide, are_unknown, count_whole_words
from guiapp.analysis.compare.texts import TextFolderError, text_files
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.encode.encoding import LONGEST_TEXT
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
    """Token statistics of m models for l parallel texts; NaN in place of a division by zero.

    models, languages     their names
    reference             the language to which premiums refer
    lines                 int64[l]  non-blank lines: parallel texts have the same number
    bytes, characters     int64[l]  of the text in UTF-8, its lines joined by spaces
    words                 int64[l]  in scripts without spaces between words, each character counts as a word
    vocabulary            int64[m]  the number of tokens in each vocabulary
    tokens                int64[m, l], without special tokens such as BOS and EOS
    characters_per_token  float64[m, l], like all below
    bytes_per_token
    whole_word_share      the share of words that are within one token
    unknown_share         the share of tokens for text that the vocabulary cannot encode
    vocabulary_share      the share of the vocabulary that the text uses
    skipped               what was left out, as sentences
    """

    models: tuple[str, ...]
    languages: tuple[str, ...]
    reference: str
    lines: Integers
    bytes: Integers
    characters: Integers
    words: Integers
    vocabulary: Integers
    tokens: Integers
    characters_per_token: Floats
    bytes_per_token: Floats
    whole_word_share: Floats
    unknown_share: Floats
    vocabulary_share: Floats
    skipped: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = f"{counted(len(self.languages), 'language')}, {counted(len(self.models), 'model')}"
        return f"<Languages: {counts}, reference {self.reference}>"

    def against(self, reference: str) -> Languages:
        """The same statistics with another language as the reference."""
        return replace(self, reference=reference)

    @cached_property
    def premium(self) -> Floats:
        """float64[m, l]: the number of tokens divided by the reference's."""
        return _ratio(self.tokens, self.tokens[:, [self.languages.index(self.reference)]])

    @property
    def mean_premium(self) -> Floats:
        """float64[m]: the geometric mean of the premiums of all languages except the reference."""
        others = np.delete(self.premium, self.languages.index(self.reference), axis=1)
        with np.errstate(divide="ignore"):
            means: Floats = np.exp(np.log(others).mean(axis=1))
        return means

    @cached_property
    def parity(self) -> Floats:
        """float64[l, 2]: the lowest and highest premium of each language among the models; 1 is parity."""
        return np.stack([self.premium.min(axis=0), self.premium.max(axis=0)], axis=1)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of the statistics."""
        lines = dict(zip(self.languages, self.lines.tolist(), strict=True))
        expected = lines[self.reference]
        others = [f"{name} {n_lines:,}" for name, n_lines in lines.items() if n_lines != expected]
        if not others:
            return self.skipped
        differ = f"{self.reference} has {counted(expected, 'line')}, but {_listed(others)}"
        return (*self.skipped, f"Premiums need the same sentences in each file: {differ}.")


def _ratio(dividends: Integers, divisors: Integers) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(divisors > 0, dividends / divisors, np.nan)


def compare_languages(
    sides: Sequence[ModelSide],
    folder: Path,
    reference: str = REFERENCE,
    progress: Callable[[float], object] = lambda share: None,
) -> Languages:
    """Count the tokens of the texts in a folder with each model, without special tokens.

    Raises TextFolderError for a folder with fewer than two languages or without the reference, and
    EncodeError if there is no model, or one cannot encode a text.
    """
    if not sides:
        raise EncodeError("There is no model. Name at least one.")
    files, skipped = _files(folder, reference)
    plain = [replace(side, add_special=False, parse_special=False) for side in sides]
    texts, counts = dict[str, tuple[int, ...]](), list[list[tuple[int, ...]]]()
    for done, (language, paths) in enumerate(files.items()):
        progress(done / len(files))
        n_lines, text = joined_lines(paths)
        if n_lines:
            counts.append([_count(side, text) for side in stoppable(plain)])
            texts[language] = n_lines, len(text), n_characters(text), counts[-1][0][0]
        elif language == reference:
            raise TextFolderError(f"The text of the reference “{quoted(reference)}” is empty.")
        else:
            skipped.append(f"Skipped {quoted(language)}: it is empty.")
    if len(texts) < 2:
        raise TextFolderError(f"{folder} has one language with text. Premiums need two or more.")
    lines, sizes, characters, words = np.array([*texts.values()], np.int64).T
    _, tokens, unknown, whole_words, used = np.array(counts, np.int64).transpose(2, 1, 0)
    vocabulary = np.array([len(side.tokenizer.vocabulary) for side in sides], np.int64)
    return Languages(
        *(tuple(side.name for side in sides), tuple(texts), reference),
        *(lines, sizes, characters, words, vocabulary, tokens),
        characters_per_token=_ratio(characters, tokens),
        bytes_per_token=_ratio(sizes, tokens),
        whole_word_share=_ratio(whole_words, words),
        unknown_share=_ratio(unknown, tokens),
        vocabulary_share=_ratio(used, vocabulary[:, None]),
        skipped=tuple(skipped),
    )


def _count(side: ModelSide, text: bytes) -> tuple[int, ...]:
    """The number of words, tokens, unknown tokens, words within one token, and different tokens."""
    encoding = side.encode(text)
    is_unknown = are_unknown(side.tokenizer.vocabulary, encoding.token_ids)
    n_words, n_whole = count_whole_words(text, encoding.spans, is_unknown)
    return n_words, len(encoding), int(is_unknown.sum()), n_whole, len(np.unique(encoding.token_ids))


def _files(folder: Path, reference: str) -> tuple[dict[str, list[Path]], list[str]]:
    """The files of each language, and sentences about skipped ones (of another suffix than the reference)."""
    languages, n_others = _named_files(folder)
    if reference not in languages:
        raise TextFolderError(
            f"{folder} has no file for the reference “{quoted(reference)}”. Choose one of its languages as "
            f"the reference: {_listed(sorted(languages))}."
        )
    endings = {path.suffix for path in languages[reference]}
    skipped = [path.name for paths in languages.values() for path in paths if path.suffix not in endings]
    named = {name: [path for path in languages[name] if path.suffix in endings] for name in sorted(languages)}
    expected = " or ".join(sorted(endings))
    notes = [f"Skipped {_listed(sorted(skipped))}: not {expected} like the reference."] if skipped else []
    notes += [f"Skipped {counted(n_others, 'file')} without text."] if n_others else []
    return {name: paths for name, paths in named.items() if paths}, notes


def usual_reference(folder: Path, preferred: str = "") -> str:
    """The preferred language, else English, else the first.  Raises TextFolderError."""
    names = sorted(_named_files(folder)[0])
    english = [name for name in names if name.lower().startswith("en")]
    return next(name for name in (preferred, REFERENCE, *english, names[0]) if name in names)


def _named_files(folder: Path) -> tuple[dict[str, list[Path]], int]:
    """Text files by their names up to the first dot, and the number of other files."""
    if not folder.is_dir():
        raise TextFolderError(f"{folder} is not a folder. Choose one with a file for each language.")
    paths, n_others = text_files(folder)
    languages: dict[str, list[Path]] = {}
    for path in paths:
        languages.setdefault(path.name.partition(".")[0], []).append(path)
    return languages, n_others


def joined_lines(paths: Sequence[Path]) -> tuple[int, bytes]:
    """The number of non-blank lines in files, and all lines joined by spaces.

    The end of a file ends a line, as in the source.  Raises TextFolderError.
    """
    try:
        parts = [as_utf8(read_input(path, LONGEST_TEXT)) for path in paths]
    except OSError as error:
        name = error.filename or paths[0]
        raise TextFolderError(f"{name} cannot be read: {error.strerror or error}.") from error
    text = b"\n".join(parts).replace(b"\r\n", b"\n")
    return sum(bool(line.strip()) for line in text.split(b"\n")), text.replace(b"\n", b" ")


def _listed(names: Iterable[str]) -> str:
    """The first names, and the number of further ones."""
    shown = [quoted(name) for name in names]
    more = f" and {len(shown) - MOST_LISTED:,} more" if len(shown) > MOST_LISTED else ""
    return ", ".join(shown[:MOST_LISTED]) + more
