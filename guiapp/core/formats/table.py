"""The formats from which tokenizers are read.

A new format is one file in this folder, with `sniff` and `read` or `document`, and one row of FORMATS.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.formats.file_bytes import FileState, HeaderBytes, WholeFile, file_state, open_regular
from guiapp.core.formats.gguf_reader import MetadataField, read_header
from guiapp.core.formats.tokenizer_config import TRANSFORMERS, SidecarFiles, name_before, sidecar_paths
from guiapp.core.llama_converter.architectures import readings_of
from guiapp.core.sources.files import file_hash
from guiapp.core.sources.tokenizer_files import file_in
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.opening import Opening
from guiapp.core.vocabulary.special_ids import TYPE_OF_MODEL
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP, Vocabulary
from guiapp.errors import UnknownPreError, VocabError
from guiapp.native.checkpoint import checkpoint

LONGEST_S = 120.0
CONVERTED = ("tokenizer.json", "SentencePiece", "vocab.json and merges.txt", "vocab.txt")  # to GGUF
CONVERTED_NAMES = ("tokenizer.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")
READINGS: dict[str, tuple[str, ...] | None] = {  # the formats of each; tekken is also a pre-tokenizer
    TRANSFORMERS: (*CONVERTED, "tiktoken"),
    LLAMA_CPP: CONVERTED,
    "tiktoken": ("tiktoken",),
    "tekken": None,
    "llama-first": ("tokenizer.json",),
    "llama-legacy": ("tokenizer.json",),
    "tokenizers": ("tokenizer.json", "vocab.json and merges.txt", "vocab.txt"),
    "sentencepiece": ("SentencePiece",),
}
OWN_LIBRARIES = ("tokenizers", "sentencepiece")  # the default readings of their formats
HEAD_BYTES = 1 << 12


Reader = Callable[[Path, Opening, str | None], Vocabulary]
Description = tuple[WholeFile, dict[str, Any], SidecarFiles]
"""A file, the equivalent tokenizer.json, and the sidecar files."""


class Format(NamedTuple):
    """A kind of file.

    name   for the user
    sniff  whether a file is of this kind, by its first bytes
    read   reads the vocabulary; takes the path, the Opening that it reports stages to, and a pre-tokenizer or
           reading chosen by hand; raises VocabError, and UnknownPreError if such a choice is needed
    """

    name: str
    sniff: Callable[[bytes], bool]
    read: Reader


def _of(module: str, name: str) -> Callable[..., Any]:
    """A function of a module in this folder, which is imported when the function is called."""
    return lambda *arguments: getattr(import_module(f"guiapp.core.formats.{module}"), name)(*arguments)


def _as_it_is(
    read: Callable[[Path, Opening], Vocabulary],
    why: str,
    in_transformers: Callable[[Path, Opening], Vocabulary] | None = None,
) -> Reader:
    """A reader that allows no other pre-tokenizer; `why` is the reason, as the end of a sentence."""

    def read_as_it_is(path: Path, opening: Opening, pre: str | None) -> Vocabulary:
        if pre == TRANSFORMERS and in_transformers is not None:
            return in_transformers(path, opening)
        if pre is not None:
            raise VocabError(f"{quoted(path.name)} {why}. Open it without choosing a pre-tokenizer.")
        return read(path, opening)

    return read_as_it_is


def _described(document: Callable[[Path, Opening], Description], why: str) -> Reader:
    """Like `_as_it_is`, for files that can be described by a tokenizer.json."""

    def read(path: Path, opening: Opening) -> Vocabulary:
        from guiapp.core.formats.tokenizer_document import checked_layout, vocabulary_of

        file, content, sidecars = document(path, opening)
        with checked_layout(file):
            vocabulary = vocabulary_of(file, content, sidecars, opening)
        return replace(vocabulary, readings=sidecars.readings)

    def read_in_transformers(path: Path, opening: Opening) -> Vocabulary:
        from guiapp.core.auto_tokenizer.vocabulary import of_lists

        file, content, _ = document(path, opening)
        return of_lists(file, content, opening)

    return _as_it_is(read, why, read_in_transformers)


def _pieces_in_transformers(path: Path, opening: Opening) -> Vocabulary:
    from guiapp.core.auto_tokenizer.vocabulary import of_pieces

    return of_pieces(WholeFile(path, opening), opening)


WHOLE = "is not split before it is encoded"
FORMATS = (
    Format("GGUF", _of("gguf", "sniff"), _of("gguf", "read")),
    Format(
        "tekken.json", _of("tekken", "sniff"), _as_it_is(_of("tekken", "read"), "specifies how text is split")
    ),
    Format("tokenizer.json", _of("tokenizer_json", "sniff"), _of("tokenizer_json", "read")),
    Format("tiktoken", _of("tiktoken", "sniff"), _of("tiktoken", "read")),
    Format("RWKV vocabulary", _of("rwkv", "sniff"), _as_it_is(_of("rwkv", "read"), WHOLE)),
    Format(
        "vocab.json and merges.txt",
        _of("vocab_json", "sniff"),
        _described(_of("vocab_json", "document"), "is split as its family splits text"),
    ),
    Format(
        "vocab.txt",
        _of("vocab_txt", "sniff"),
        _described(_of("vocab_txt", "document"), "is split as BERT splits text"),
    ),
    Format(
        "CLIP's merges", _of("clip", "sniff"), _as_it_is(_of("clip", "read"), "is split as CLIP splits text")
    ),
    Format(
        "SentencePiece",
        _of("sentencepiece", "sniff"),
        _as_it_is(_of("sentencepiece", "read"), WHOLE, _pieces_in_transformers),
    ),
    Format("tokenizer.bin", _of("tokenizer_bin", "sniff"), _as_it_is(_of("tokenizer_bin", "read"), WHOLE)),
)


class OpenedFiles(NamedTuple):
    """The files from which a vocabulary was read and can be read again; a vocabulary is pickled as these.

    path         of the tokenizer; configs may be next to it
    states       of the path and of all files that may be read with it, when they were read
    pre          the pre-tokenizer chosen by hand
    whole_bytes  the size of the file, if only its first part is available
    """

    path: Path
    states: tuple[FileState | None, ...]
    pre: str | None
    whole_bytes: int | None

    @classmethod
    def now(cls, path: Path, pre: str | None, whole_bytes: int | None) -> OpenedFiles:
        states = tuple(map(file_state, _read_together(path, pre)))
        return cls(path.absolute(), states, pre, whole_bytes)

    def reduced(self) -> tuple[Callable[..., Vocabulary], tuple[object, ...]]:
        """The value for `__reduce__`; raises VocabError if the files have changed since they were opened."""
        if self.states[0] is None or self != self.now(self.path, self.pre, self.whole_bytes):
            raise VocabError(f"{quoted(self.path.name)} has changed since it was opened. Open it again.")
        return _opened_again, (self.path, self.pre, self.whole_bytes, _hashes(self.path, self.pre))


def _opened_again(path: Path, pre: str | None, whole_bytes: int | None, hashes: list[str]) -> Vocabulary:
    """Read a pickled vocabulary; raises VocabError if its files are missing or have changed."""
    if not path.is_file():
        raise VocabError(f"{quoted(str(path), 300)}, which was pickled by its path, is not on this machine.")
    if _hashes(path, pre) != hashes:
        raise VocabError(
            f"{quoted(path.name)}, or a file next to it, has changed since it was pickled. Open it again."
        )
    opening = Opening(lambda share: None)
    opening.whole_bytes = whole_bytes
    return load_vocabulary(path, opening, pre)


def _hashes(path: Path, pre: str | None) -> list[str]:
    return [file_hash(each) if each.is_file() else "" for each in _read_together(path, pre)]


def _read_together(path: Path, pre: str | None) -> list[Path]:
    """A file and all that may be read with it, existing or not; llama.cpp's converter looks for more."""
    others = CONVERTED_NAMES if pre == LLAMA_CPP else ()
    return [
        path,
        *sidecar_paths(path),
        *(path.with_name((name_before(path) or "") + name) for name in others),
    ]


