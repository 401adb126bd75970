"""Mistral's tekken.json: tokens by rank, with ids after the special tokens, and the pattern.

Source: https://github.com/mistralai/mistral-common, tokens/tokenizers/tekken.py.
"""

from __future__ import annotations

from binascii import a2b_base64
from pathlib import Path
from typing import Any

import numpy as np

from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.model_sections import RankedTexts, read_json_with_ranks
from guiapp.core.formats.ranks import MOST_TOKENS, RankFile, vocabulary_of
from guiapp.core.formats.tokenizer_config import model_name
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.opening import METADATA, FileNote, Opening
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import packed

BOS = "<s>"
SPECIAL_TOKENS = (
    *("<unk>", "<s>", "</s>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"),
    *("[TOOL_RESULTS]", "[/TOOL_RESULTS]", "[TOOL_CALLS]", "[IMG]", "<pad>", "[IMG_BREAK]", "[IMG_END]"),
    *("[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CONTENT]"),
)
"""Special tokens of files that list none; further ones are called <SPECIAL_20> and so on."""


def sniff(head: bytes) -> bool:
    """Whether the first bytes are JSON with keys that only such files have."""
    keys = b'"default_num_special_tokens"', b'"token_bytes"'
    return head.lstrip().startswith(b"{") and any(key in head for key in keys)


def read(path: Path, opening: Opening) -> Vocabulary:
    """Raises VocabError for a file that is damaged, or whose pattern is not supported."""
    file = WholeFile(path, opening)
    opening.begin(METADATA)
    try:
        ranks = _ranks(file, file.json_object(read_json_with_ranks))
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, ValueError) as error:
        raise file.error(f"does not have the layout of such files: {quoted(repr(error))}") from error
    return vocabulary_of(file, ranks, opening)


def _ranks(file: WholeFile, content: dict[str, Any]) -> RankFile:
    config = content["config"]
    n_special, size = _count(config["default_num_special_tokens"]), _count(config["default_vocab_size"])
    texts, ranks = _tokens(content["vocab"])
    n_kept = min(max(size - n_special, 0), len(ranks))
    special = {f"<SPECIAL_{number}>": number for number in range(n_special)}
    listed = content.get("special_tokens") or [
        {"rank": number, "token_str": text} for number, text in enumerate(SPECIAL_TOKENS[:n_special])
    ]
    for row in stoppable(listed):
        special.pop(f"<SPECIAL_{_count(row['rank'])}>", None)
        special[str(row["token_str"])] = row["rank"]
    left_out = len(ranks) - n_kept
    message = f"Tokens beyond the vocabulary size are left out: {left_out:,}."
    warnings = (FileNote("tokens_left_out", message),) if left_out else ()
    return RankFile(
        (texts[0][: texts[1][n_kept]], texts[1][: n_kept + 1]),
        ranks[:n_kept] + n_special,
        special=special,
        pre="tekken",
        patterns=(Pattern(str(config["pattern"]), "unicode"),),
        name=model_name(file.path),
        bos=BOS if BOS in special else "",
        model="tekken",
        warnings=warnings,
        metadata={f"config.{key}": value for key, value in config.items() if isinstance(value, (str, int))},
    )


def _tokens(vocab: Any) -> RankedTexts:
    if isinstance(vocab, RankedTexts):
        return vocab
    texts = [a2b_base64(row["token_bytes"], strict_mode=True) for row in stoppable(vocab)]
    return RankedTexts(packed(texts), np.array([_count(row["rank"]) for row in stoppable(vocab)], np.int64))


def _count(value: object) -> int:
    """Return a whole number from the file if it may be an id; raises TypeError."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < MOST_TOKENS:
        raise TypeError(f"{value!r} is not a number of tokens")
    return value
