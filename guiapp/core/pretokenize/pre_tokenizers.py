"""The pre-tokenizers of llama.cpp: the patterns that split text into pieces, and settings by name."""

from __future__ import annotations

from typing import Literal, NamedTuple

View = Literal["classes", "han", "codes", "unicode", "oniguruma", "numbers by three", "digits by three"]


class Pattern(NamedTuple):
    r"""A regular expression, and its view of a text.

    classes  every character outside ASCII is only its category; `\p{Lu}` and its like all mean "letter"
    han      the same, with Chinese characters as a class of their own
    codes    the characters themselves, but whitespace outside ASCII is a vertical tab
    unicode  the characters themselves, with all of Unicode; the syntax is that of unicode_patterns.py
    oniguruma  the same, in the syntax of Oniguruma

    The other two split in ways that regular expressions cannot; such patterns have no source.
    """

    source: str
    view: View = "classes"


def _any_of(*options: str) -> Pattern:
    return Pattern("|".join(options))


CONTRACTION = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
SYMBOLS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
SYMBOLS_AND_SLASHES = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
LINE_ENDS = r"\s*[\r\n]+"
SPACES = r"\s+(?!\S)|\s+"

UPPER = r"((?=[\p{L}])([^a-z]))"
LOWER = r"((?=[\p{L}])([^A-Z]))"
UPPER_OR_MARK = r"((?=[\p{L}\p{M}])([^a-z]))"
LOWER_OR_MARK = r"((?=[\p{L}\p{M}])([^A-Z]))"
UPPER_CATEGORIES = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
LOWER_CATEGORIES = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
BEFORE_WORD = r"[^\r\n\p{L}\p{N}]?"

ASCII_SYMBOL_AND_WORD = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
WORD_WITH_MARKS = r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"


def cased(upper: str, lower: str, ending: str) -> tuple[str, str]:
    """Words that end in lower case, or else in upper case."""
    return (
        f"{BEFORE_WORD}{upper}*{lower}+{ending}",
        f"{BEFORE_WORD}{upper}+{lower}*{ending}",
    )


GPT2 = _any_of(r"'s|'t|'re|'ve|'m|'ll|'d", r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+", r"\s+(?!\S)")
LLAMA3 = _any_of(CONTRACTION, WORD, r"\p{N}{1,3}", SYMBOLS, LINE_ENDS, SPACES)
QWEN2 = _any_of(CONTRACTION, WORD, r"\p{N}", SYMBOLS, LINE_ENDS, SPACES)
QWEN35 = _any_of(
    CONTRACTION,
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
    r"\p{N}",
    r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
    LINE_ENDS,
    SPACES,
)
MINICPM5 = _any_of(CONTRACTION, WORD, r"\p{N}+", SYMBOLS, LINE_ENDS, SPACES)
UFAKZEKA = _any_of(WORD, r"\p{N}", SYMBOLS, LINE_ENDS, SPACES)
SEED_CODER = _any_of(CONTRACTION, WORD, r"\p{N}{1}", r" ?[^\s\p{L}\p{N}\r\n]+", LINE_ENDS, SPACES)
BAILINGMOE = _any_of(
    r"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])", WORD, r"\p{N}", SYMBOLS, r"\s*[\r\n]", SPACES
)
JAIS2 = _any_of(
    CONTRACTION,
    WORD,
    r"\p{N}{1,3}",
    SYMBOLS,
    LINE_ENDS,
    *(rf"\s{{{count}}}(?!\S)" for count in (512, 256, 128, 64, 32, 16, 8, 4)),
    r"\s{1,2}(?!\S)",
    r"\s{1}",
)
EXAONE_MOE = _any_of(
    CONTRACTION,
    r"[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+",
    r"\p{N}",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]?",
    r"\s*[\r\n]",
    SPACES,
)
TEKKEN = _any_of(*cased(UPPER, LOWER, ""), r"\p{N}", SYMBOLS_AND_SLASHES, LINE_ENDS, SPACES)
GPT4O = _any_of(
    *cased(UPPER, LOWER, f"{CONTRACTION}?"), r"\p{N}{1,3}", SYMBOLS_AND_SLASHES, LINE_ENDS, SPACES
)
GRANITE_EMB_MULTI = _any_of(
    *cased(UPPER_OR_MARK, LOWER_OR_MARK, f"{CONTRACTION}?"),
    r"\p{N}{1,3}",
    SYMBOLS_AND_SLASHES,
    LINE_ENDS,
    SPACES,
)
YOUTU = _any_of(
    *cased(UPPER_CATEGORIES, LOWER_CATEGORIES, f"{CONTRACTION}?"),
    r"\p{N}",
    SYMBOLS_AND_SLASHES,
    LINE_ENDS,
    SPACES,
)
TINY_AYA = _any_of(
    *cased(UPPER_CATEGORIES, LOWER_CATEGORIES, f"{CONTRACTION}?"),
    r"\p{N}{1,3}",
    SYMBOLS_AND_SLASHES,
    LINE_ENDS,
    SPACES,
)
KIMI = Pattern(
    "|".join(
        (
            r"\p{Han}+",
            rf"[^\r\n\p{{L}}\p{{N}}]?(?:(?!\p{{Han}})\p{{L}})+{CONTRACTION}?",
            r"\p{N}{1,3}",
            SYMBOLS,
            LINE_ENDS,
            SPACES,
        )
    ),
    "han",
)
DEEPSEEK3 = _any_of(ASCII_SYMBOL_AND_WORD, WORD_WITH_MARKS, r" ?[\p{P}\p{S}]+[\r\n]*", LINE_ENDS, SPACES)
SPARK = _any_of(ASCII_SYMBOL_AND_WORD, WORD_WITH_MARKS, r" ?[\p{P}\p{S}]+", r"[\r\n]", SPACES)

