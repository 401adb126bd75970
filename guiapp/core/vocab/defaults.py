"""What llama.cpp assumes about each tokenizer model before it reads the switches of a file."""

from __future__ import annotations

from guiapp.core.split.pre_tokenizers import PreTokenizer
from guiapp.core.vocab.vocabulary import Rules, SpecialIds, VocabType

TYPE_OF_MODEL = {
    "llama": VocabType.SPM,
    "gpt2": VocabType.BPE,
    "hybriddna": VocabType.BPE,
    "whitespace": VocabType.BPE,
    "gemma4": VocabType.BPE,
    "bert": VocabType.WPM,
    "t5": VocabType.UGM,
    "rwkv": VocabType.RWKV,
    "plamo2": VocabType.PLAMO2,
    "test": VocabType.TEST,
}
MODELS_WITHOUT_VOCABULARY = ("no_vocab", "none")

_GPT2_IDS = SpecialIds(bos=11, eos=11)
IDS_OF_MODEL = {
    "llama": SpecialIds(bos=1, eos=2, unk=0),
    "gpt2": _GPT2_IDS,
    "hybriddna": _GPT2_IDS,
    "whitespace": _GPT2_IDS,
    "bert": SpecialIds(bos=101, unk=100, sep=102, pad=0, mask=103),
    "t5": SpecialIds(eos=1, unk=2, pad=0),
    "plamo2": SpecialIds(bos=1, eos=2, unk=0, pad=3),
}


def default_rules(kind: VocabType, pre: PreTokenizer | None) -> Rules:
    """The switches of a type; `pre` is the pre-tokenizer of a BPE vocabulary."""
    if kind is VocabType.SPM:
        return Rules(add_bos=True, add_space_prefix=True, escape_spaces=True)
    if kind is VocabType.WPM:
        return Rules(add_bos=True, add_sep=True, clean_spaces=True)
    if kind is VocabType.UGM:
        return Rules(add_eos=True, escape_spaces=True)
    if pre is None:
        return Rules()
    return Rules(
        add_bos=pre.add_bos,
        add_sep=pre.add_sep,
        escape_spaces=pre.escape_spaces,
        clean_spaces=pre.clean_spaces,
        ignore_merges=pre.ignore_merges,
        ignore_newline_merges=pre.ignore_newline_merges,
        byte_encoding=pre.byte_encoding,
    )
