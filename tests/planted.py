"""Copies of vocabularies with one difference each, as GGUF and as tokenizer.json, with the expected cause.

for plant in PLANTS: first, second = plant.write(folder)
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from conftest import VOCABS
from gguf_builder import BYTE, NORMAL, Raw, vocab_file
from model_files import opened

from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.libraries.written_models import hugging_face_json
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.native.model_files import sliced

Parts = dict[str, Any]  # of a GGUF file, as `gguf_builder.vocab_file` takes them
Document = dict[str, Any]  # a tokenizer.json
FLAGS = ("single_word", "lstrip", "rstrip", "normalized")
CONTEXTS = ("{}", "{}a", "{}e", "a{}", " {}", "{}s ", "x{}q")


@dataclass(frozen=True)
class Plant:
    """One difference.

    model   the vocabulary: one of `../shared/vocabs`, or a demo model
    kind    "gguf" or "json"
    change  turns the first file's content into the second's, in place
    causes  causes that the hunt may report
    before  a change made to both files
    """

    name: str
    model: str
    kind: str
    change: Callable[[Any], None]
    causes: tuple[Cause, ...]
    before: Callable[[Any], None] = lambda content: None

    def __str__(self) -> str:
        return f"{self.model}.{self.kind}: {self.name}"

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both files; return their paths."""
        write, make = (_write_gguf, gguf_parts) if self.kind == "gguf" else (_write_json, document)
        paths = []
        for name, changes in (("first", (self.before,)), ("second", (self.before, self.change))):
            content = make(self.model)
            for change in changes:
                change(content)
            paths.append(write(folder / f"{name}.{self.kind}", content))
        return paths[0], paths[1]


def named(model: str) -> Tokenizer:
    return opened(model if ":" in model else VOCABS / f"ggml-vocab-{model}.gguf")


def gguf_parts(model: str) -> Parts:
    """All parts of the file that concern its tokenizer, as copies to change."""
    return {key: copy(value) for key, value in _gguf_parts(model).items()}


@lru_cache(4)
def _gguf_parts(model: str) -> Parts:
    vocabulary = named(model).vocabulary
    keys = {key: value for key, value in vocabulary.metadata.items() if isinstance(value, (bool, int))}
    return {
        "model": vocabulary.model,
        "pre": vocabulary.pre or None,
        "architecture": vocabulary.architecture,
        "tokens": sliced(vocabulary.token_data, vocabulary.token_offsets),
        "types": vocabulary.stored_types.tolist(),
        "scores": vocabulary.scores.tolist() if vocabulary.scores.any() else None,
        "merges": sliced(vocabulary.merge_data, vocabulary.merge_offsets) or None,
        "keys": {key: value for key, value in keys.items() if key.startswith("tokenizer.ggml.")},
    }


def _write_gguf(path: Path, parts: Parts) -> Path:
    return vocab_file(**parts | {"types": Raw("array:i32", parts["types"])}).write(path)


def document(model: str) -> Document:
    """A tokenizer.json equivalent to the GGUF file, including special tokens."""
    json_data: Document = json.loads(_json_text(model))
    tokenizer = named(model)
    for token_id in tokenizer.special_tokens.searched_for(True).tolist():
        is_special = tokenizer.vocabulary.kind(token_id) != "user-defined"
        content = tokenizer.vocabulary.raw_text(token_id).decode()
        json_data["added_tokens"].append(added_token(content, id=token_id, special=is_special))
    before, after = tokenizer.special_affixes()
    if before or after:
        add_affixes(before, after)(json_data)
    return json_data


@cache
def _json_text(model: str) -> str:
    return hugging_face_json(named(model))


def added_token(content: str, **flags: Any) -> dict[str, Any]:
    return {"id": 0, "content": content, "special": True, **dict.fromkeys(FLAGS, False), **flags}


def _write_json(path: Path, json_data: Document) -> Path:
    path.write_text(json.dumps(json_data, ensure_ascii=False))
    return path


# Changes


def set_part(**values: Any) -> Callable[[Parts], None]:
    return lambda parts: parts.update(values)


def set_key(**values: Any) -> Callable[[Parts], None]:
    return lambda parts: parts["keys"].update(
        {f"tokenizer.ggml.{key}": value for key, value in values.items()}
    )


def _pair(rule: Any) -> tuple[str, str]:
    if isinstance(rule, bytes):
        left, right = rule.decode().split(" ", 1)
        return left, right
    return rule[0], rule[1]


def _rules(content: Any) -> list[Any]:
    return (
        content["model"]["merges"]
        if "model" in content and isinstance(content["model"], dict)
        else content["merges"]
    )


def drop_merge(seed: int) -> Callable[[Any], None]:
    """Remove a random rule without which some text has other tokens."""

    def change(content: Any) -> None:
        rules, rng = _rules(content), random.Random(seed)
        while True:
            at = rng.randrange(len(rules))
            left, right = _pair(rules[at])
            if len(left + right) <= 8 and _matters(rules, rules[:at] + rules[at + 1 :], left + right):
                del rules[at]
                return

    return change


