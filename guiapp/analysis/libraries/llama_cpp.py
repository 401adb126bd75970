"""llama.cpp itself, which reads the very GGUF file, through the library that xllamacpp brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from guiapp.analysis.libraries.contender import Contender, UnavailableError, ids_only, on_threads
from guiapp.analysis.libraries.llama_library import LlamaLibraryError, LlamaVocabulary
from guiapp.analysis.libraries.peer import Peer
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP as READS_GGUF
from guiapp.core.vocabulary.vocabulary import Vocabulary


def check(vocabulary: Vocabulary) -> None:
    if vocabulary.path is None:
        raise UnavailableError("llama.cpp reads model files only, and this vocabulary has none.")
    if vocabulary.library != READS_GGUF:
        raise UnavailableError(f"llama.cpp reads GGUF files only, and this one is for {vocabulary.library}.")
    if vocabulary.chosen_pre:
        raise UnavailableError(
            f"llama.cpp splits text as the file asks, not as “{vocabulary.chosen_pre}”, chosen by hand."
        )


def source_of(tokenizer: Tokenizer) -> Path | None:
    return tokenizer.vocabulary.path


def build(_: Any, source: Path) -> Contender:
    try:
        vocabulary = LlamaVocabulary(source)
    except (LlamaLibraryError, OSError, AttributeError) as error:
        raise UnavailableError(f"llama.cpp cannot be used: {error}.") from error
    return Contender(
        vocabulary.encode,
        bytes,
        ids_only,
        vocabulary.decode,
        lambda ids: np.ascontiguousarray(ids, np.int32),
        on_threads(vocabulary.encode),
        encode_special=lambda text, adds_special: vocabulary.encode(text, adds_special, True),
    )


LLAMA_CPP = Peer("llama.cpp", "xllamacpp", check, source_of, build, ids="an array", package="xllamacpp")
