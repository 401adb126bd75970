"""Small pairs of vocabularies with a few differences, and names by which `load` opens them."""

from __future__ import annotations

from dataclasses import replace

from model_files import opened
from toy_vocabulary import toy_vocabulary

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType
from guiapp.errors import UnknownPreError, VocabError

CONTROL = Attribute.CONTROL
HOSTILE = ("<b>x</b>", "a\u202eb", "\u0007", "שלום", "\u0301", "&amp;", "x" * 5000, b"\xff\xfe", "a\nb\tc")
TOKENS = ("a", "b", "c", "ab", "bc", "abc", "Ġa", "<s>", "</s>")
MERGES = ("a b", "b c", "ab c", "a bc")


def bpe(tokens=TOKENS, merges=MERGES, **changes) -> Tokenizer:
    kinds = {text: CONTROL if text in ("<s>", "</s>") else 0.0 for text in tokens}
    roles = SpecialIds(*(tokens.index(text) if text in tokens else None for text in ("<s>", "</s>")))
    vocabulary = toy_vocabulary(kinds, VocabType.BPE, merges, Rules(byte_encoding=True), roles)
    return Tokenizer(replace(vocabulary, **changes))


def hostile() -> Tokenizer:
    """A vocabulary of hostile texts, spelled as in SentencePiece files, without an alphabet for bytes."""
    return Tokenizer(toy_vocabulary(dict.fromkeys(("a", *HOSTILE), -1.0)))


PAIR = {
    "one": bpe,
    "same": bpe,
    "swapped": lambda: bpe(merges=("b c", "a b", "ab c", "a bc")),
    "other": lambda: bpe(("b", "a", "c", "ab", "bc", "abd", "Ġa", "<s>", "</s>"), MERGES[:2]),
    "ruled": lambda: bpe(rules=Rules(byte_encoding=True, clean_spaces=True)),
    "spm": lambda: Tokenizer(toy_vocabulary({"a": -1.0, "b": -2.0, "zz": -3.0})),
    "hostile": hostile,
}


def load(name, pre, progress):
    """Open a name of PAIR or any other model; “broken” and “odd” fail."""
    if name == "broken":
        raise VocabError("broken is no model. Choose another one.")
    if name == "odd" and pre is None:
        raise UnknownPreError("odd has an unknown pre-tokenizer. Choose one.", "odd-9", ())
    return PAIR[name]() if name in PAIR else opened(name, pre)
