"""From text to the rows of a vocabulary: each trainer put to work, its result in the order that files use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from gguf import TokenType

from guiapp.analysis.train import bpe, unigram, wordpiece
from guiapp.analysis.train.corpus import (
    BYTE_LEVEL_WORDS,
    END_OF_WORD,
    SENTENCEPIECE_WORDS,
    Pair,
    TrainingCorpus,
    count_words,
)
from guiapp.analysis.train.write_gguf import Token
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE, PRINTABLE, UNPRINTABLE, spell

SPACE = "▁"
BYTE_ALPHABET = tuple(CHARACTER_OF_BYTE[byte] for byte in (*PRINTABLE, *UNPRINTABLE))
DECIMALS = 4  # of scores: enough to tell pieces apart, too few to show a platform's last bit


def train_byte_level(
    text: str, n_tokens: int, special: Sequence[Token] = (), min_count: int = 2
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Byte-level BPE as GPT-2 and Llama 3 spell it: tokens and merges.  The special tokens come last."""
    n_merges = max(0, n_tokens - len(BYTE_ALPHABET) - len(special))
    merges = islice(bpe.steps(byte_level_corpus(text), min_count), n_merges)
    return byte_level_rows([(merge.left, merge.right) for merge in merges], special)


def byte_level_corpus(text: str) -> TrainingCorpus:
    """The words of a text as byte-level BPE starts from them."""
    words = count_words(text, BYTE_LEVEL_WORDS)
    return TrainingCorpus({tuple(spell(word.encode())): count for word, count in words.items()})


def byte_level_rows(
    merges: Sequence[Pair], special: Sequence[Token] = ()
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """The tokens and merges of a file, from the pairs in the order they were learned."""
    texts = unique([*BYTE_ALPHABET, *(left + right for left, right in merges)])
    return (*map(Token, texts), *special), tuple(f"{left} {right}" for left, right in merges)


def end_mark_rows(
    alphabet: Sequence[str], merges: Sequence[Pair], special: Sequence[Token] = ()
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """The tokens and merges of a file in which the space behind a word is its end-of-word mark.

    The special tokens come first, then the 256 bytes that stand in for characters without a token.
    """
    spelled = [(mark_as_space(left), mark_as_space(right)) for left, right in merges]
    texts = unique([*map(mark_as_space, alphabet), *(left + right for left, right in spelled)])
    return (*special, *byte_tokens(), *map(Token, texts)), tuple(f"{left} {right}" for left, right in spelled)


def mark_as_space(symbol: str) -> str:
    """What a file calls a symbol: the space behind a word is its end-of-word mark."""
    return symbol.removesuffix(END_OF_WORD) + SPACE if symbol.endswith(END_OF_WORD) else symbol


def byte_tokens() -> Iterator[Token]:
    """Those that stand in for characters without a token."""
    return (Token(f"<0x{byte:02X}>", TokenType.BYTE) for byte in range(256))


def train_wordpiece(
    text: str, n_tokens: int, special: Sequence[Token] = (), min_count: int = 2
) -> tuple[Token, ...]:
    """WordPiece in lower case, as converters spell it: U+2581 before a word's first piece, no ##."""
    corpus = wordpiece_corpus(text)
    alphabet = sorted(corpus.symbol_counts)
    n_merges = max(0, n_tokens - len(special) - len(alphabet))
    merges = islice(wordpiece.steps(corpus, min_count), n_merges)
    return wordpiece_rows(alphabet, [(merge.left, merge.right) for merge in merges], special)


def wordpiece_corpus(text: str) -> TrainingCorpus:
    """The words of a text as WordPiece starts from them."""
    words = count_words(wordpiece.normalise(text), wordpiece.WORDS)
    return TrainingCorpus({wordpiece.split_word(word): count for word, count in words.items()})


def wordpiece_rows(
    alphabet: Sequence[str], merges: Sequence[Pair], special: Sequence[Token] = ()
) -> tuple[Token, ...]:
    """The tokens of a file: special ones, characters, what was learned."""
    return (*special, *map(Token, unique([*alphabet, *(left + right for left, right in merges)])))


def train_unigram(text: str, n_tokens: int, special: Sequence[Token] = ()) -> tuple[Token, ...]:
    """A Unigram model for text with one space between words: special tokens, then pieces by probability."""
    *_, last = unigram.steps(unigram_words(text), n_tokens - len(special))
    return unigram_rows(last.model, special)


def unigram_words(text: str) -> dict[str, int]:
    """The words of a text as Unigram sees them, with how often they occur."""
    return count_words(SPACE + SPACE.join(text.split()), SENTENCEPIECE_WORDS)


def unigram_rows(model: unigram.Model, special: Sequence[Token] = ()) -> tuple[Token, ...]:
    """The tokens of a file, with their scores."""
    scores = {piece: round(score, DECIMALS) for piece, score in model.items()}
    pieces = sorted(scores, key=lambda piece: (-scores[piece], piece))
    return (*special, *(Token(piece, score=scores[piece]) for piece in pieces))


def unique(texts: Iterable[str]) -> list[str]:
    """The texts in order, each once: two pairs may join to the same piece."""
    return list(dict.fromkeys(texts))
