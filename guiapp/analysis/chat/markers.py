"""What markers of turns look like, in templates, in texts and as names of tokens."""

from __future__ import annotations

import re

MARKER = re.compile(
    r"<\s?[|｜]\s?[^<>|｜\n]{1,40}?\s?[|｜]\s?>|<\s?/?\s?[a-z][a-z_]{0,30}\s?>"
    r"|\[\s?/?\s?[A-Z][A-Z_]{2,30}\s?\]"
)
ENDS = (
    "<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>",
    "</s>", "<turn|>", "<｜end▁of▁sentence｜>", "<|eom_id|>", "<|return|>", "<|END_OF_TURN_TOKEN|>",
    "<end_of_utterance>",
)  # fmt: skip
BEGINNINGS = (
    "<|im_start|>", "<|start_header_id|>", "<|end_header_id|>", "<start_of_turn>",
    "<|begin_of_text|>", "<s>", "[INST]", "[/INST]", "<|system|>", "<|user|>", "<|assistant|>",
    "<|start|>", "<|turn>", "<|START_OF_TURN_TOKEN|>", "<｜begin▁of▁sentence｜>",
)  # fmt: skip
ENDS_BY_LOOK = frozenset(
    (
        *("eot", "eos", "eom", "eod", "eoa", "eot_id", "eom_id", "im_end", "end", "return", "endoftext"),
        *("end_of_text", "end_of_turn", "end_of_turn_token", "end_of_sentence", "end_of_message"),
        *("end_of_utterance", "end_of_document", "turn_end"),
    )
)
BRACKETS = "<>|[]_/ "


def confusable_key(name: str) -> str:
    """What names have in common that people take for the same."""
    return "".join(name.split()).replace("｜", "|").replace("▁", "_").lower()


def resembles_end(name: str) -> bool:
    """Whether people take a token of this name for the end of a turn."""
    return confusable_key(name).strip(BRACKETS) in ENDS_BY_LOOK
