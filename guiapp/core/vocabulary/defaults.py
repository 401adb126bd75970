"""What llama.cpp assumes about each tokenizer model before it reads the switches of a file."""

from __future__ import annotations

from guiapp.core.pretokenize.pre_tokenizers import PreTokenizer
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType

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
ARCHITECTURES = """
    afmoe apertus arcee arctic arwkv7 baichuan bailingmoe bailingmoe2 bert bitnet bloom chameleon chatglm
    codeshell cogvlm cohere2 command-r dbrx deci deepseek deepseek2 deepseek2-ocr dots1 dream
    ernie4_5 ernie4_5-moe eurobert exaone exaone-moe exaone4 falcon falcon-h1 gemma gemma-embedding gemma2
    gemma3 gemma3n gemma4 glm-dsa glm4 glm4moe gpt-oss gpt2 gptneox granite granitehybrid granitemoe
    grok grovemoe hunyuan-dense hunyuan-moe hunyuan_vl internlm2 jais jais2 jamba jina-bert-v2
    jina-bert-v3 kimi-linear lfm2 lfm2moe llada llada-moe llama llama-embed llama4 maincoder mamba mamba2
    mimo2 minicpm minicpm3 minimax-m2 mistral3 mistral4 modern-bert mpt nemotron nemotron_h nemotron_h_moe
    neo-bert nomic-bert nomic-bert-moe olmo olmo2 olmoe openelm orion paddleocr pangu-embedded phi2 phi3
    phimoe plamo plamo2 plamo3 plm qwen qwen2 qwen2moe qwen2vl qwen3 qwen35 qwen35moe qwen3moe qwen3next
    qwen3vl qwen3vlmoe refact rnd1 rwkv6 rwkv6qwen2 rwkv7 seed_oss smallthinker smollm3 stablelm starcoder
    starcoder2 step35 t5 t5encoder wavtokenizer-dec xverse
"""
"""Kinds of models that llama.cpp loads, by general.architecture."""

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