NUMBER = Pattern(r"\p{N}")
NUMBERS = Pattern(r"\p{N}+")
UP_TO_THREE_NUMBERS = Pattern(r"\p{N}{1,3}")
NUMBERS_BY_THREE = Pattern("", "numbers by three")
DIGITS_BY_THREE = Pattern("", "digits by three")
THREE_DIGITS = Pattern("[0-9][0-9][0-9]", "codes")
NEWLINES = Pattern(r"[^\n]+|[\n]+", "codes")
NEWLINE = Pattern(r"[\r\n]", "codes")
NOT_SPACES = Pattern(r"\S+", "codes")
SPACES_AT_THE_END = Pattern(r"\s+$", "codes")
SPACED_WORD = Pattern(r"\s?\p{L}+")
SPACED_PUNCTUATION = Pattern(r"\s?\p{P}+")
FALCON_SYMBOLS = Pattern(r"[\p{P}\$\+<=>\^~\|`]+")
DEFAULT_SYMBOLS = Pattern(r"[\p{P}\$\+<=>\^~\|]+")
CHAMELEON_SYMBOL = Pattern(r"[\p{P}!-/:-@\[-`{-~]")
CHAMELEON_SENTINEL = Pattern("<sentinel:[0-9]+>", "codes")
CHAMELEON_IMAGE = Pattern("(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z", "codes")
CHAMELEON_SPACES = Pattern(r"([\t\n]|    |  )", "codes")
BLOOM = Pattern(" ?[^(\\s|.,!?…。，、।۔،)]+", "codes")
CHINESE_AND_KANA = Pattern("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", "codes")
CHINESE_AND_KOREAN = Pattern("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+", "codes")
DEEPSEEK_WORD = Pattern(
    "\\s?[A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af"
    "\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5"
    "\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba"
    "\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45"
    "\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe"
    "\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc"
    "\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
    "\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3"
    "\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06"
    "\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3"
    "\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df"
    "\U0001e900-\U0001e943]+",
    "codes",
)
DEEPSEEK_SYMBOLS = Pattern(
    "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+",
    "codes",
)
YOUTU_EAST_ASIAN = Pattern(
    "[\uac00-\ud7a3\u3131-\u318e]+|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b\uff0c"
    "\u3001-\u303f\ufe30-\ufe4f]+|[\u3105-\u312f]+|[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
    "codes",
)
AFMOE_EAST_ASIAN = Pattern(
    "[\u4e00-\u9fff\u3400-\u4dbf\u8c48-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f\u2f00-\u2fdf"
    "\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f\ua9e0-\ua9ff\uac00-\ud7af"
    "\u1100-\u11ff]+",
    "codes",
)


class LlamaPreTokenizer(NamedTuple):
    """The settings that llama.cpp derives from a value of `tokenizer.ggml.pre`.

    names          all values with this meaning
    patterns       each cuts the pieces of the previous ones
    escape_spaces, byte_encoding, ignore_merges, ignore_newline_merges, clean_spaces, add_bos, add_sep
                   see `Rules`
    forces_bos     the file cannot change `add_bos`
    has_default_bos, is_cased  defaults if the file does not specify: a token for BOS, no lower case
    """

    names: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    escape_spaces: bool = False
    byte_encoding: bool = True
    ignore_merges: bool = False
    ignore_newline_merges: bool = False
    clean_spaces: bool = True
    add_bos: bool = False
    add_sep: bool = False
    forces_bos: bool = False
    has_default_bos: bool = True
    is_cased: bool = False


def _row(names: str, *patterns: Pattern, **flags: bool) -> LlamaPreTokenizer:
    return LlamaPreTokenizer(tuple(names.split()), patterns, **flags)


