"""Another tokenizer library as a contender: its input, its methods, and reasons why it cannot take part."""

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

LONGEST_REASON = 150  # characters of a library's error message
Batch = Callable[[Any, list[Any], int], Iterable[Any]]  # the library, texts, threads


@dataclass(frozen=True)
class Form:
    """The form in which a library takes a model; a model in this form is called its source.

    write    makes a source from a vocabulary
    check    raises UnavailableError if no source can be made; gets the library's name, and is fast
    files    formats that are read unchanged or as an equivalent tokenizer.json; each maps to a function from
             a path to a source
    usual    the built-in vocabulary that libraries use if the source is ""
    is_read  whether the library reads a file of these formats, which may depend on files next to it
    """

    write: Callable[[Tokenizer], Any]
    check: Callable[[Vocabulary, str], None] = lambda vocabulary, name: None
    files: Mapping[str, Callable[[Path], Any]] = field(default_factory=dict)
    usual: str = ""
    is_read: Callable[[Path], bool] = lambda path: True


@dataclass(frozen=True)
class Peer:
    """A tokenizer library.

    name       its usual name, also of its package unless `package` is set
    module     the module to import
    takes      the form of its sources
    load       the name of a callable in the module that makes an object with the methods below from a source;
               or a function of the imported module and a source, which may return a whole contender
    encode, decode  the names of methods
    batch      the name of the method for many texts, or a function; "" if there is none
    threads    the keyword of `batch` for the number of threads, "" if there is none
    options    keywords of `encode` and `batch` with which special tokens are neither added nor parsed
    parse      given the library opened with special tokens, and their texts and ids, returns an `encode` that
               parses them; None if it cannot
    ids        the type of a result, in words; it is converted outside of the timing
    types      supported vocabulary types, if it does not read the file itself; empty: all
    refuse     raises UnavailableError for vocabularies that it cannot use, even from a file that it reads
    unsplit    makes a source with which texts are not split; None if the library cannot
    take_text, take_ids  as in `Contender`
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
        """Open the library with a vocabulary; raises UnavailableError with the library's message."""
        os.environ.update(self.environment)
        try:
            module = import_module(self.module)
            library = self._library(module, source)
            return library if isinstance(library, Contender) else self._contender(module, library, source)
        except (UnavailableError, MemoryError):
            raise
        except Exception as error:
            first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            reason = quoted(first.strip(), LONGEST_REASON).rstrip(".")
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
        """Raises UnavailableError if no source can be made from a vocabulary."""
        check_type(self.name, vocabulary, self.types)
        self.takes.check(vocabulary, self.name)

    def check_all(self, vocabulary: Vocabulary) -> None:
        """Raises UnavailableError if the library takes neither the vocabulary's file nor a written source."""
        self.refuse(vocabulary)
        if self.file_source(vocabulary) is None:
            self.check(vocabulary)

    def file_source(self, vocabulary: Vocabulary) -> Callable[[], Any] | None:
        """A function that makes a source from the opened file; None if the library cannot read the file."""
        read, path = self.takes.files.get(vocabulary.format), vocabulary.path
        is_other = vocabulary.chosen_pre not in ("", self.name)
        return (
            None
            if read is None or path is None or is_other or not self.takes.is_read(path)
            else partial(read, path)
        )

    @property
    def is_installed(self) -> bool:
        """Whether the module exists and is not just a folder of that name."""
        try:
            spec = find_spec(self.module)
        except ModuleNotFoundError:  # the parent package is missing
            return False
        return spec is not None and spec.origin is not None

    @property
    def version(self) -> str:
        """The installed version; raises UnavailableError with instructions if it is not installed."""
        try:
            return version(self.package or self.name)
        except PackageNotFoundError as error:
            raise UnavailableError(self.how_to_install) from error

    @property
    def how_to_install(self) -> str:
        return f"{self.name} is not installed. Install it with: {pip_install(self.package or self.name)}"


def pip_install(packages: str) -> str:
    """A command that installs packages for this program's Python, whichever `pip` the terminal finds."""
    return f"{shlex.quote(sys.executable)} -m pip install {packages}"


def check_type(name: str, vocabulary: Vocabulary, types: tuple[VocabType, ...]) -> None:
    """Raises UnavailableError for a vocabulary of another type than these."""
    if types and vocabulary.type not in types:
        names = " and ".join(each.value for each in types)
        raise UnavailableError(f"{name} has no {vocabulary.type.value} vocabularies; it takes {names} only.")
