"""What libraries are measured on: texts to time, some thousand to compare ids on, known vocabularies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from guiapp.analysis.bench.corpus import SAMPLE, corpus_named
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.hunt.generators import Material, batch, short
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import short_name
from guiapp.core.sources.tokenizer_files import is_tokenizer_name
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.utf8 import is_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import TokenloupeError
from guiapp.native.model_files import sliced

MOST_FILES = 200  # that are opened in one folder
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
    """A text to time: its title, and its name for `corpus_named`."""

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
    """Texts to compare ids on, the shortest first; the same for the same vocabulary, texts and seed.

    These are the lines of all samples and texts to time, the whole texts, and texts that Hunt generates.
    None contains tokens that are matched even in ordinary text: not every library supports these.
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


# Widely used vocabularies, recognized by their tokens, whatever the name of the file


@dataclass(frozen=True)
class Known:
    """A widely used vocabulary.

    name    for the command line
    about   its origin and size, as a phrase
    tokens  the `fingerprint` of its normal tokens
    """

    name: str
    title: str
    about: str
    tokens: str


KNOWN = (
    Known("gpt-2", "GPT-2", "OpenAI, 2019; 50,256 ranks", "47128d8b7f644363"),
    Known("cl100k", "cl100k", "OpenAI, GPT-3.5 and GPT-4; 100,256 ranks", "c0b9e7b556dc11e7"),
    Known("o200k", "o200k", "OpenAI, GPT-4o and later; 199,998 ranks", "a6f4d4a6b1ab49f6"),
    Known("llama-3", "Llama 3", "Meta, Llama 3 to 3.3; 128,000 ranks", "46bf7723c37a7b59"),
    Known("qwen", "Qwen", "Alibaba, Qwen 1 to 3; 151,643 ranks", "454c8dd9e517335a"),
    Known("gemma", "Gemma", "Google, Gemma 4; merges over characters", "397b9965876429d0"),
    Known("mistral", "Mistral", "Mistral AI, tekken of July 2024; 130,072 ranks", "9492b6b1ca3f6a92"),
)
DETAILED = "llama-3"  # if given, the vocabulary with which all scenarios are measured


class Given(NamedTuple):
    """A file to measure with.  `known` is None for any other vocabulary, which is named after its file."""

    path: str
    known: Known | None
    name: str
    title: str
    about: str


def fingerprint(vocabulary: Vocabulary) -> str:
    """The beginning of a hash of all normal tokens with their ids: the same in every format."""
    data, offsets = vocabulary.token_bytes_table
    normal = np.flatnonzero(vocabulary.attributes & Attribute.NORMAL)
    digest = sha256()
    for token, start, end in zip(
        normal.tolist(), offsets[normal].tolist(), offsets[normal + 1].tolist(), strict=True
    ):
        digest.update(b"%d:%d:%b" % (token, end - start, data[start:end].tobytes()))
    return digest.hexdigest()[:16]


def given_vocabularies(paths: Sequence[str], names: Sequence[str] = ()) -> list[Given]:
    """The vocabularies of files and folders in the order of `KNOWN`, then others; only `names` if any.

    Of several files of one vocabulary, the first GGUF is used, which llama.cpp reads, else the first file.
    A file that is given itself takes part with any vocabulary; from folders only known ones are taken.
    Raises BenchError for an unknown name, and what opening a given file raises.
    """
    check_names(names)
    by_name: dict[str, Given] = {}
    for given_path in paths:
        is_folder = Path(given_path).is_dir()
        for path in _files_in(Path(given_path)) if is_folder else [given_path]:
            each = _identify(path, is_folder)
            if each is not None and (not names or each.name in names):
                kept = by_name.get(each.name)
                if kept is None or (_is_gguf(each.path) and not _is_gguf(kept.path)):
                    by_name[each.name] = each
    order = [known.name for known in KNOWN]
    return sorted(by_name.values(), key=lambda each: order.index(each.name) if each.known else len(order))


def check_names(names: Sequence[str]) -> None:
    """Raise BenchError for a name that is in no row of `KNOWN`."""
    all_names = [known.name for known in KNOWN]
    for name in names:
        if name not in all_names:
            raise BenchError(
                f"There is no known vocabulary “{quoted(name)}”. Choose from: {', '.join(all_names)}."
            )


def _files_in(folder: Path) -> list[str]:
    files = [path for path in sorted(folder.iterdir()) if path.is_file() and is_tokenizer_name(path.name)]
    if len(files) > MOST_FILES:
        raise BenchError(f"{folder} has {len(files):,} models. Name single files, or a smaller folder.")
    return list(map(str, files))


def _identify(path: str, is_from_folder: bool) -> Given | None:
    try:
        vocabulary = open_model(path).vocabulary
    except TokenloupeError:
        if is_from_folder:
            return None
        raise
    mark = fingerprint(vocabulary)
    known = next((each for each in KNOWN if each.tokens == mark), None)
    if known is not None:
        return Given(path, known, known.name, known.title, f"{known.about}; recognized by its tokens")
    if is_from_folder:
        return None
    name = short_name(Path(path).stem)
    about = f"{vocabulary.type.value}, {len(vocabulary):,} tokens; named after its file"
    return Given(path, None, name, name, about)


def _is_gguf(path: str) -> bool:
    return path.lower().endswith(".gguf")
