"""A tokenizer library of other people as a contender: how it is asked, and what is against it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from guiapp.analysis.libraries.contender import Contender, UnavailableError
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import quoted
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

LONGEST_REASON = 150  # characters of what a library says


def take_any(vocabulary: Vocabulary) -> None:
    """Nothing is against it."""


@dataclass(frozen=True)
class Peer:
    """A tokenizer library.

    name     as people call it, and install it where `package` says nothing else
    module   what is imported
    check    raises UnavailableError where no such source can be made of a vocabulary; soon done
    source   a vocabulary that it can take, in a form that it reads
    build    the contender from the imported module and a source, as often as a fresh one is wanted
    ids      what a call returns, in words: it is converted outside of the timing
    unsplit  the source of one that takes a text as one piece; None where the library cannot
    files    the formats that it reads, if need be as a tokenizer.json that says the same, and how such files
             become a source
    refuse   raises UnavailableError for what the library cannot take, not even in a file that it reads
    """

    name: str
    module: str
    check: Callable[[Vocabulary], None]
    source: Callable[[Tokenizer], Any]
    build: Callable[[Any, Any], Contender]
    ids: str
    package: str = ""
    unsplit: Callable[[Tokenizer], Any] | None = None
    files: Mapping[str, Callable[[Path], Any]] = field(default_factory=dict)
    refuse: Callable[[Vocabulary], None] = take_any

    def open(self, source: Any) -> Contender:
        """The library with a vocabulary; raises UnavailableError with what it says against that."""
        try:
            return self.build(import_module(self.module), source)
        except UnavailableError:
            raise
        except MemoryError:
            raise
        except Exception as error:
            told = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
            reason = quoted(told.strip(), LONGEST_REASON).rstrip(".")
            raise UnavailableError(f"{self.name} cannot use this vocabulary: {reason}.") from error

    def check_all(self, vocabulary: Vocabulary) -> None:
        """Raises UnavailableError where neither its file nor what can be made of a vocabulary is taken."""
        self.refuse(vocabulary)
        if self.file_source(vocabulary) is None:
            self.check(vocabulary)

    def file_source(self, vocabulary: Vocabulary) -> Callable[[], Any] | None:
        """What makes a source of the very file that was opened, where the library reads such files."""
        read, path = self.files.get(vocabulary.format), vocabulary.path
        return None if read is None or path is None or vocabulary.chosen_pre else partial(read, path)

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
            return version(self._package)
        except PackageNotFoundError as error:
            raise UnavailableError(self.how_to_install) from error

    @property
    def how_to_install(self) -> str:
        return f"{self.name} is not installed. Install it with: pip install {self._package}"

    @property
    def _package(self) -> str:
        return self.package or self.name


def only(peer: str, *types: VocabType) -> Callable[[Vocabulary], None]:
    """A check that raises UnavailableError for vocabularies of other types."""

    def check(vocabulary: Vocabulary) -> None:
        if vocabulary.type not in types:
            names = " and ".join(each.value for each in types)
            raise UnavailableError(
                f"{peer} has no {vocabulary.type.value} vocabularies; it takes {names} only."
            )

    return check