class LastVocabulary:
    """Caches the last opened vocabulary while its files are unchanged; a second one could take 40 MB more."""

    def __init__(self) -> None:
        self._cached: Vocabulary | None = None  # replaced atomically, for other threads

    def get(self, files: OpenedFiles) -> Vocabulary | None:
        cached = self._cached
        return cached if cached is not None and cached.opened_files == files else None

    def put(self, vocabulary: Vocabulary) -> None:
        self._cached = vocabulary

    def clear(self) -> None:
        self._cached = None


LAST = LastVocabulary()


def load_vocabulary(
    path: str | PathLike[str], opening: Opening | None = None, pre: str | None = None
) -> Vocabulary:
    """Read the tokenizer in a file of any format, or in a folder; only the header of a GGUF file.

    `pre` is a pre-tokenizer or reading to use instead of the file's own.
    `opening` is notified of each stage.
    Raises VocabError for every file without a usable vocabulary.
    """
    path, opening = Path(path), opening or Opening(lambda share: None)
    if os.path.isdir(path):  # Path.is_dir raises without permission
        path = file_in(path)
    if pre == LLAMA_CPP and format_of(path) is FORMATS[0]:
        pre = None  # llama.cpp reads it unconverted
    if pre in OWN_LIBRARIES and format_of(path).name in (READINGS[pre] or ()):
        pre = None
    files = OpenedFiles.now(path, pre, opening.whole_bytes)
    vocabulary = LAST.get(files)
    if vocabulary is None:
        file_format = format_of(path)
        formats = READINGS.get(pre or "")
        if formats is not None and file_format.name not in formats:
            raise VocabError(
                f"{quoted(path.name)} is not read as {pre} reads it: that applies to {', '.join(formats)}. "
                "Open it without choosing a reading."
            )
        vocabulary = _with_conversion(file_format, path, opening, pre).opened_from(files)
        if files.states[0] is not None and OpenedFiles.now(path, pre, opening.whole_bytes) == files:
            LAST.put(vocabulary)
    return vocabulary