def _by_name(*rows: LlamaPreTokenizer) -> dict[str, LlamaPreTokenizer]:
    return {name: row for row in rows for name in row.names}


PRE_TOKENIZERS = _by_name(
    _row("default", DEFAULT_SYMBOLS, GPT2, NUMBERS, THREE_DIGITS),
    _row("falcon", FALCON_SYMBOLS, GPT2, THREE_DIGITS),
    _row(
        "gpt-2 phi-2 jina-es jina-de jina-v2-es jina-v2-de gigachat a.x-4.0 mellum modern-bert exaone4 "
        "mpt olmo jais",
        GPT2,
    ),
    _row("jina-v1-en jina-v2-code roberta-bpe", GPT2, add_sep=True),
    _row("trillion granite-docling", GPT2, clean_spaces=False),
    _row("starcoder refact codeshell exaone minerva-7b mellum2", NUMBER, GPT2),
    _row("command-r smollm", NUMBER, GPT2, clean_spaces=False),
    _row(
        "chameleon",
        *(CHAMELEON_SENTINEL, CHAMELEON_IMAGE, CHAMELEON_SPACES, NUMBER, CHAMELEON_SYMBOL, GPT2),
        clean_spaces=False,
        add_bos=True,
    ),
    _row("jais-2", JAIS2),
    _row("bloom gpt3-finnish", BLOOM),
    _row("poro-chat", BLOOM, clean_spaces=False),
    _row("viking", BLOOM, NUMBER, clean_spaces=False),
    _row("dbrx smaug-bpe", LLAMA3),
    _row(
        "llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
        LLAMA3,
        ignore_merges=True,
        add_bos=True,
    ),
    _row("chatglm-bpe", LLAMA3, has_default_bos=False),
    _row("glm4 glm5", LLAMA3, ignore_merges=True, has_default_bos=False),
    _row("stablelm2 megrez", QWEN2),
    _row("qwen2 deepseek-r1-qwen kormo f2llmv2 hunyuan grok-2 solar-open", QWEN2, clean_spaces=False),
    _row("qwen35", QWEN35, clean_spaces=False),
    _row("laguna", NEWLINES, QWEN2, clean_spaces=False),
    _row("minicpm5", UP_TO_THREE_NUMBERS, MINICPM5, ignore_merges=True),
    _row("ufakzeka", UFAKZEKA, clean_spaces=False),
    _row("seed-coder", SEED_CODER, clean_spaces=False),
    _row("bailingmoe bailingmoe2 llada-moe", BAILINGMOE, clean_spaces=False),
    _row("exaone-moe", EXAONE_MOE),
    _row("tekken", TEKKEN, ignore_merges=True, clean_spaces=False, add_bos=True),
    _row("gpt-4o llama4 kanana2 talkie minimax-m2", GPT4O, clean_spaces=False),
    _row("granite-embed-multi-97m", GRANITE_EMB_MULTI, ignore_merges=True, clean_spaces=False),
    _row("tiny_aya cohere2moe", NUMBERS_BY_THREE, TINY_AYA, clean_spaces=False),
    _row("youtu", YOUTU_EAST_ASIAN, YOUTU, ignore_merges=True, clean_spaces=False),
    _row("superbpe", NUMBERS, DIGITS_BY_THREE, clean_spaces=False),
    _row("kimi-k2", KIMI, clean_spaces=False),
    _row(
        "deepseek-llm",
        *(NEWLINE, DEEPSEEK_WORD, DEEPSEEK_SYMBOLS, SPACES_AT_THE_END, CHINESE_AND_KOREAN, NUMBERS),
        clean_spaces=False,
    ),
    _row(
        "deepseek-coder",
        *(NEWLINE, SPACED_WORD, SPACED_PUNCTUATION, CHINESE_AND_KOREAN, NUMBER),
        clean_spaces=False,
    ),
    _row(
        "deepseek-v3 hunyuan-dense hy_v4 joyai-llm",
        *(UP_TO_THREE_NUMBERS, CHINESE_AND_KANA, DEEPSEEK3),
        clean_spaces=False,
    ),
    _row("spark2_5", UP_TO_THREE_NUMBERS, CHINESE_AND_KANA, SPARK, NUMBER, clean_spaces=False),
    _row("afmoe", NUMBERS_BY_THREE, AFMOE_EAST_ASIAN, DEEPSEEK3, clean_spaces=False),
    _row(
        "gemma4 granite-embed-multi-311m",
        NEWLINES,
        escape_spaces=True,
        byte_encoding=False,
        ignore_newline_merges=True,
        forces_bos=True,
    ),
    _row("sarvam-moe", NEWLINES, escape_spaces=True, byte_encoding=False, clean_spaces=False),
    _row("whitespace", NOT_SPACES, byte_encoding=False, is_cased=True),
)
