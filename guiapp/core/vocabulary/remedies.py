"""How to fix a model's file: commands for a terminal, or sentences if there is no command."""

from __future__ import annotations

import shlex
from pathlib import Path

from guiapp.core.vocabulary.vocabulary import Vocabulary

GGUF, COMMAND = "GGUF", "tokenloupe doctor "
IN_GENERATION = (
    "Add {} to eos_token_id of generation_config.json. "
    "In a GGUF file made from this one, set tokenizer.ggml.{}_token_id to the same id."
)


def fixing(path: Path | None, only: str = "", original: Path | None = None) -> str:
    """The shell command that saves a fixed copy; an unprintable path, which terminals obey, is replaced."""
    given = Path("model.gguf") if path is None or not str(path).isprintable() else path
    words = [given, "--fix", given.with_name(f"{given.stem}-fixed{given.suffix}")]
    words += ["--only", only] if only else []
    words += ["--original", original] if original is not None else []
    return COMMAND + " ".join(shlex.quote(str(word)) for word in words)


def ending_generation(vocabulary: Vocabulary, token_id: int) -> str:
    """How to make llama.cpp end a generation at a token."""
    if vocabulary.format == GGUF:
        return fixing(vocabulary.path, f"end_of_turn_goes_on={token_id}")
    return IN_GENERATION.format(token_id, "eot" if vocabulary.special_ids.eot is None else "eom")
