"""Builders for the components of a tokenizer.json, named after what they do.

Source: https://github.com/huggingface/tokenizers, tokenizers/src.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats import ranks
from guiapp.core.pretokenize.pre_tokenizers import CONTRACTION, QWEN35

Part = dict[str, Any]
SPACE_MARK = "\u2581"


def sequence(key: str, *steps: Part) -> Part:
    return {"type": "Sequence", key: list(steps)}


normalizers = partial(sequence, "normalizers")
pre_tokenizers = partial(sequence, "pretokenizers")
decoders = partial(sequence, "decoders")


def byte_level(prefixes: bool = False, use_regex: bool = True) -> Part:
    return {"type": "ByteLevel", "add_prefix_space": prefixes, "trim_offsets": True, "use_regex": use_regex}


def metaspace(scheme: str = "always", split: bool = True) -> Part:
    return {"type": "Metaspace", "replacement": SPACE_MARK, "prepend_scheme": scheme, "split": split}


def replaced(text: str, by: str) -> Part:
    return {"type": "Replace", "pattern": {"String": text}, "content": by}


def matched(pattern: str, by: str) -> Part:
    """Replace each match of a regular expression."""
    return {"type": "Replace", "pattern": {"Regex": pattern}, "content": by}


def split_by(pattern: str, behavior: str = "Isolated", invert: bool = False) -> Part:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def strip(left: bool, right: bool) -> Part:
    return {"type": "Strip", "strip_left": left, "strip_right": right}


def stripped(start: int, stop: int) -> Part:
    """Remove up to `start` leading and `stop` trailing spaces from decoded text."""
    return {"type": "Strip", "content": " ", "start": start, "stop": stop}


def precompiled(charsmap: NDArray[np.uint8]) -> Part:
    """Normalize with SentencePiece's character map."""
    return {"type": "Precompiled", "precompiled_charsmap": b64encode(charsmap.tobytes()).decode()}


def bert_normalizer(lowercase: Any, strip_accents: Any, clean: bool = True, chinese: Any = True) -> Part:
    return {
        "type": "BertNormalizer",
        "clean_text": clean,
        "handle_chinese_chars": chinese,
        "strip_accents": strip_accents,
        "lowercase": lowercase,
    }


def word_pieces(cleans_up: bool = True) -> Part:
    return {"type": "WordPiece", "prefix": "##", "cleanup": cleans_up}


def template(single: Sequence[str | None], ids: Mapping[str, int]) -> Part:
    """Add tokens before and after a text; None in `single` stands for the text."""
    first, second = (
        [
            {"Sequence": {"id": name, "type_id": 0}}
            if text is None
            else {"SpecialToken": {"id": text, "type_id": 0}}
            for text in single
        ]
        for name in "AB"
    )
    tokens = {text: {"id": text, "ids": [ids[text]], "tokens": [text]} for text in single if text is not None}
    return {
        "type": "TemplateProcessing",
        "single": first,
        "pair": [*first, *second],
        "special_tokens": tokens,
    }


BYTE_LEVEL = byte_level()
NFC, NFKD = ({"type": form} for form in ("NFC", "NFKD"))
LOWER, ACCENTS = {"type": "Lowercase"}, {"type": "StripAccents"}
WHITE = {"type": "WhitespaceSplit"}
BERT_SPLIT = {"type": "BertPreTokenizer"}
DIGITS = {"type": "Digits", "individual_digits": True}
FUSE = {"type": "Fuse"}
MARKS = replaced(" ", SPACE_MARK)
PREPENDS = {"type": "Prepend", "prepend": SPACE_MARK}
SPLIT_SPACES = split_by("", "MergedWithPrevious") | {"pattern": {"String": " "}}
TO_SPACES = replaced(SPACE_MARK, " "), {"type": "ByteFallback"}, FUSE
ONE_SPACE = matched(" {2,}", " ")
CLIP_NORMALIZER = normalizers(NFC, matched(r"\s+", " "), LOWER)
CLIP_SPLIT = split_by(
    r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
    "Removed",
    True,
)
CL100K_SPLIT, QWEN_SPLIT, TEKKEN_SPLIT = (
    split_by(pattern.source) for pattern in (ranks.CL100K, ranks.QWEN, ranks.TEKKEN)
)
QWEN_3_5_SPLIT = split_by(QWEN35.source.replace(CONTRACTION, ranks.CONTRACTION))
