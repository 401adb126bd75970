"""A trained vocabulary as a GGUF file that holds nothing else, in the layout that llama.cpp reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gguf import GGUFWriter, TokenType

from guiapp.core.sources.files import replacement

MERGING_MODELS = ("gpt2", "gemma4")  # these cannot be opened without a list of merges
NO_RULE = ""  # stands for none: gguf leaves empty lists out


@dataclass(frozen=True)
class Token:
    """One row of the vocabulary, spelled as the file has it."""

    text: str
    kind: TokenType = TokenType.NORMAL
    score: float = 0.0


@dataclass(frozen=True)
class ModelFile:
    """What goes into the file.

    model        tokenizer.ggml.model: gpt2, gemma4, llama, bert, t5 or rwkv
    pre          tokenizer.ggml.pre, only for gpt2
    merges       "left right" in rank order, only for gpt2 and gemma4
    special_ids  role -> id, e.g. {"bos": 1}: becomes tokenizer.ggml.bos_token_id
    flags        the rest of a tokenizer.ggml key -> bool, e.g. {"add_bos_token": True}
    """

    architecture: str
    name: str
    description: str
    model: str
    tokens: tuple[Token, ...]
    pre: str = ""
    merges: tuple[str, ...] = ()
    special_ids: Mapping[str, int] = field(default_factory=dict)
    flags: Mapping[str, bool] = field(default_factory=dict)
    charsmap: bytes = b""
    chat_template: str = ""
    author: str = ""
    license: str = ""


def write_gguf(path: Path, model: ModelFile) -> None:
    """Write the file, or change nothing; the same model gives the same bytes.  Raises OSError."""
    with replacement(path) as new:
        _write(GGUFWriter(new, model.architecture), model)


def _write(writer: GGUFWriter, model: ModelFile) -> None:
    writer.add_type("model")
    writer.add_name(model.name)
    writer.add_author(model.author)
    writer.add_description(model.description)
    writer.add_license(model.license)
    _add_tokens(writer, model)
    for role, token_id in model.special_ids.items():
        writer.add_uint32(f"tokenizer.ggml.{role}_token_id", token_id)
    for key, value in model.flags.items():
        writer.add_bool(f"tokenizer.ggml.{key}", value)
    if model.charsmap:
        writer.add_precompiled_charsmap(model.charsmap)
    if model.chat_template:
        writer.add_chat_template(model.chat_template)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()


def _add_tokens(writer: GGUFWriter, model: ModelFile) -> None:
    writer.add_tokenizer_model(model.model)
    if model.pre:
        writer.add_tokenizer_pre(model.pre)
    writer.add_token_list([token.text for token in model.tokens])
    if any(token.score for token in model.tokens):
        writer.add_token_scores([float(token.score) for token in model.tokens])
    writer.add_token_types([int(token.kind) for token in model.tokens])
    if model.model in MERGING_MODELS:
        writer.add_token_merges(list(model.merges) or [NO_RULE])
