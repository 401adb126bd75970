"""Pipelines of vocabulary types without pair merging, on vocabularies of a few tokens."""

from __future__ import annotations

from gguf_builder import BYTE, CONTROL, NORMAL, UNKNOWN, USER_DEFINED
from unpaired_vocabularies import vocabulary

from guiapp.core.encode.families.plamo2 import Plamo2Pipeline
from guiapp.core.encode.families.rwkv import RwkvPipeline
from guiapp.core.encode.families.unigram_llama_cpp import UnigramPipeline
from guiapp.core.encode.families.word_piece import WordPiecePipeline
from guiapp.core.encode.families.words import ChunkHashPipeline
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.vocabulary import Rules, VocabType

BERT_RULES = Rules(lowercase=True, strip_accents=True)
T5_RULES = Rules(add_space_prefix=True, remove_extra_whitespaces=True, escape_spaces=True)
CHARSMAP = build_charsmap(
    {"ﬁ": "fi", "\n": " ", "\t": " ", "\r\n": " ", "\u3000": " ", "Ａ": "A", "e\u0301": "é"}
)


def wordpiece(*tokens, unknown=0):
    return WordPiecePipeline(vocabulary(VocabType.WPM, ["[UNK]", *tokens], rules=BERT_RULES, unknown=unknown))


def unigram(scores, rules=T5_RULES, charsmap=CHARSMAP, unknown=0, user_defined=()):
    tokens = ["<unk>", *scores, *user_defined]
    types = [UNKNOWN, *[NORMAL] * len(scores), *[USER_DEFINED] * len(user_defined)]
    values = [0.0, *scores.values(), *[0.0] * len(user_defined)]
    return UnigramPipeline(vocabulary(VocabType.UGM, tokens, types, values, rules, unknown, charsmap))


def plamo2(scores):
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *scores]
    types = [CONTROL, *[BYTE] * 256, *[NORMAL] * len(scores)]
    return Plamo2Pipeline(vocabulary(VocabType.PLAMO2, tokens, types, [0.0] * 257 + [*scores.values()]))


PIPELINES = {
    "wordpiece": wordpiece("▁a", "▁ab", "b", "ba", "▁.", "c", "▁中", "▁é", "e", "▁e", "▁"),
    "unigram": unigram(
        {"▁": -3, "▁a": -2, "a": -2.5, "ab": -4, "b": -3, "c": -3, ".": -2, "é": -4, "bc.": -5}
    ),
    "unigram with spaces": unigram(
        {"▁": -3, "▁a": -2, "a": -2.5, "ab": -4, "b": -3, ".": -2}, Rules(), user_defined=["<ab>"]
    ),
    "unigram without cuts": unigram(
        {"▁": -3, "▁▁": -2, "a": -1, "b": -1, "b▁": -2}, Rules(add_space_prefix=True)
    ),
    "rwkv": RwkvPipeline(
        vocabulary(VocabType.RWKV, ["<s>", "a", "ab", "abc", " a", "c.", "中", "\\n\\n", "xyz"])
    ),
    "plamo2": plamo2({"a": -1, "ab": -1.5, "b": -1, "bc": -9, " a": -2, "中": -3, "\n": -1}),
    "hash": ChunkHashPipeline(vocabulary(VocabType.TEST, ["a", "b", "c"])),
}
