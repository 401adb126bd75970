"""What mends a model's file: commands for a terminal, or sentences where there is none."""

from __future__ import annotations

import shlex

from guiapp.core.vocab.vocabulary import Vocabulary

GGUF = "GGUF"
IN_GENERATION = (
    "Add {} to eos_token_id of generation_config.json. "
    "In a GGUF file made of this one, set tokenizer.ggml.{}_token_id to it."
)


def new_metadata(vocabulary: Vocabulary, options: str, otherwise: str) -> str:
    """The command that writes a copy of a GGUF file with other metadata; what mends other files."""
    if vocabulary.format != GGUF:
        return otherwise
    name = "" if vocabulary.path is None else vocabulary.path.name
    name = name if name.isprintable() and name else "model.gguf"  # terminals obey what is not
    return f"gguf_new_metadata.py {options} {shlex.quote(name)} mended.gguf"


def ending_generation(vocabulary: Vocabulary, token_id: int) -> str:
    """What lets llama.cpp end a generation at a token."""
    role = "eot" if vocabulary.special_ids.eot is None else "eom"
    otherwise = IN_GENERATION.format(token_id, role)
    return new_metadata(vocabulary, f"--special-token-by-id {role} {token_id}", otherwise)
