"""Rebuild the demo models byte for byte from the sample texts: python resources/build_demo_models.py [FOLDER]

Nothing outside of this repository is read, and no result depends on hash seeds or on the Python version, so
that anyone gets the committed files.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import longest_match_training
from gguf import TokenType

from guiapp.analysis.train import unigram
from guiapp.analysis.train.corpus import (
    BYTE_LEVEL_WORDS,
    SENTENCEPIECE_WORDS,
    TrainingCorpus,
    count_words,
    merged_pairs,
)
from guiapp.analysis.train.models import (
    BYTE_ALPHABET,
    SPACE,
    ModelFile,
    Token,
    byte_level_corpus,
    byte_level_rows,
    byte_tokens,
    unigram_rows,
    unigram_words,
    wordpiece_corpus,
    wordpiece_rows,
    write_gguf,
)
from guiapp.core.demo import resources_folder, sample_text
from guiapp.core.text.charsmap import build_charsmap

AUTHOR = "The Tokenloupe authors"
LICENSE = "mit"
TRAINING_SAMPLES = ("english", "everyday", "languages", "code", "numbers", "welcome")

CHATML_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
INST_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message.role == 'user' %}[INST] {{ message.content }} [/INST]"
    "{% else %} {{ message.content }}{{ eos_token }}{% endif %}{% endfor %}"
)
DIALOGUE_TEMPLATE = (
    "{% for message in messages %}"
    "{{ message.role | capitalize }}: {{ message.content | trim }}\n\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}Assistant:{% endif %}"
)


def training_text() -> str:
    return "\n".join(sample_text(name).decode() for name in TRAINING_SAMPLES)


def control(*texts: str) -> list[Token]:
    return [Token(text, TokenType.CONTROL) for text in texts]


def user_defined(*texts: str) -> list[Token]:
    return [Token(text, TokenType.USER_DEFINED) for text in texts]


def id_of(tokens: tuple[Token, ...], text: str) -> int:
    return next(token_id for token_id, token in enumerate(tokens) if token.text == text)


def bpe_model() -> ModelFile:
    special = [
        *control("<|begin_of_text|>", "<|end_of_text|>", "<|im_start|>", "<|im_end|>"),
        *control("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),
        *user_defined("<think>", "</think>", "<tool_call>", "</tool_call>"),
    ]
    tokens, merges = train_byte_level(training_text(), 2560, special)
    roles = {
        "bos": "<|begin_of_text|>",
        "eos": "<|end_of_text|>",
        "eot": "<|im_end|>",
        "fim_pre": "<|fim_prefix|>",
        "fim_suf": "<|fim_suffix|>",
        "fim_mid": "<|fim_middle|>",
    }
    return ModelFile(
        architecture="llama",
        name="Tokenloupe demo: byte-level BPE",
        description="Byte-pair encoding over bytes, split as Llama 3 splits, trained on the sample texts.",
        model="gpt2",
        pre="llama-bpe",
        tokens=tokens,
        merges=merges,
        special_ids={role: id_of(tokens, text) for role, text in roles.items()},
        flags={"add_bos_token": True},
        chat_template=CHATML_TEMPLATE,
        author=AUTHOR,
        license=LICENSE,
    )


def spm_model() -> ModelFile:
    special = [
        Token("<unk>", TokenType.UNKNOWN),
        *control("<s>", "</s>"),
        *user_defined("[INST]", "[/INST]"),
    ]
    return ModelFile(
        architecture="llama",
        name="Tokenloupe demo: SentencePiece BPE",
        description="Byte-pair encoding by scores with byte fallback, trained on the sample texts.",
        model="llama",
        tokens=train_sentencepiece_bpe(training_text(), 3000, special),
        special_ids={"bos": 1, "eos": 2, "unknown": 0},
        flags={"add_bos_token": True, "add_eos_token": False, "add_space_prefix": True},
        chat_template=INST_TEMPLATE,
        author=AUTHOR,
        license=LICENSE,
    )


def wordpiece_model() -> ModelFile:
    special = control("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    return ModelFile(
        architecture="bert",
        name="Tokenloupe demo: WordPiece",
        description="WordPiece in lower case without accents, trained on the sample texts.",
        model="bert",
        tokens=train_wordpiece(training_text(), 4000, special, min_count=4),
        special_ids={"padding": 0, "unknown": 1, "bos": 2, "cls": 2, "seperator": 3, "mask": 4},
        flags={"normalizer.lowercase": True, "normalizer.strip_accents": True},
        author=AUTHOR,
        license=LICENSE,
    )


def unigram_model() -> ModelFile:
    special = [
        *control("<pad>", "</s>"),
        Token("<unk>", TokenType.UNKNOWN),
        *user_defined("<extra_id_0>", "<extra_id_1>", "<extra_id_2>"),
    ]
    return ModelFile(
        architecture="t5",
        name="Tokenloupe demo: Unigram",
        description="A Unigram model behind a small NFKC-like normaliser, trained on the sample texts.",
        model="t5",
        tokens=train_unigram(unicodedata.normalize("NFKC", training_text()), 3000, special),
        special_ids={"padding": 0, "eos": 1, "unknown": 2},
        flags={
            "add_bos_token": False,
            "add_eos_token": True,
            "add_space_prefix": True,
            "remove_extra_whitespaces": True,
        },
        charsmap=build_charsmap(normaliser_rules()),
        author=AUTHOR,
        license=LICENSE,
    )


def normaliser_rules() -> dict[str, str]:
    """A small part of NFKC, all of it in Unicode for decades, and white space made plain."""
    rules = dict.fromkeys("\t\n\r\u00a0\u2028\u2029\u202f\u205f\u3000", " ")
    rules |= dict.fromkeys(map(chr, range(0x2000, 0x200B)), " ")
    rules |= dict.fromkeys("\u00ad\u200b\u2060\ufeff", "")
    compatible = (  # superscripts, letter-like, Roman and circled numbers, units, ligatures, widths
        *(0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE, 0x2026, 0x2103, 0x2116, 0x2122, 0x338F),
        *range(0x2074, 0x207A),
        *range(0x2080, 0x208A),
        *range(0x2160, 0x2180),
        *range(0x2460, 0x2474),
        *range(0xFB00, 0xFB07),
        *range(0xFF01, 0xFF5F),
        *range(0xFF61, 0xFFA0),
    )
    rules |= {chr(point): unicodedata.normalize("NFKC", chr(point)) for point in compatible}
    composed = (*range(0xC0, 0x180), *range(0x1EA0, 0x1EFA), *range(0x304C, 0x30FF))
    decomposed = {unicodedata.normalize("NFD", chr(point)): chr(point) for point in composed}
    return rules | {source: target for source, target in decomposed.items() if source != target}


def rwkv_model() -> ModelFile:
    return ModelFile(
        architecture="rwkv6",
        name="Tokenloupe demo: longest match",
        description="Longest match over bytes as in RWKV World, trained on the sample texts.",
        model="rwkv",
        tokens=train_longest_match(training_text(), 2560, control("<s>")),
        special_ids={"bos": 0, "eos": 0, "unknown": 0},
        chat_template=DIALOGUE_TEMPLATE,
        author=AUTHOR,
        license=LICENSE,
    )


def toy_model() -> ModelFile:
    return ModelFile(
        architecture="gpt2",
        name="Tokenloupe demo: toy BPE",
        description="Nine tokens over a, b and c. Other characters have no token and are dropped.",
        model="gpt2",
        pre="gpt-2",
        tokens=tuple(Token(text) for text in ("a", "b", "c", "ab", "cb", "ac", "bb", "cbb", "acbb")),
        merges=("a b", "c b", "a c", "b b", "cb b", "a cbb"),
        author=AUTHOR,
        license=LICENSE,
    )


MODELS: dict[str, Callable[[], ModelFile]] = {
    "bpe": bpe_model,
    "spm": spm_model,
    "wordpiece": wordpiece_model,
    "unigram": unigram_model,
    "rwkv": rwkv_model,
    "toy": toy_model,
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, build in MODELS.items():
        write_gguf(folder / f"{name}.gguf", build())


class Merge(NamedTuple):
    """A rule that was learned: `left` and `right` side by side become one symbol.

    worth  how often they stand so; for WordPiece their score
    """

    left: str
    right: str
    worth: float

    @property
    def result(self) -> str:
        return self.left + self.right


def bpe_steps(corpus: TrainingCorpus, min_count: int = 2) -> Iterator[Merge]:
    """Yield the rules in the order they are learned; the corpus is as after the rule just yielded."""
    return (Merge(*pair, worth) for ((pair, worth),) in merged_pairs(corpus, "bpe", min_count))


def wordpiece_steps(corpus: TrainingCorpus, min_count: int = 2) -> Iterator[Merge]:
    """The same by the score of WordPiece."""
    return (Merge(*pair, worth) for ((pair, worth),) in merged_pairs(corpus, "wordpiece", min_count))


def train_byte_level(
    text: str, n_tokens: int, special: Sequence[Token] = (), min_count: int = 2
) -> tuple[tuple[Token, ...], tuple[str, ...]]:
    """Byte-level BPE as GPT-2 and Llama 3 spell it: tokens and merges.  The special tokens come last."""
    n_merges = max(0, n_tokens - len(BYTE_ALPHABET) - len(special))
    merges = islice(bpe_steps(byte_level_corpus(text), min_count), n_merges)
    return byte_level_rows([(merge.left, merge.right) for merge in merges], special)


def train_wordpiece(
    text: str, n_tokens: int, special: Sequence[Token] = (), min_count: int = 2
) -> tuple[Token, ...]:
    """WordPiece in lower case, as converters spell it: U+2581 before a word's first piece, no ##."""
    corpus = wordpiece_corpus(text)
    alphabet = sorted(corpus.symbol_counts)
    n_merges = max(0, n_tokens - len(special) - len(alphabet))
    merges = islice(wordpiece_steps(corpus, min_count), n_merges)
    return wordpiece_rows(alphabet, [(merge.left, merge.right) for merge in merges], special)