def swap_merges(seed: int) -> Callable[[Any], None]:
    """Swap two rules that compete for a symbol, so that some text has other tokens."""

    def change(content: Any) -> None:
        rules, rng = _rules(content), random.Random(seed)
        pairs = list(map(_pair, rules))
        of_left: dict[str, list[int]] = {}
        for at, (left, _) in enumerate(pairs):
            of_left.setdefault(left, []).append(at)
        while True:
            one = rng.randrange(len(pairs))
            alternatives = of_left.get(pairs[one][1], [])
            other = rng.choice(alternatives) if alternatives else one
            text = "".join(pairs[one]) + pairs[other][1]
            if other == one or len(text) > 9:
                continue
            swapped = list(rules)
            swapped[one], swapped[other] = rules[other], rules[one]
            if _matters(rules, swapped, text):
                rules[:] = swapped
                return

    return change


def _matters(rules: list[Any], others: list[Any], merged_text: str) -> bool:
    """Whether both sets of rules give the text different tokens in some context."""
    ranks, other_ranks = (_ranks(each) for each in (rules, others))
    return any(
        _merged(c.format(merged_text), ranks) != _merged(c.format(merged_text), other_ranks)
        for c in CONTEXTS[1:4]
    )


def _ranks(rules: list[Any]) -> dict[tuple[str, str], int]:
    return {_pair(rule): rank for rank, rule in reversed(list(enumerate(rules)))}


def _merged(text: str, ranks: dict[tuple[str, str], int]) -> list[str]:
    """Merge as GPT-2 does: the best pair, until no pair is left."""
    parts = list(text.replace(" ", "Ġ"))
    while len(parts) > 1:
        rank, at = min((ranks.get((parts[i], parts[i + 1]), 1 << 40), i) for i in range(len(parts) - 1))
        if rank == 1 << 40:
            break
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def rename_token(text: bytes, new: bytes) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        parts["tokens"][parts["tokens"].index(text)] = new

    return change


def retype(text: bytes, kind: int) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        parts["types"][parts["tokens"].index(text)] = kind

    return change


def swap_scores(*texts: bytes) -> Callable[[Parts], None]:
    def change(parts: Parts) -> None:
        one, other = map(parts["tokens"].index, texts)
        scores = parts["scores"]
        scores[one], scores[other] = scores[other], scores[one]

    return change


def without_bytes(parts: Parts) -> None:
    """Rename the byte tokens and make them normal."""
    for at, kind in enumerate(parts["types"]):
        if kind == BYTE:
            parts["tokens"][at] = b"<byte %d>" % at
            parts["types"][at] = NORMAL


def set_path(*keys: Any, value: Any) -> Callable[[Document], None]:
    """Set a value within a document."""

    def change(json_data: Document) -> None:
        inner: Any = json_data
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value

    return change


def replace_in_patterns(old: str, new: str) -> Callable[[Document], None]:
    def change(json_data: Document) -> None:
        text = json.dumps(json_data["pre_tokenizer"])
        old_text, new_text = (json.dumps(each)[1:-1] for each in (old, new))
        assert old_text in text
        json_data["pre_tokenizer"] = json.loads(text.replace(old_text, new_text))

    return change


def swap_texts(*texts: str) -> Callable[[Document], None]:
    def change(json_data: Document) -> None:
        vocab = json_data["model"]["vocab"]
        vocab[texts[0]], vocab[texts[1]] = vocab[texts[1]], vocab[texts[0]]

    return change


def with_mask(json_data: Document) -> None:
    """Add an added token `<mask>` that is not in the model."""
    json_data["added_tokens"].append(added_token("<mask>", id=1 << 20))


def flag(**flags: bool) -> Callable[[Document], None]:
    """Set flags of the last added token."""
    return lambda json_data: json_data["added_tokens"][-1].update(flags)


