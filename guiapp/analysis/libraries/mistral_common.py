"""mistral-common, from tekken.json."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from guiapp.analysis.libraries.contender import Contender, UnavailableError, as_str, ids_only
from guiapp.analysis.libraries.peer import Peer
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Vocabulary


def check(vocabulary: Vocabulary) -> None:
    raise UnavailableError("mistral-common reads tekken.json only.")


def source_of(tokenizer: Tokenizer) -> Path | None:
    return tokenizer.vocabulary.path


def build(module: Any, path: Path) -> Contender:
    library = module.Tekkenizer.from_file(path)
    return Contender(partial(library.encode, bos=False, eos=False), as_str, ids_only, library.decode)


MISTRAL_COMMON = Peer(
    "mistral-common",
    "mistral_common.tokens.tokenizers.tekken",
    check,
    source_of,
    build,
    ids="a list",
    files={"tekken.json": Path},
)
