"""OpenAI CLIP's bpe_simple_vocab_16e6.txt.gz: merge rules, from which CLIP's own code derives the tokens.

Source: https://github.com/openai/CLIP, clip/simple_tokenizer.py; text is split as in `transformers`.
"""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.tokenizer_config import SidecarFiles, role_tokens, with_roles
from guiapp.core.formats.vocab_json import CLIP, document_of
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE, PRINTABLE, UNPRINTABLE
from guiapp.core.vocabulary.opening import METADATA, FileNote, Opening
from guiapp.core.vocabulary.vocabulary import Vocabulary

FIRST_LINE = b'"bpe_simple_vocab_16e6.txt#version: '
GZIP_MAGIC, GZIP_WINDOW = b"\x1f\x8b", 31
MOST_BYTES = 1 << 25  # ten times the size of the unpacked file
N_MERGES = 49_152 - 256 - 2  # as in CLIP's code, which counts only half of the byte tokens
BYTES = [CHARACTER_OF_BYTE[byte] for byte in (*PRINTABLE, *UNPRINTABLE)]
END_OF_WORD = "</w>"
SPECIAL = ("<|startoftext|>", "<|endoftext|>")
REMARK = FileNote(
    "repairs_first",
    "CLIP's own code first repairs a text with ftfy and resolves HTML entities. Tokenloupe does neither.",
)


def sniff(head: bytes) -> bool:
    """Whether the first bytes unpack to the first line of such a file."""
    if not head.startswith(GZIP_MAGIC):
        return False
    try:
        return zlib.decompressobj(GZIP_WINDOW).decompress(head, len(FIRST_LINE)) == FIRST_LINE
    except zlib.error:
        return False


def read(path: Path, opening: Opening) -> Vocabulary:
    """Raises VocabError for a damaged file."""
    from guiapp.core.formats.tokenizer_document import checked_layout, vocabulary_of

    file, content, sidecars = document(path, opening)
    with checked_layout(file):
        return replace(vocabulary_of(file, content, sidecars, opening), name="CLIP")


def document(path: Path, opening: Opening) -> tuple[WholeFile, dict[str, Any], SidecarFiles]:
    """The file, the equivalent tokenizer.json, and empty sidecar files.  Raises VocabError."""
    from guiapp.core.formats.tokenizer_document import checked_layout

    file = WholeFile(path, opening)
    opening.begin(METADATA)
    merges, nothing = _merges(file), SidecarFiles({}, {})
    with checked_layout(file):
        roles = role_tokens(nothing, CLIP.usual)
        content = document_of(_ids(merges), merges, CLIP, roles, nothing)
        return file, content, with_roles(nothing, roles, REMARK)


def _merges(file: WholeFile) -> list[str]:
    """The rules that CLIP uses, each two texts separated by a space.  Raises VocabError."""
    try:
        packed = zlib.decompressobj(GZIP_WINDOW)
        data = packed.decompress(file.data, MOST_BYTES + 1)
    except zlib.error as error:
        raise file.error(f"is broken: {error}") from error
    if len(data) > MOST_BYTES:
        raise file.error(f"unpacks to more than {MOST_BYTES:,} bytes")
    if not packed.eof:
        raise file.error("is incomplete and cannot be unpacked")
    return file.text(data).split("\n")[1 : N_MERGES + 1]


def _ids(merges: list[str]) -> dict[str, int]:
    """The id of each token: bytes, bytes at the end of a word, results of the rules, special tokens."""
    made = (rule.replace(" ", "", 1) for rule in merges)
    texts = [*BYTES, *(text + END_OF_WORD for text in BYTES), *made, *SPECIAL]
    return {text: row for row, text in enumerate(texts)}
