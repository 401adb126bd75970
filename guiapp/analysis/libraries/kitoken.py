"""kitoken, from tokenizer.json or a model of SentencePiece."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from guiapp.analysis.libraries import sentencepiece
from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.json_files import check_for
from guiapp.analysis.libraries.peer import Peer
from guiapp.analysis.libraries.written_models import READS_JSON, hugging_face_json
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import VocabType


def source_of(tokenizer: Tokenizer) -> str | bytes:
    if tokenizer.vocabulary.type in (VocabType.SPM, VocabType.UGM) and tokenizer.vocabulary.parts is None:
        return sentencepiece.source_of(tokenizer)
    return hugging_face_json(tokenizer)


def build(module: Any, source: str | bytes) -> Contender:
    if isinstance(source, str):
        library = module.Kitoken.from_tokenizers(source.encode())
    else:
        library = module.Kitoken.from_sentencepiece(source)
    return Contender(
        lambda text: library.encode(text, False),
        as_str,
        ids_only,
        library.decode,
        encode_batch=lambda texts, _: library.encode_all(texts, False),
    )


KITOKEN = Peer(
    "kitoken",
    "kitoken",
    check_for("kitoken", VocabType.BPE, VocabType.SPM, VocabType.UGM, VocabType.WPM),
    source_of,
    build,
    ids="a list",
    files={**READS_JSON, "SentencePiece": Path.read_bytes},
)