def add_affixes(before: Sequence[int], after: Sequence[int] = ()) -> Callable[[Document], None]:
    """Add ids before and after all texts."""
    tokens = {"before": before, "behind": after}
    first, last = (
        [{"SpecialToken": {"id": name, "type_id": 0}}] if ids else [] for name, ids in tokens.items()
    )
    sequence = {"Sequence": {"id": "A", "type_id": 0}}
    template = {
        "type": "TemplateProcessing",
        "single": [*first, sequence, *last],
        "pair": [sequence, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {
            name: {"id": name, "ids": list(ids), "tokens": ["x"] * len(ids)}
            for name, ids in tokens.items()
            if ids
        },
    }
    return set_path("post_processor", value=template)


def digits_apart(json_data: Document) -> None:
    json_data["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [DIGITS, json_data["pre_tokenizer"]]}


def without_first_normalizer(json_data: Document) -> None:
    json_data["normalizer"]["normalizers"].pop(0)


PIECES, MERGE, TOKEN, SPECIAL = (Cause.PIECES,), (Cause.MERGE,), (Cause.TOKEN,), (Cause.SPECIAL,)
NORMALIZED, DECODED, AFFIXES = (Cause.NORMALIZED,), (Cause.DECODED,), (Cause.AROUND,)
WHOLE, FALLBACK, SCORE = (Cause.WHOLE_PIECE,), (Cause.FALLBACK,), (Cause.SCORE,)
DIGITS = {"type": "Digits", "individual_digits": True}
ANY_CASE, LOWER_CASE = "(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?:'s|'t|'re|'ve|'m|'ll|'d)"
NFC = set_path("normalizer", value={"type": "NFC"})
SMAUG = set_part(pre="smaug-bpe")  # Llama 3's pattern, but merges are not ignored

IN_GGUF = (
    ("one merge swapped", "gpt-2", swap_merges(1), MERGE),
    ("one merge swapped", "llama-bpe", swap_merges(2), MERGE),
    ("one merge swapped", "qwen2", swap_merges(3), MERGE),
    ("one merge missing", "gpt-2", drop_merge(4), MERGE),
    ("one merge missing", "llama-bpe", drop_merge(5), MERGE),
    ("one merge missing", "starcoder", drop_merge(6), MERGE),
    ("pre wrong", "llama-bpe", set_part(pre="jais-2"), PIECES, SMAUG),
    ("pre wrong", "qwen2", set_part(pre="trillion"), PIECES),
    ("pre wrong", "deepseek-coder", set_part(pre="deepseek-llm"), PIECES),
    ("pre wrong", "gpt-2", set_part(pre="falcon"), PIECES),
    ("ignore_merges off", "llama-bpe", SMAUG, WHOLE, set_key(add_bos_token=True)),
    ("digits grouped otherwise", "starcoder", set_part(pre="gpt-2"), PIECES),
    ("digits grouped otherwise", "qwen2", SMAUG, PIECES, set_part(pre="stablelm2")),
    ("clean-up of spaces", "qwen2", set_part(pre="stablelm2"), DECODED),
    ("clean-up of spaces", "gpt-2", set_part(pre="trillion"), DECODED),
    ("add_space_prefix", "llama-spm", set_key(add_space_prefix=False), NORMALIZED),
    ("one token's bytes", "llama-spm", rename_token("▁bird".encode(), "▁birb".encode()), TOKEN),
    ("one token's bytes", "llama-bpe", rename_token("Ġcats".encode(), "Ġcatz".encode()), TOKEN),
    ("one token's bytes", "bert-bge", rename_token("▁horse".encode(), "▁horze".encode()), TOKEN),
    ("two scores swapped", "llama-spm", swap_scores("▁the".encode(), b"he"), SCORE),
    ("byte fallback off", "llama-spm", without_bytes, FALLBACK),
    ("a special token is text", "starcoder", retype(b"<EMAIL>", NORMAL), SPECIAL),
    ("BOS left out", "llama-spm", set_key(add_bos_token=False), AFFIXES),
    ("EOS added", "llama-bpe", set_key(add_eos_token=True), AFFIXES),
)
IN_JSON = (
    ("one merge swapped", "gpt-2", swap_merges(7), MERGE),
    ("one merge swapped", "llama-bpe", swap_merges(8), MERGE),
    ("one merge missing", "qwen2", drop_merge(9), MERGE),
    ("one merge missing", "llama-bpe", drop_merge(10), MERGE),
    ("ignore_merges off", "llama-bpe", set_path("model", "ignore_merges", value=False), WHOLE),
    ("NFC missing", "qwen2", set_path("normalizer", value=None), NORMALIZED, NFC),
    ("digits grouped otherwise", "llama-bpe", replace_in_patterns(r"\p{N}{1,3}", r"\p{N}"), PIECES),
    ("digits grouped otherwise", "gpt-2", digits_apart, PIECES),
    ("a contraction's case", "llama-bpe", replace_in_patterns(ANY_CASE, LOWER_CASE), PIECES),
    ("a contraction's case", "qwen2", replace_in_patterns(ANY_CASE, LOWER_CASE), PIECES),
    ("add_space_prefix", "llama-spm", without_first_normalizer, NORMALIZED),
    ("lstrip of an added token", "llama-bpe", flag(lstrip=True), SPECIAL, with_mask),
    ("rstrip of an added token", "gpt-2", flag(rstrip=True), SPECIAL, with_mask),
    ("clean-up of spaces", "bert-bge", set_path("decoder", "cleanup", value=True), DECODED),
    ("one token's bytes", "gpt-2", swap_texts("Ġcats", "Ġdogs"), (Cause.NUMBER, Cause.TOKEN)),
    ("byte fallback off", "llama-spm", set_path("model", "byte_fallback", value=False), FALLBACK),
    ("BOS doubled", "llama-bpe", add_affixes((128000, 128000)), AFFIXES),
    ("case is kept", "bert-bge", set_path("normalizer", "lowercase", value=False), NORMALIZED),
)
PLANTS = (
    *(
        Plant(name, model, "gguf", change, causes, *before)
        for name, model, change, causes, *before in IN_GGUF
    ),
    *(
        Plant(name, model, "json", change, causes, *before)
        for name, model, change, causes, *before in IN_JSON
    ),
)
