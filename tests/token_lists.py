"""Files that only list tokens, and checks that they are read as in Hugging Face's libraries."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tokenizers
from random_texts import LOOK_ALIKES, random_texts

from guiapp.analysis.libraries.written_models import hugging_face_json
from guiapp.core.encode.tokenizer import Tokenizer


def model_of(tokenizer: Tokenizer) -> dict[str, Any]:
    """The section “model” of a tokenizer.json."""
    model: dict[str, Any] = json.loads(hugging_face_json(tokenizer))["model"]
    return model


def write_vocab_txt(folder: Path, texts: Mapping[str, int], **files: Any) -> Path:
    """Write a line for each token; `files` are JSON files next to it."""
    lines = sorted(texts, key=texts.__getitem__)
    return _write(folder, "vocab.txt", "".join(f"{line}\n" for line in lines), files)


def write_vocab_json(folder: Path, model: Mapping[str, Any], **files: Any) -> Path:
    """Write vocab.json, and merges.txt next to it."""
    rules = [" ".join(rule) for rule in model["merges"]]
    _write(folder, "merges.txt", "\n".join(["#version: 0.2", *rules, ""]), {})
    return _write(folder, "vocab.json", json.dumps(model["vocab"], ensure_ascii=False), files)


def _write(folder: Path, name: str, text: str, sidecars: Mapping[str, Any]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for other, content in sidecars.items():
        (folder / f"{other}.json").write_text(json.dumps(content))
    (folder / name).write_bytes(text.encode())
    return folder / name


def texts_with(seed: int, count: int, *pieces: str) -> Iterator[str]:
    """Random texts of valid UTF-8, some with these pieces."""
    extra = [*pieces * 3, *LOOK_ALIKES, "ſ", "İ", "e\u0301", "Ångström ", " 's'LL", "\u3000", "x" * 120]
    dice = random.Random(seed)
    for text in random_texts(seed, count, [each.encode() for each in extra]):
        try:
            yield text.decode() + dice.choice(["", "", dice.choice(extra)])
        except UnicodeDecodeError:
            continue


def check(ours: Tokenizer, theirs: tokenizers.Tokenizer, text: str) -> None:
    """Assert equal ids with all options of special tokens, also by the reference implementations."""
    for add in (True, False):
        for parse in (True, False):
            theirs.encode_special_tokens = not parse
            expected = theirs.encode(text, add_special_tokens=add).ids
            assert ours.encode(text, add, parse).token_ids.tolist() == expected, (text, add, parse)
    if len(text) < 200:
        assert ours.encode_readable(text, False, False).token_ids.tolist() == expected, text
