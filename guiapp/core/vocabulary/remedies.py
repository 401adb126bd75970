"""What mends a model's file: commands for a terminal, or sentences where there is none."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from guiapp.core.vocabulary.vocabulary import Vocabulary

GGUF, TOOL = "GGUF", "gguf-new-metadata"  # the program comes with the package gguf
IN_GENERATION = (
    "Add {} to eos_token_id of generation_config.json. "
    "In a GGUF file made from this one, set tokenizer.ggml.{}_token_id to the same id."
)


def new_metadata(vocabulary: Vocabulary, options: str, otherwise: str) -> str:
    """The command that writes a copy of a GGUF file with other metadata; what mends other files."""
    return f"{TOOL} {options} {_files(vocabulary.path, 1)}" if vocabulary.format == GGUF else otherwise


def without_key(path: Path | None, key: str) -> str:
    """The command that writes a copy of a GGUF file without a key; by itself it would wait for an answer."""
    return f"{TOOL} --force --remove-metadata {shlex.quote(key)} {_files(path, 1)}"


def in_turn(remedies: Iterable[str], path: Path | None) -> Iterator[str]:
    """Remedies of one file where each command reads what the one before wrote; the same one runs once."""
    steps: dict[str, int] = {}
    for remedy in remedies:
        if remedy.endswith(first := _files(path, 1)):
            yield remedy.removesuffix(first) + _files(path, steps.setdefault(remedy, len(steps) + 1))
        else:
            yield remedy


def _files(path: Path | None, step: int) -> str:
    """What the command of this step reads and writes, for a shell; terminals obey what cannot be printed."""
    given = Path("model.gguf") if path is None or not str(path).isprintable() else path
    ends = ["", "-fixed", *(f"-fixed-{number}" for number in range(2, step + 1))][-2:]
    return " ".join(shlex.quote(str(given.with_name(f"{given.stem}{end}{given.suffix}"))) for end in ends)


def ending_generation(vocabulary: Vocabulary, token_id: int) -> str:
    """What lets llama.cpp end a generation at a token."""
    role = "eot" if vocabulary.special_ids.eot is None else "eom"
    otherwise = IN_GENERATION.format(token_id, role)
    return new_metadata(vocabulary, f"--special-token-by-id {role} {token_id}", otherwise)