def _with_conversion(file_format: Format, path: Path, opening: Opening, pre: str | None) -> Vocabulary:
    """The vocabulary in a file, or in llama.cpp's conversion of the file and the files next to it."""
    if pre != LLAMA_CPP:
        vocabulary = file_format.read(path, opening, pre)
        more = readings_of(path) if file_format.name in CONVERTED else {}
        return replace(vocabulary, format=file_format.name, readings={**vocabulary.readings, **more})

    from guiapp.core.llama_converter.vocabulary import of_folder

    def load(other: Path) -> Vocabulary:
        return load_vocabulary(other, Opening(lambda _share: checkpoint()), TRANSFORMERS)

    return replace(of_folder(path, opening, load), format=file_format.name)


def format_of(path: Path) -> Format:
    """The format of a file by its first bytes; GGUF if none matches: its reader reports what is wrong.

    Raises VocabError if the file cannot be opened.
    """
    head = b""
    with open_regular(path) as file, suppress(OSError):  # the reader will fail again and report it
        head = file.read(HEAD_BYTES)
    return next((each for each in FORMATS if each.sniff(head)), FORMATS[0])


def is_tokenizer(head: bytes) -> bool:
    """Whether a file that begins with `head` is of a known format."""
    return any(each.sniff(head) for each in FORMATS)


class Glance(NamedTuple):
    """What a list of models shows about a file.

    type, pre  "" if not known until the user chooses a pre-tokenizer
    problem    why it cannot be opened, "" if no problem is known
    """

    format: str
    type: str = ""
    pre: str = ""
    n_tokens: int | None = None
    problem: str = ""


def glance(path: Path) -> Glance:
    """Read only the keys of a GGUF; open any other file."""
    try:
        file_format = format_of(path)
    except VocabError as error:
        return Glance("", problem=str(error))
    try:
        if file_format is FORMATS[0]:
            return _keys_of(path, file_format.name)
        vocabulary = file_format.read(path, Opening(lambda _share: checkpoint()), None)
    except UnknownPreError:
        return Glance(file_format.name)
    except VocabError as error:
        return Glance(file_format.name, problem=str(error))
    pre = vocabulary.pre if vocabulary.patterns else ""
    return Glance(file_format.name, vocabulary.type.value, pre, len(vocabulary))


def _keys_of(path: Path, name: str) -> Glance:
    source = HeaderBytes(path, lambda _share: checkpoint())
    try:
        fields = read_header(source).fields
    finally:
        source.close()
    values = {key: fields.get(f"tokenizer.ggml.{key}") for key in ("model", "pre", "tokens")}
    model, pre = (_text(values[key]) for key in ("model", "pre"))
    if model not in TYPE_OF_MODEL or values["tokens"] is None:
        return Glance(name, problem="It does not contain a tokenizer.")
    return Glance(name, TYPE_OF_MODEL[model].value, pre, values["tokens"].n_items)


def _text(field: MetadataField | None) -> str:
    is_text = field is not None and field.kind == "string"
    return field.value.decode("utf-8", "backslashreplace") if field is not None and is_text else ""


def glances_apart(paths: Sequence[Path], progress: Callable[[float], None]) -> list[Glance]:
    """A glance at each file, made in a process with limits on time and memory, as files may be broken.

    If that process fails, all glances are empty.
    """
    from guiapp.core.processes import ApartError, answer_of  # not needed for opening a model

    try:
        answer = answer_of(__name__, json.dumps([str(path) for path in paths]).encode(), progress, LONGEST_S)
    except (ApartError, TimeoutError):
        return [Glance("")] * len(paths)
    return [Glance(*row) for row in json.loads(answer)]


def main() -> None:
    from guiapp.core.processes import limit_memory

    request = sys.stdin.buffer.read()
    limit_memory(request)
    print(json.dumps([glance(Path(path)) for path in json.loads(request)]))


if __name__ == "__main__":
    main()
