"""Write trained vocabularies as model files, which open like real ones; used by `tokenloupe train`.

From a text to the rows of a vocabulary, in the order used in files, and from the rows to a GGUF.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gguf import GGUFWriter, TokenType

from guiapp.analysis.train import unigram
from guiapp.analysis.train.corpus import (
    BYTE_LEVEL_WORDS,
    END_OF_WORD,
    SENTENCEPIECE_WORDS,
    WORDPIECE_WORDS,
    Pair,
    TrainingCorpus,
    count_words,
    normalise,
    split_word,
)
from guiapp.core.sources.files import replacement
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE, PRINTABLE, UNPRINTABLE, spell
from guiapp.errors import TokenloupeError

MERGING_MODELS = ("gpt2", "gemma4")  # these cannot be opened without a list of merges
NO_RULE = ""  # in an otherwise empty list of merges: gguf leaves out empty lists


@dataclass(frozen=True)
class Token:
    """One row of the vocabulary, spelled as in the file."""

    text: str
    kind: TokenType = TokenType.NORMAL
    score: float = 0.0


@dataclass(frozen=True)
class ModelFile:
    """The content of a model file.

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
    """Write the file, or change nothing; the same model always gives the same bytes.  Raises OSError."""
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


# Rows


SPACE = "▁"
BYTE_ALPHABET = tuple(CHARACTER_OF_BYTE[byte] for byte in (*PRINTABLE, *UNPRINTABLE))
DECIMALS = 4  # of scores: enough to distinguish pieces, too few for differences between platforms


def byte_level_corpus(text: str) -> TrainingCorpus:
    """The words of a text as the start of byte-level BPE training."""
    words = count_words(text, BYTE_LEVEL_WORDS)
    return TrainingCorpus({tuple(spell(word.encode())): count for word, count in words.items()})


def byte_level_rows(
    merges: Sequence[Pair], special: Sequence[Token] = ()
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """The tokens and merges of a file, from the pairs in the order in which they were learned."""
    texts = dict.fromkeys([*BYTE_ALPHABET, *map("".join, merges)])  # two pairs may join to the same token
    return (*map(Token, texts), *special), tuple(f"{left} {right}" for left, right in merges)


def end_mark_rows(
    alphabet: Sequence[str], merges: Sequence[Pair], special: Sequence[Token] = ()
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """The tokens and merges of a file in which the space after a word is its end-of-word mark.

    The special tokens come first, then the 256 byte tokens for characters without a token.
    """
    spelled = [(mark_as_space(left), mark_as_space(right)) for left, right in merges]
    texts = dict.fromkeys([*map(mark_as_space, alphabet), *map("".join, spelled)])
    return (*special, *byte_tokens(), *map(Token, texts)), tuple(f"{left} {right}" for left, right in spelled)


def mark_as_space(symbol: str) -> str:
    """A symbol as spelled in a file: with the space after a word as its end-of-word mark."""
    return symbol.removesuffix(END_OF_WORD) + SPACE if symbol.endswith(END_OF_WORD) else symbol


def byte_tokens() -> Iterator[Token]:
    """The tokens for the bytes of characters without a token."""
    return (Token(f"<0x{byte:02X}>", TokenType.BYTE) for byte in range(256))


def wordpiece_corpus(text: str) -> TrainingCorpus:
    """The words of a text as the start of WordPiece training."""
    words = count_words(normalise(text), WORDPIECE_WORDS)
    return TrainingCorpus({split_word(word): count for word, count in words.items()})


def wordpiece_rows(
    alphabet: Sequence[str], merges: Sequence[Pair], special: Sequence[Token] = ()
) -> tuple[Token, ...]:
    """The tokens of a file: special tokens, characters, learned tokens."""
    return (*special, *map(Token, dict.fromkeys([*alphabet, *map("".join, merges)])))


def unigram_words(text: str) -> dict[str, int]:
    """The words of a text for Unigram training, with their counts."""
    return count_words(SPACE + SPACE.join(text.split()), SENTENCEPIECE_WORDS)


def unigram_rows(model: unigram.Model, special: Sequence[Token] = ()) -> tuple[Token, ...]:
    """The tokens of a file, with their scores."""
    scores = {piece: round(score, DECIMALS) for piece, score in model.items()}
    pieces = sorted(scores, key=lambda piece: (-scores[piece], piece))
    return (*special, *(Token(piece, score=scores[piece]) for piece in pieces))


# Models


DESCRIPTION = "Trained with Tokenloupe on a text of your own."
BPE_SPECIAL = (Token("<|endoftext|>", TokenType.CONTROL),)
END_MARK_SPECIAL = (
    Token("<pad>", TokenType.CONTROL),
    Token("<eos>", TokenType.CONTROL),
    Token("<bos>", TokenType.CONTROL),
    Token("<unk>", TokenType.UNKNOWN),
)
N_END_MARK_ROWS = len(END_MARK_SPECIAL) + 256  # with the byte tokens for unknown characters
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
    """No vocabulary can be trained with this text or size; the message states the reason."""


def end_mark_file(alphabet: Sequence[str], merges: Sequence[Pair]) -> ModelFile:
    """BPE over characters, with the spaces after words as end-of-word marks.

    The type “gemma4” splits a text only at line breaks, so that a space can belong to the word before it; it
    always adds BOS.
    """
    tokens, rules = end_mark_rows(alphabet, merges, END_MARK_SPECIAL)
    roles = {"padding": 0, "eos": 1, "bos": 2, "unknown": 3}
    name = "Trained BPE with end-of-word marks"
    return ModelFile("llama", name, DESCRIPTION, "gemma4", tokens, merges=rules, special_ids=roles)


def bpe_file(tokens: tuple[Token, ...], merges: tuple[str, ...]) -> ModelFile:
    """Byte-level BPE: 256 bytes, merged tokens, and BPE_SPECIAL at the end."""
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


def wordpiece_file(tokens: tuple[Token, ...]) -> ModelFile:
    """WordPiece in lower case, with BERT's special tokens."""
    roles = {"padding": 0, "unknown": 1, "bos": 2, "seperator": 3, "mask": 4}
    return ModelFile("bert", "Trained WordPiece", DESCRIPTION, "bert", tokens, special_ids=roles)


def unigram_file(tokens: tuple[Token, ...]) -> ModelFile:
    """Unigram, with T5's special tokens; the only normalization is of white space."""
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


def check_text(text: str) -> None:
    """Raises TrainingError for a text without words."""
    if not text.strip():
        raise TrainingError("The text has no words. Choose a text to train on.")


def shortfall(algorithm: str, n_tokens: int, n_wished: int, n_repeated: int = 0) -> str:
    """Why a vocabulary has fewer tokens than requested; "" if it has enough.

    `n_repeated` counts the merges that made a token which already existed.
    """
    if n_tokens >= n_wished:
        return ""
    reason = "no pair occurs twice"
    if algorithm == "unigram":
        reason = "no other part of the text occurs often enough to be a piece"
    elif n_wished - n_tokens <= n_repeated:
        again = "1 merge makes a token" if n_repeated == 1 else f"{n_repeated:,} merges make tokens"
        reason = f"{again} that another merge made before"
    return f"{counted(n_tokens, 'token')} instead of {n_wished:,}: {reason}."


def too_small(n_needed: int) -> str:
    """The message that a vocabulary needs at least `n_needed` tokens."""
    return (
        f"The smallest symbols of this text and the special tokens take {n_needed:,} tokens. "
        f"Choose a vocabulary size of at least {n_needed:,}."
    )
