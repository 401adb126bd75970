"""BERT's vocab.txt: one token on each line; the file does not specify how text is split.

It is read like BertTokenizer of `transformers`.
Source: https://github.com/huggingface/transformers, models/bert/tokenization_bert.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.json_parts import BERT_SPLIT, bert_normalizer, word_pieces
from guiapp.core.formats.tokenizer_config import (
    SidecarFiles,
    Token,
    added_tokens,
    read_sidecars,
    role_tokens,
    with_ids,
    with_roles,
)
from guiapp.core.vocabulary.opening import METADATA, FileNote, Opening

MOST_LINES = 1 << 20  # several times as many as in any vocabulary
SIGNS = frozenset((b"[PAD]", b"[UNK]", b"[CLS]", b"[SEP]", b"[MASK]"))
FEWEST_SIGNS = 2
LINE = re.compile(rb"[^\s]{0,300}")
USUAL = {
    "unk_token": "[UNK]",
    "sep_token": "[SEP]",
    "pad_token": "[PAD]",
    "cls_token": "[CLS]",
    "mask_token": "[MASK]",
}


NOT_SPLIT = FileNote(
    "never_split",
    "never_split in tokenizer_config.json is ignored, as in the fast tokenizer of transformers; the slow one "
    "keeps such words whole.",
)
REMARK = FileNote(
    "case_unknown",
    "No tokenizer_config.json next to the file sets do_lower_case: text becomes lower case, as with "
    "BertTokenizer of transformers; for a cased model that is wrong.",
)


def sniff(head: bytes) -> bool:
    """Whether the first lines of a file have no spaces and at least two are tokens such as [UNK]."""
    lines = re.split(rb"\r?\n", head)
    whole = lines[:-1] or lines
    return len(SIGNS.intersection(whole)) >= FEWEST_SIGNS and all(map(LINE.fullmatch, whole))


def document(path: Path, opening: Opening) -> tuple[WholeFile, dict[str, Any], SidecarFiles]:
    """The file, the equivalent tokenizer.json, and the sidecar files.  Raises VocabError."""
    from guiapp.core.formats.tokenizer_document import checked_layout

    file = WholeFile(path, opening)
    opening.begin(METADATA)
    sidecars = read_sidecars(path)
    ids = _ids(file)
    with checked_layout(file):
        roles = role_tokens(sidecars, USUAL)
        notes = [] if "do_lower_case" in sidecars.config else [REMARK]
        notes += [NOT_SPLIT] if sidecars.config.get("never_split") else []
        return file, _content(ids, roles, sidecars), with_roles(sidecars, roles, *notes)


def _ids(file: WholeFile) -> dict[str, int]:
    """The id of each line; of equal lines, the last counts.  Raises VocabError."""
    if file.data.count(b"\n") > MOST_LINES:
        raise file.error(f"has more than {MOST_LINES:,} lines")
    lines = re.split("\r\n|\r|\n", file.text())
    if lines[-1] == "":
        del lines[-1]
    return {text: row for row, text in enumerate(lines)}


def _content(ids: dict[str, int], roles: dict[str, Token], sidecars: SidecarFiles) -> dict[str, Any]:
    config = sidecars.config
    added = added_tokens(sidecars, roles)
    all_ids = with_ids(added, ids)
    sep, cls = roles["sep_token"]["content"], roles["cls_token"]["content"]
    return {
        "added_tokens": added,
        "normalizer": bert_normalizer(
            config.get("do_lower_case", True),
            config.get("strip_accents"),
            chinese=config.get("tokenize_chinese_chars", True),
        ),
        "pre_tokenizer": BERT_SPLIT,
        "post_processor": {"type": "BertProcessing", "sep": [sep, all_ids[sep]], "cls": [cls, all_ids[cls]]},
        "decoder": word_pieces(),
        "model": {
            "type": "WordPiece",
            "unk_token": roles["unk_token"]["content"],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": ids,
        },
    }
