"""llama2.c's tokenizer.bin: the length of the longest token, then each token's score, length and text.

It is made from a SentencePiece BPE model with byte fallback, but stores neither token types nor text rules.
Source: https://github.com/karpathy/llama2.c, tokenizer.py and run.c.
"""

from __future__ import annotations

from pathlib import Path
from struct import Struct

import numpy as np

from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.sentencepiece import BPE, MOST_TOKENS, Model, checked_table, vocabulary_of
from guiapp.core.vocabulary.attributes import BYTE_TYPE, CONTROL_TYPE, NORMAL_TYPE, UNKNOWN_TYPE
from guiapp.core.vocabulary.byte_alphabet import NAMES
from guiapp.core.vocabulary.opening import METADATA, SPECIAL, Opening
from guiapp.core.vocabulary.parts import PieceRules, TextRules
from guiapp.core.vocabulary.vocabulary import SpecialIds, Vocabulary
from guiapp.native.checkpoint import checkpoint
from guiapp.native.model_files import packed

LONGEST, ROW = Struct("<i"), Struct("<fi")
MOST_LONGEST = 1 << 13
FIRST = (b"<unk>", b"\n<s>\n", b"\n</s>\n")  # the first three texts in the file
SPECIAL_TEXTS = (b"<unk>", b"<s>", b"</s>")
EQUAL = (
    "The ids equal those of the library sentencepiece 0.2.3 if the original model changes text as Llama 2 "
    "does and has no user-defined pieces. The file specifies neither."
)


def sniff(head: bytes) -> bool:
    """Whether the first rows are the unknown token, BOS and EOS, as llama2.c writes them."""
    at = LONGEST.size
    for text in FIRST:
        if len(head) < at + ROW.size or ROW.unpack_from(head, at)[1] != len(text):
            return False
        at += ROW.size + len(text)
        if not head.endswith(text, 0, at):
            return False
    return True


def read(path: Path, opening: Opening) -> Vocabulary:
    """Raises VocabError for a damaged file, and for one whose layout differs from llama2.c's own file."""
    file = WholeFile(path, opening)
    opening.begin(METADATA)
    texts, scores = _rows(file)
    first_normal = len(SPECIAL_TEXTS) + len(NAMES)
    if tuple(texts[len(SPECIAL_TEXTS) : first_normal]) != NAMES:
        raise file.error("does not have one token for each byte after the first three")
    kinds = np.full(len(texts), NORMAL_TYPE, np.int32)
    kinds[: len(SPECIAL_TEXTS)] = UNKNOWN_TYPE, CONTROL_TYPE, CONTROL_TYPE
    kinds[len(SPECIAL_TEXTS) : first_normal] = BYTE_TYPE
    spelled = [*SPECIAL_TEXTS, *(text.replace(b" ", "▁".encode()) for text in texts[len(SPECIAL_TEXTS) :])]
    rules = PieceRules(
        TextRules(np.empty(0, np.uint8), removes_spaces=False),
        merges=True,
        has_byte_fallback=True,
        equal_to=EQUAL,
    )
    table = checked_table(file, packed(spelled), np.array(scores, np.float32), kinds, BPE, has_bytes=True)
    opening.begin(SPECIAL)
    model = Model(table, np.array(scores, np.float32), kinds, BPE, rules, SpecialIds(unk=0, bos=1, eos=2), {})
    return vocabulary_of(file, model, "llama2.c")


def _rows(file: WholeFile) -> tuple[list[bytes], list[float]]:
    """Texts and scores of all tokens."""
    longest = LONGEST.unpack_from(file.data)[0]
    texts, scores, at = list[bytes](), list[float](), LONGEST.size
    while at + ROW.size <= len(file.data) and len(texts) <= MOST_TOKENS:
        score, size = ROW.unpack_from(file.data, at)
        at += ROW.size
        if not 0 < size <= max(longest, MOST_LONGEST) or size > len(file.data) - at:
            raise file.error(f"is damaged at token {len(texts):,}, which would have {size:,} bytes")
        texts.append(file.data[at : at + size])
        scores.append(score)
        at += size
        if len(texts) % 1024 == 0:
            checkpoint()
    if at != len(file.data):
        raise file.error("ends in the middle of a token")
    return texts, scores
