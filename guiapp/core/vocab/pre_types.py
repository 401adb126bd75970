"""The names of BPE pre-tokenizers (`tokenizer.ggml.pre`): which type each one means, and its switches.

The patterns behind a type are in core/text/split_patterns.py.
"""

from __future__ import annotations

from dataclasses import dataclass

GEMMA4 = "GEMMA4"
WHITESPACE = "WHITESPACE"


@dataclass(frozen=True)
class PreTokenizer:
    """What llama.cpp derives from a pre-tokenizer's name."""

    type: str
    clean_spaces: bool = True
    ignore_merges: bool = False
    add_bos: bool = False
    add_sep: bool = False
    has_default_bos: bool = True

    @property
    def escape_spaces(self) -> bool:
        return self.type in (GEMMA4, "SARVAM_MOE")

    @property
    def byte_encoding(self) -> bool:
        return self.type != WHITESPACE and not self.escape_spaces


# Type, then the names; grouped by the switches that all of a group share.
_PLAIN = """
    DEFAULT default
    FALCON falcon
    MPT mpt
    STARCODER starcoder
    GPT2 gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert exaone4
    JAIS2 jais-2
    GEMMA4 gemma4 granite-embed-multi-311m
    WHITESPACE whitespace
    REFACT refact
    STABLELM2 stablelm2
    OLMO olmo
    DBRX dbrx
    SMAUG smaug-bpe
    JAIS jais
    CODESHELL codeshell
    BLOOM bloom
    GPT3_FINNISH gpt3-finnish
    EXAONE exaone
    EXAONE_MOE exaone-moe
    MINERVA minerva-7b
    QWEN2 megrez
    MELLUM2 mellum2
"""
_KEEPS_SPACES = """
    DEEPSEEK_LLM deepseek-llm
    DEEPSEEK_CODER deepseek-coder
    DEEPSEEK3_LLM deepseek-v3
    SPARK2_5 spark2_5
    SARVAM_MOE sarvam-moe
    COMMAND_R command-r
    QWEN2 qwen2 deepseek-r1-qwen kormo f2llmv2
    QWEN35 qwen35
    PORO poro-chat
    VIKING viking
    SMOLLM smollm
    GPT4O gpt-4o llama4 kanana2 talkie
    TINY_AYA tiny_aya cohere2moe
    SUPERBPE superbpe
    TRILLION trillion
    GRANITE_DOCLING granite-docling
    BAILINGMOE bailingmoe bailingmoe2 llada-moe
    SEED_CODER seed-coder
    HUNYUAN hunyuan
    HUNYUAN_DENSE hunyuan-dense
    HY_V4 hy_v4
    JOYAI_LLM joyai-llm
    KIMI_K2 kimi-k2
    UFAKZEKA ufakzeka
    GROK_2 grok-2
    AFMOE afmoe
    LAGUNA laguna
    MINIMAX_M2 minimax-m2
    SOLAR_OPEN solar-open
"""
_LLAMA3_NAMES = "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano"


def _rows(text: str, clean_spaces: bool) -> dict[str, PreTokenizer]:
    rows = (line.split() for line in text.strip().splitlines())
    return {name: PreTokenizer(type_name, clean_spaces) for type_name, *names in rows for name in names}


PRE_TOKENIZERS: dict[str, PreTokenizer] = {
    **_rows(_PLAIN, clean_spaces=True),
    **_rows(_KEEPS_SPACES, clean_spaces=False),
    **{name: PreTokenizer("LLAMA3", ignore_merges=True, add_bos=True) for name in _LLAMA3_NAMES.split()},
    **{name: PreTokenizer("GPT2", add_sep=True) for name in ("jina-v1-en", "jina-v2-code", "roberta-bpe")},
    "minicpm5": PreTokenizer("MINICPM5", ignore_merges=True),
    "youtu": PreTokenizer("YOUTU", clean_spaces=False, ignore_merges=True),
    "granite-embed-multi-97m": PreTokenizer("GRANITE_EMB_MULTI", clean_spaces=False, ignore_merges=True),
    "tekken": PreTokenizer("TEKKEN", clean_spaces=False, ignore_merges=True, add_bos=True),
    "chameleon": PreTokenizer("CHAMELEON", clean_spaces=False, add_bos=True),
    "chatglm-bpe": PreTokenizer("CHATGLM4", has_default_bos=False),
    "glm4": PreTokenizer("CHATGLM4", ignore_merges=True, has_default_bos=False),
    "glm5": PreTokenizer("CHATGLM4", ignore_merges=True, has_default_bos=False),
}