def train_unigram(text: str, n_tokens: int, special: Sequence[Token] = ()) -> tuple[Token, ...]:
    """A Unigram model for text with one space between words: special tokens, then pieces by probability."""
    *_, last = unigram.steps(unigram_words(text), n_tokens - len(special))
    return unigram_rows(last.model, special)


def train_sentencepiece_bpe(
    text: str, n_tokens: int, special: Sequence[Token] = (), min_count: int = 2
) -> tuple[Token, ...]:
    """BPE over characters with SentencePiece's scores: the rank, negated, and characters behind all merges.

    The special tokens come first, then the 256 bytes that stand in for characters without a token.
    """
    words = count_words(text.replace(" ", SPACE), SENTENCEPIECE_WORDS)
    corpus = TrainingCorpus({tuple(word): count for word, count in words.items()})
    frequent = [symbol for symbol, count in corpus.symbol_counts.items() if count >= min_count]
    characters = sorted(frequent, key=lambda symbol: (-corpus.symbol_counts[symbol], symbol))
    n_merges = n_tokens - len(special) - 256 - len(characters)
    merges = islice(bpe_steps(corpus, min_count), max(0, n_merges))
    # two pairs may join to the same piece
    texts = dict.fromkeys([*(merge.result for merge in merges), *characters])
    return (
        *special,
        *byte_tokens(),
        *(Token(piece, score=-float(rank)) for rank, piece in enumerate(texts)),
    )


def train_longest_match(text: str, n_tokens: int, special: Sequence[Token] = ()) -> tuple[Token, ...]:
    """A vocabulary for longest-match encoding, its bytes escaped as RWKV's files escape them."""
    words = {word.encode(): count for word, count in count_words(text, BYTE_LEVEL_WORDS).items()}
    return (
        *special,
        *(Token(escape(token)) for token in longest_match_training.train(words, n_tokens - len(special))),
    )


def escape(token: bytes) -> str:
    r"""The bytes in printable ASCII: `\n`, `\t`, `\r`, `\\`, `\xHH`.

    >>> escape("né\n".encode())
    'n\\xc3\\xa9\\n'
    """
    named = {0x09: r"\t", 0x0A: r"\n", 0x0D: r"\r", 0x5C: r"\\"}
    return "".join(
        named.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}") for byte in token
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else resources_folder() / "models")
