"""The tokenizer of RWKV's own package, which walks a trie."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from guiapp.analysis.libraries.contender import Contender, ids_only
from guiapp.analysis.libraries.peer import Peer, only
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType


def source_of(tokenizer: Tokenizer) -> str:
    """Its rows as we write them: what a line of such a file says is run as Python there."""
    vocabulary = tokenizer.vocabulary
    rows = ((token, vocabulary.token_bytes(token)) for token in range(len(vocabulary)))
    is_text = vocabulary.attributes & Attribute.NORMAL > 0
    return "".join(f"{token} {text!r} {len(text)}\n" for token, text in rows if is_text[token] and text)


def build(module: Any, source: str) -> Contender:
    with TemporaryDirectory() as folder:
        path = Path(folder, "vocabulary.txt")
        path.write_text(source, "utf-8")
        library = module.TRIE_TOKENIZER(str(path))
    return Contender(
        library.encodeBytes,
        bytes,
        ids_only,
        library.decodeBytes,
        encode_batch=lambda texts, _: [library.encodeBytes(text) for text in texts],
    )


RWKV = Peer(
    "rwkv-package",
    "rwkv.rwkv_tokenizer",
    only("rwkv-package", VocabType.RWKV),
    source_of,
    build,
    ids="a list",
    package="rwkv",
)
