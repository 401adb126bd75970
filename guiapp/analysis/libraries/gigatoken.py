"""gigatoken, from tokenizer.json or from a model of SentencePiece."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from guiapp.analysis.libraries import sentencepiece
from guiapp.analysis.libraries.contender import Contender, UnavailableError, as_str, ids_only
from guiapp.analysis.libraries.peer import LONGEST_REASON, Peer, only
from guiapp.analysis.libraries.written_models import READS_JSON, check_hugging_face, hugging_face_json
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.figures import quoted
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

UNSUPPORTED = re.compile(r"Unsupported (.+?)(?: type)?(?: for SentencePiece tokenizers)?: (.+?)(?: \(.*\))?$")


def refuse(vocabulary: Vocabulary) -> None:
    only("gigatoken", VocabType.BPE, VocabType.SPM)(vocabulary)
    if (pieces := vocabulary.pieces) is not None and not (pieces.merges and pieces.has_byte_fallback):
        raise UnavailableError(
            "gigatoken takes models of SentencePiece only if they merge and fall back to bytes."
        )


def source_of(tokenizer: Tokenizer) -> str | bytes:
    if tokenizer.vocabulary.type is VocabType.SPM:
        return sentencepiece.source_of(tokenizer)
    return hugging_face_json(tokenizer)


def build(module: Any, source: str | bytes) -> Contender:
    load = module.Tokenizer
    try:
        library = load.from_json(source) if isinstance(source, str) else load.from_sentencepiece(source)
    except RuntimeError as error:
        raise UnavailableError(_refusal(str(error))) from error
    return Contender(
        library.encode,
        _well_formed,
        ids_only,
        library.decode,
        lambda ids: ids.astype(np.uint32),
        lambda texts, n_threads: library.encode_batch(texts, parallel=n_threads > 1),
    )


def _refusal(message: str) -> str:
    """A sentence of what it tells, whose first line names a part and the others places in its source."""
    reason = message.partition("\n")[0]
    if part := UNSUPPORTED.match(reason):
        kind, name = part[1].replace("_", "-"), quoted(part[2], LONGEST_REASON)
        return f"gigatoken has no {kind} “{name}”, which this file asks for."
    return f"gigatoken cannot read this file: {quoted(reason, LONGEST_REASON).rstrip('.')}."


def _well_formed(text: bytes) -> bytes:
    """Its batches crash on bytes that are not UTF-8."""
    return as_str(text).encode()


GIGATOKEN = Peer(
    "gigatoken",
    "gigatoken",
    check_hugging_face,
    source_of,
    build,
    ids="an array",
    files={**READS_JSON, **sentencepiece.READS_PIECES},
    refuse=refuse,
)
