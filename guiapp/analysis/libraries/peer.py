"""A tokenizer library of other people as a contender: what it takes, how it is asked, what is against it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.libraries.contender import (
    Contender,
    UnavailableError,
    as_str,
    ids_of_object,
    ids_only,
)
from guiapp.analysis.libraries.written_models import with_special
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

LONGEST_REASON = 150  # characters of what a library says
Batch = Callable[[Any, list[Any], int], Iterable[Any]]  # the library, texts, threads


@dataclass(frozen=True)
class Form:
    """What a library takes of a model, called its source.

    write    the source that says the same as a vocabulary
    check    raises UnavailableError where none can be written; gets the library's name, and is soon done
    files    the formats that are read as they stand, or as a tokenizer.json that says the same, and how such
             a file becomes a source
    usual    the vocabulary that libraries bring and use where the source is ""
    is_read  whether a file of these formats is one that the library reads, by what is next to it
    """

    write: Callable[[Tokenizer], Any]
    check: Callable[[Vocabulary, str], None] = lambda vocabulary, name: None
    files: Mapping[str, Callable[[Path], Any]] = field(default_factory=dict)
    usual: str = ""
    is_read: Callable[[Path], bool] = lambda path: True


@dataclass(frozen=True)
class Peer:
    """A tokenizer library.

    name       as people call it, and install it where `package` says nothing else
    module     what is imported
    takes      the form of its sources
    load       what has the methods below, by its name in the module, which is called with a source; or a
               function of the imported module and a source, which may return a whole contender
    encode, decode  the names of methods
    batch      that of one for many texts, or a function; "" where there is none
    threads    the keyword of `batch` for their number, "" where it has none
    options    keywords of `encode` and `batch`: special tokens are neither added nor read
    parse      what encodes and parses special tokens, given their texts and ids, of the library that was
               opened with them; None where it cannot
    ids        what a call returns, in words: it is converted outside of the timing
    types      those of the vocabularies that it has, where it does not read the file itself; none: all
    refuse     raises UnavailableError for what it cannot take, not even in a file that it reads
    unsplit    the source of one that takes a text as one piece; None where the library cannot
    take_text, take_ids  as `Contender` has them
    environment  variables that are set before the module is imported
    """

    name: str
    module: str
    takes: Form
    load: str | Callable[[Any, Any], Any]
    encode: str = "encode"
    decode: str = "decode"
    batch: str | Batch = ""
    threads: str = ""
    options: Mapping[str, bool] = field(default_factory=dict)
    parse: Callable[[Any, Mapping[str, int]], Callable[[Any], Any]] | None = None
    ids: str = "a list"
    types: tuple[VocabType, ...] = ()
    package: str = ""
    refuse: Callable[[Vocabulary], None] = lambda vocabulary: None
    unsplit: Callable[[Tokenizer], Any] | None = None
    take_text: Callable[[bytes], Any] = as_str
    take_ids: Callable[[NDArray[np.int32]], Any] = lambda ids: ids.tolist()
    environment: Mapping[str, str] = field(default_factory=dict)

    def open(self, source: Any) -> Contender:
        """The library with a vocabulary; raises UnavailableError with what it says against that."""
        os.environ.update(self.environment)
        try:
            module = import_module(self.module)
            library = self._library(module, source)
            return library if isinstance(library, Contender) else self._contender(module, library, source)
        except (UnavailableError, MemoryError):
            raise
        except Exception as error:
            told = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            reason = quoted(told.strip(), LONGEST_REASON).rstrip(".")
            raise UnavailableError(f"{self.name} cannot use this vocabulary: {reason}.") from error

    def _library(self, module: Any, source: Any) -> Any:
        return self.load(module, source) if callable(self.load) else attrgetter(self.load)(module)(source)

    def _contender(self, module: Any, library: Any, source: Any) -> Contender:
        encode = getattr(library, self.encode)
        batch: Callable[..., Iterable[Any]] | None = None
        if callable(self.batch):
            batch = partial(self.batch, library)
        elif self.batch:
            many, threads = partial(getattr(library, self.batch), **self.options), self.threads
            batch = (
                (lambda texts, n: many(texts, **{threads: n})) if threads else (lambda texts, _: many(texts))
            )
        return Contender(
            partial(encode, **self.options) if self.options else encode,
            self.take_text,
            ids_of_object if self.ids.startswith("an object") else ids_only,
            getattr(library, self.decode),
            self.take_ids,
            batch,
            other_vocabulary="" if source else self.takes.usual,
            parse_special=None if self.parse is None else partial(self._parse_special, module, source),
        )

    def _parse_special(self, module: Any, source: Any, special: Mapping[str, int]) -> Callable[[Any], Any]:
        assert self.parse is not None
        return self.parse(self._library(module, with_special(source, special)), special)

    def check(self, vocabulary: Vocabulary) -> None:
        """Raises UnavailableError where no source can be written of a vocabulary."""
        check_type(self.name, vocabulary, self.types)
        self.takes.check(vocabulary, self.name)

    def check_all(self, vocabulary: Vocabulary) -> None:
        """Raises UnavailableError where neither its file nor what can be made of a vocabulary is taken."""
        self.refuse(vocabulary)
        if self.file_source(vocabulary) is None:
            self.check(vocabulary)

    def file_source(self, vocabulary: Vocabulary) -> Callable[[], Any] | None:
        """What makes a source of the very file that was opened, where the library reads such files."""
        read, path = self.takes.files.get(vocabulary.format), vocabulary.path
        is_other = vocabulary.chosen_pre not in ("", self.name)
        return (
            None
            if read is None or path is None or is_other or not self.takes.is_read(path)
            else partial(read, path)
        )

    @property
    def is_installed(self) -> bool:
        """Whether the module is there and is no folder that only has its name."""
        try:
            spec = find_spec(self.module)
        except ModuleNotFoundError:  # of the package that the module lies in
            return False
        return spec is not None and spec.origin is not None

    @property
    def version(self) -> str:
        """The installed version; raises UnavailableError with the way to get it where there is none."""
        try:
            return version(self.package or self.name)
        except PackageNotFoundError as error:
            raise UnavailableError(self.how_to_install) from error

    @property
    def how_to_install(self) -> str:
        return f"{self.name} is not installed. Install it with: {pip_install(self.package or self.name)}"


def pip_install(packages: str) -> str:
    """A command that installs packages where this program finds them, whatever `pip` a terminal has."""
    return f"{shlex.quote(sys.executable)} -m pip install {packages}"


def check_type(name: str, vocabulary: Vocabulary, types: tuple[VocabType, ...]) -> None:
    """Raises UnavailableError for a vocabulary that is of none of these types."""
    if types and vocabulary.type not in types:
        names = " and ".join(each.value for each in types)
        raise UnavailableError(f"{name} has no {vocabulary.type.value} vocabularies; it takes {names} only.")
