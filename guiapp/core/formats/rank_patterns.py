r"""The patterns of models whose tokenizer is a list of ranks, as their makers publish them.

Each pattern's own repetitions never overlap what follows, so `++` and `+` give the same pieces.
"""

from __future__ import annotations

from guiapp.core.pretokenize.pre_tokenizers import (
    LINE_ENDS,
    LOWER_CATEGORIES,
    PRE_TOKENIZERS,
    SPACES,
    SYMBOLS,
    SYMBOLS_AND_SLASHES,
    UPPER_CATEGORIES,
    WORD,
    Pattern,
    cased,
)


def _any_of(*options: str) -> Pattern:
    return Pattern("|".join(options), "unicode")


CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
R50K = _any_of(r"'(?:[sdmt]|ll|ve|re)", r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+", SPACES)
CL100K = _any_of(CONTRACTION, WORD, r"\p{N}{1,3}", SYMBOLS, LINE_ENDS, SPACES)
CASED_WORDS = cased(UPPER_CATEGORIES, LOWER_CATEGORIES, f"{CONTRACTION}?")
O200K = _any_of(*CASED_WORDS, r"\p{N}{1,3}", SYMBOLS_AND_SLASHES, LINE_ENDS, SPACES)
NOT_HAN = r"&&[^\p{Han}]]"
KIMI_WORDS = cased(UPPER_CATEGORIES[:-1] + NOT_HAN, LOWER_CATEGORIES[:-1] + NOT_HAN, f"{CONTRACTION}?")
KIMI = Pattern("|".join((r"\p{Han}+", *KIMI_WORDS, r"\p{N}{1,3}", SYMBOLS, LINE_ENDS, SPACES)), "oniguruma")
QWEN = _any_of(CONTRACTION, WORD, r"\p{N}", SYMBOLS, LINE_ENDS, SPACES)

RANK_PATTERNS = {
    "cl100k_base": CL100K,
    "kimi": KIMI,
    "llama-3": CL100K,
    "o200k_base": O200K,
    "qwen": QWEN,
    "r50k_base": R50K,
}
"""By the names of the vocabularies that they were published with."""


def patterns_of(name: str) -> tuple[Pattern, ...] | None:
    """Those of a published vocabulary, or else those that llama.cpp has under the name; None for neither."""
    if name in RANK_PATTERNS:
        return (RANK_PATTERNS[name],)
    return PRE_TOKENIZERS[name].patterns if name in PRE_TOKENIZERS else None
