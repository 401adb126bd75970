"""Files of which libraries make different things, by their version or by what somebody tells them.

The file as it stands is one reading, and the one that is taken unless another is chosen by name.
Source: https://github.com/huggingface/transformers, tokenization_utils_tokenizers.py (`fix_mistral_regex`)
and models/llama/tokenization_llama_fast.py (`legacy`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

MARK = "\u2581"
MISTRAL_TOKENS = {"[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[TOOL_CALLS]"}
TEKKEN_PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Reading(NamedTuple):
    """Another one.

    sections  of tokenizer.json, to take the place of the file's own
    why       when a library reads the file so, as a sentence
    """

    sections: Mapping[str, Any]
    why: str


def other_readings(content: Mapping[str, Any]) -> dict[str, Reading]:
    """Those that a file allows besides what it says, by name."""
    return {**_tekken(content), **_prefix(content)}


def _tekken(content: Mapping[str, Any]) -> dict[str, Reading]:
    """Files converted from tekken.json once got another model's pattern."""
    steps = _steps(content.get("pre_tokenizer"), "pretokenizers")
    contents = {
        token.get("content") for token in content.get("added_tokens") or [] if isinstance(token, dict)
    }
    kinds = [step.get("type") for step in steps]
    if not contents.issuperset(MISTRAL_TOKENS) or kinds != ["Split", "ByteLevel"]:
        return {}
    split = {"type": "Split", "pattern": {"Regex": TEKKEN_PATTERN}, "behavior": "Isolated", "invert": False}
    if steps[0].get("pattern") == split["pattern"]:
        return {}
    sections = {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, steps[1]]}}
    why = "transformers splits the text of such files as Mistral's own does if told to (fix_mistral_regex)."
    return {"tekken": Reading(sections, why)}


def _prefix(content: Mapping[str, Any]) -> dict[str, Reading]:
    """Llama's mark of a word's start: before each stretch between special tokens, or at a text's start."""
    steps = _steps(content.get("normalizer"), "normalizers")
    pre_tokenizer = content.get("pre_tokenizer")
    metaspace = {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first", "split": False}
    marks = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
    prepends = {"type": "Prepend", "prepend": MARK}
    if steps == [prepends, marks] and pre_tokenizer is None:
        sections: dict[str, Any] = {"normalizer": None, "pre_tokenizer": metaspace}
        why = "Converted by transformers with “legacy” off, only a text's start gets a space."
        return {"llama-first": Reading(sections, why)}
    if not steps and pre_tokenizer == metaspace:
        sections = {
            "normalizer": {"type": "Sequence", "normalizers": [prepends, marks]},
            "pre_tokenizer": None,
        }
        why = "Converted by transformers with “legacy” on, text behind special tokens gets a space, too."
        return {"llama-legacy": Reading(sections, why)}
    return {}


def _steps(said: Any, key: str) -> list[Any]:
    """The components of a sequence, or the one that there is."""
    if said is None:
        return []
    steps = said.get(key) if said.get("type") == "Sequence" else [said]
    return steps if isinstance(steps, list) and all(isinstance(step, dict) for step in steps) else []
