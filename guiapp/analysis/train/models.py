"""Trained vocabularies as model files: what `tokenloupe train` writes, to be opened beside real ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gguf import TokenType

from guiapp.analysis.train import unigram
from guiapp.analysis.train.corpus import Pair
from guiapp.analysis.train.vocabularies import (
    byte_level_rows,
    end_mark_rows,
    train_byte_level,
    train_unigram,
    train_wordpiece,
    unigram_rows,
    wordpiece_rows,
)
from guiapp.analysis.train.write_gguf import ModelFile, Token
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.text.figures import counted
from guiapp.errors import TokenloupeError

DESCRIPTION = "Trained by Tokenloupe on a text of one's own."
BPE_SPECIAL = (Token("<|endoftext|>", TokenType.CONTROL),)
END_MARK_SPECIAL = (
    Token("<pad>", TokenType.CONTROL),
    Token("<eos>", TokenType.CONTROL),
    Token("<bos>", TokenType.CONTROL),
    Token("<unk>", TokenType.UNKNOWN),
)
N_END_MARK_ROWS = len(END_MARK_SPECIAL) + 256  # with the bytes that stand in for unknown characters
WORDPIECE_SPECIAL = (
    Token("[PAD]", TokenType.CONTROL),
    Token("[UNK]", TokenType.UNKNOWN),
    *(Token(name, TokenType.CONTROL) for name in ("[CLS]", "[SEP]", "[MASK]")),
)
UNIGRAM_SPECIAL = (
    Token("<pad>", TokenType.CONTROL),
    Token("</s>", TokenType.CONTROL),
    Token("<unk>", TokenType.UNKNOWN),
)


class TrainingError(TokenloupeError):
    """A text or a size that no vocabulary can be trained with; the message says why."""


def bpe_file(merges: Sequence[Pair]) -> ModelFile:
    """Byte-level BPE: 256 bytes, what merging makes of them, and a token for the end of a text."""
    return _bpe(*byte_level_rows(merges, BPE_SPECIAL))


def end_mark_file(alphabet: Sequence[str], merges: Sequence[Pair]) -> ModelFile:
    """BPE over characters whose end-of-word marks are the spaces behind the words.

    Gemma 4's kind of file splits a text at line breaks only, so that a space can belong to the word before
    it, and it always puts its BOS token in front.
    """
    tokens, rules = end_mark_rows(alphabet, merges, END_MARK_SPECIAL)
    roles = {"padding": 0, "eos": 1, "bos": 2, "unknown": 3}
    name = "Trained BPE with end-of-word marks"
    return ModelFile("llama", name, DESCRIPTION, "gemma4", tokens, merges=rules, special_ids=roles)


def wordpiece_file(alphabet: Sequence[str], merges: Sequence[Pair]) -> ModelFile:
    """WordPiece in lower case, with BERT's special tokens."""
    return _wordpiece(wordpiece_rows(alphabet, merges, WORDPIECE_SPECIAL))


def unigram_file(model: unigram.Model) -> ModelFile:
    """Unigram, with T5's special tokens; of characters only white space is rewritten."""
    return _unigram(unigram_rows(model, UNIGRAM_SPECIAL))


def _bpe(tokens: tuple[Token, ...], merges: tuple[str, ...]) -> ModelFile:
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


def _wordpiece(tokens: tuple[Token, ...]) -> ModelFile:
    roles = {"padding": 0, "unknown": 1, "bos": 2, "seperator": 3, "mask": 4}
    return ModelFile("bert", "Trained WordPiece", DESCRIPTION, "bert", tokens, special_ids=roles)


def _unigram(tokens: tuple[Token, ...]) -> ModelFile:
    return ModelFile(
        "t5",
        "Trained Unigram",
        DESCRIPTION,
        "t5",
        tokens,
        special_ids={"padding": 0, "eos": 1, "unknown": 2},
        flags={"add_space_prefix": True, "remove_extra_whitespaces": True, "add_bos_token": False},
        charsmap=build_charsmap(dict.fromkeys("\t\n\r", " ")),
    )


TRAINERS: dict[str, Callable[[str, int], ModelFile]] = {
    "bpe": lambda text, n_tokens: _bpe(*train_byte_level(text, n_tokens, BPE_SPECIAL)),
    "wordpiece": lambda text, n_tokens: _wordpiece(train_wordpiece(text, n_tokens, WORDPIECE_SPECIAL)),
    "unigram": lambda text, n_tokens: _unigram(train_unigram(text, n_tokens, UNIGRAM_SPECIAL)),
}


def train(algorithm: str, text: str, n_tokens: int) -> ModelFile:
    """The model of a text; raises TrainingError where the text or the size is too small for it."""
    check_text(text)
    model = TRAINERS[algorithm](text, n_tokens)
    if len(model.tokens) > n_tokens:
        raise TrainingError(too_small(len(model.tokens)))
    return model


def check_text(text: str) -> None:
    """Raises TrainingError for a text without words."""
    if not text.strip():
        raise TrainingError("The text is empty. Train on a text with some words.")


def shortfall(algorithm: str, n_tokens: int, n_wished: int, n_repeated: int = 0) -> str:
    """Why a vocabulary has fewer tokens than were asked for; "" where it has as many.

    `n_repeated` counts the merges that made a token which was there already.
    """
    if n_tokens >= n_wished:
        return ""
    reason = "no pair occurs twice any more"
    if algorithm == "unigram":
        reason = "no other stretch of the text occurs often enough to be a piece"
    elif n_wished - n_tokens <= n_repeated:
        again = "1 merge makes a token" if n_repeated == 1 else f"{n_repeated:,} merges make tokens"
        reason = f"{again} that another one has made"
    return f"{counted(n_tokens, 'token')} instead of {n_wished:,}: {reason}."


def too_small(n_needed: int) -> str:
    """Why a vocabulary cannot be smaller."""
    return (
        f"This text needs {n_needed:,} tokens for its smallest symbols and special tokens alone. "
        f"Choose a vocabulary size of at least that."
    )
