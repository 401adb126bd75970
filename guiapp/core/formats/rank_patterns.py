r"""The patterns of models whose tokenizer is a list of ranks, as their makers publish them.

Each pattern's own repetitions never overlap what follows, so `++` and `+` give the same pieces.
"""

from __future__ import annotations

from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS, Pattern


def _any_of(*options: str) -> Pattern:
    return Pattern("|".join(options), "unicode")


CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
BEFORE_WORD = r"[^\r\n\p{L}\p{N}]?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
WORD, SYMBOLS = rf"{BEFORE_WORD}\p{{L}}+", r" ?[^\s\p{L}\p{N}]+[\r\n]*"
SYMBOLS_AND_SLASHES = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
LINE_ENDS, SPACES = r"\s*[\r\n]+", r"\s+(?!\S)|\s+"

R50K = _any_of(r"'(?:[sdmt]|ll|ve|re)", r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+", SPACES)
CL100K = _any_of(CONTRACTION, WORD, r"\p{N}{1,3}", SYMBOLS, LINE_ENDS, SPACES)
O200K = _any_of(
    f"{BEFORE_WORD}{UPPER}*{LOWER}+{CONTRACTION}?",
    f"{BEFORE_WORD}{UPPER}+{LOWER}*{CONTRACTION}?",
    r"\p{N}{1,3}",
    SYMBOLS_AND_SLASHES,
    LINE_ENDS,
    SPACES,
)
QWEN = _any_of(CONTRACTION, WORD, r"\p{N}", SYMBOLS, LINE_ENDS, SPACES)

RANK_PATTERNS = {
    "cl100k_base": CL100K,
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
