"""Google's sentencepiece, from the very file or from one that says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from guiapp.analysis.libraries.contender import Contender, UnavailableError, as_str, ids_only
from guiapp.analysis.libraries.peer import Peer, only
from guiapp.analysis.libraries.sentencepiece_model import sentencepiece_model
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.parts import SENTENCEPIECE as SENTENCEPIECE_MODEL
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

READS_PIECES = {"SentencePiece": Path.read_bytes}


def check(vocabulary: Vocabulary) -> None:
    only("sentencepiece", VocabType.SPM, VocabType.UGM)(vocabulary)
    if vocabulary.parts is not None:
        raise UnavailableError("sentencepiece knows nothing of the parts that tokenizer.json names.")


def source_of(tokenizer: Tokenizer) -> bytes:
    """The very file where it is a model."""
    vocabulary = tokenizer.vocabulary
    if vocabulary.model == SENTENCEPIECE_MODEL and vocabulary.path is not None:
        return vocabulary.path.read_bytes()
    return sentencepiece_model(vocabulary)


def build(library: Any, source: bytes) -> Contender:
    processor = library.SentencePieceProcessor(model_proto=source)
    return Contender(
        processor.encode,
        as_str,
        ids_only,
        processor.decode,
        encode_batch=lambda texts, n_threads: processor.encode(texts, num_threads=n_threads),
    )


SENTENCEPIECE = Peer(
    "sentencepiece", "sentencepiece", check, source_of, build, ids="a list", files=READS_PIECES
)
