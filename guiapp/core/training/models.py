"""Trained vocabularies as model files: what `tokenloupe train` writes, to be opened beside real ones."""

from __future__ import annotations

from collections.abc import Callable

from gguf import TokenType

from guiapp.core.errors import TokenloupeError
from guiapp.core.training.charsmap import build_charsmap
from guiapp.core.training.vocabularies import train_byte_level, train_unigram, train_wordpiece
from guiapp.core.training.write_gguf import ModelFile, Token

DESCRIPTION = "Trained by Tokenloupe on a text of one's own."


class TrainingError(TokenloupeError):
    """A text or a size that no vocabulary can be trained with; the message says why."""


def bpe_model(text: str, n_tokens: int) -> ModelFile:
    """Byte-level BPE: 256 bytes, what merging makes of them, and a token for the end of a text."""
    end = Token("<|endoftext|>", TokenType.CONTROL)
    tokens, merges = train_byte_level(text, n_tokens, (end,))
    return ModelFile(
        "llama",
        "Trained byte-level BPE",
        DESCRIPTION,
        "gpt2",
        tokens,
        pre="llama-bpe",
        merges=merges,
        special_ids={"bos": len(tokens) - 1, "eos": len(tokens) - 1},
        flags={"add_bos_token": False},
    )


def wordpiece_model(text: str, n_tokens: int) -> ModelFile:
    """WordPiece in lower case, with BERT's special tokens."""
    special = [Token(name, TokenType.CONTROL) for name in ("[PAD]", "[CLS]", "[SEP]", "[MASK]")]
    special.insert(1, Token("[UNK]", TokenType.UNKNOWN))
    roles = {"padding": 0, "unknown": 1, "bos": 2, "seperator": 3, "mask": 4}
    tokens = train_wordpiece(text, n_tokens, special)
    return ModelFile("bert", "Trained WordPiece", DESCRIPTION, "bert", tokens, special_ids=roles)


def unigram_model(text: str, n_tokens: int) -> ModelFile:
    """Unigram, with T5's special tokens; of characters only white space is rewritten."""
    special = [Token("<pad>", TokenType.CONTROL), Token("</s>", TokenType.CONTROL)]
    special.append(Token("<unk>", TokenType.UNKNOWN))
    return ModelFile(
        "t5",
        "Trained Unigram",
        DESCRIPTION,
        "t5",
        train_unigram(text, n_tokens, special),
        special_ids={"padding": 0, "eos": 1, "unknown": 2},
        flags={"add_space_prefix": True, "remove_extra_whitespaces": True, "add_bos_token": False},
        charsmap=build_charsmap(dict.fromkeys("\t\n\r", " ")),
    )


TRAINERS: dict[str, Callable[[str, int], ModelFile]] = {
    "bpe": bpe_model,
    "wordpiece": wordpiece_model,
    "unigram": unigram_model,
}


def train(algorithm: str, text: str, n_tokens: int) -> ModelFile:
    """The model of a text; raises TrainingError where the text or the size is too small for it."""
    if not text.strip():
        raise TrainingError("The text is empty. Train on a text with some words.")
    model = TRAINERS[algorithm](text, n_tokens)
    if len(model.tokens) > n_tokens:
        raise TrainingError(
            f"This text needs {len(model.tokens):,} tokens for its characters and special tokens alone. "
            f"Choose a vocabulary size of at least that."
        )
    return model
