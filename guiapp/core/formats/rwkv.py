"""RWKV's world vocabulary: each line has an id, a token as a Python literal (str or bytes), and its length.

Source: https://github.com/BlinkDL/ChatRWKV, tokenizer/rwkv_tokenizer.py.
"""

from __future__ import annotations

import re
from ast import literal_eval
from pathlib import Path

import numpy as np

from guiapp.core.formats import checks
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.ranks import check_ids
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.attributes import ATTRIBUTE_OF_TYPE, CONTROL_TYPE, NORMAL_TYPE, UNUSED_TYPE
from guiapp.core.vocabulary.opening import METADATA, TOKENS, Opening
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary
from guiapp.native.checkpoint import checkpoint, stoppable
from guiapp.native.model_files import StringTable, packed

LITERAL = rb"""b?(?:'(?:[^'\\\r\n]|\\[^\r\n])*'|"(?:[^"\\\r\n]|\\[^\r\n])*")"""
LINE = re.compile(rb"([0-9]{1,7}) (" + LITERAL + rb") ([0-9]{1,9})\r?\n?")
END_OF_TEXT = b"<s>"  # the name of id 0 in converted vocabularies
PLAIN = frozenset(range(0x20, 0x7F)) - {ord("\\")}


def sniff(head: bytes) -> bool:
    """Whether the first line of a file is an id, a literal and a length."""
    return LINE.match(head) is not None


def read(path: Path, opening: Opening) -> Vocabulary:
    """Raises VocabError for a damaged file."""
    file = WholeFile(path, opening)
    opening.begin(METADATA)
    texts = _tokens(file)
    opening.begin(TOKENS)
    n_tokens = check_ids(file, np.array([0, *texts], np.int64))
    types = np.full(n_tokens, UNUSED_TYPE, np.int32)
    types[[*texts]] = NORMAL_TYPE
    types[0] = CONTROL_TYPE
    texts_by_id = [END_OF_TEXT, *(_escaped(texts, row) for row in stoppable(range(1, n_tokens)))]
    table = StringTable(*packed(texts_by_id))
    checks.check_unique(file, table)
    return Vocabulary(
        path=path,
        name=path.stem,
        type=VocabType.RWKV,
        model="rwkv",
        token_data=table.data,
        token_offsets=table.offsets,
        scores=np.zeros(n_tokens, np.float32),
        attributes=ATTRIBUTE_OF_TYPE[types],
        stored_types=types,
        special_ids=SpecialIds(eos=0),
        rules=Rules(),
        eog=frozenset({0}),
        token_table=table,
        library="RWKV's own tokenizer",
    )


def _tokens(file: WholeFile) -> dict[int, bytes]:
    """The bytes of each token by its id."""
    rows, at = [], 0
    while line_match := LINE.match(file.data, at):
        rows.append(line_match.groups())
        at = line_match.end()
        if len(rows) % 1024 == 0:
            checkpoint()
    if at != len(file.data):
        raise file.error(
            f"has a line that is not an id, a token and its length: “{quoted(file.data[at : at + 40])}”"
        )
    literals = b",".join(literal for _, literal, _ in rows)
    try:
        values = literal_eval(f"[{literals.decode()}]")  # safe: LINE matches literals only
    except (SyntaxError, ValueError, MemoryError) as error:
        raise file.error(f"has a token that is not a Python literal: {quoted(str(error))}") from error
    texts: dict[int, bytes] = {}
    for (number, _, size), value in zip(rows, values, strict=True):
        text = value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")
        token = int(number)
        if token in texts or not token:
            raise file.error(f"has two tokens with the id {token:,}")
        if len(text) != int(size) or not text:
            raise file.error(
                f"gives token {token:,} a length of {counted(int(size), 'byte')}, but it has {len(text):,}"
            )
        texts[token] = text
    return texts


def _escaped(texts: dict[int, bytes], row: int) -> bytes:
    """A token as in GGUF files of this type: all bytes except plain ASCII as escapes."""
    text = texts.get(row)
    if text is None:
        return b"[PAD%d]" % row
    if PLAIN.issuperset(text):
        return text
    return b"".join(bytes([byte]) if byte in PLAIN else b"\\x%02x" % byte for byte in text)
