"""What the projects of the field say of themselves, in their own words, as their packages carry them."""

from __future__ import annotations

from typing import NamedTuple


class Claim(NamedTuple):
    """A sentence of a package's summary or README.

    than   the contender that it compares itself with, "" where it names none that takes part
    ratio  how many times as fast as that it says to be, as printed, "" where it says none
    date   of the version's release, year and month
    """

    contender: str
    words: str
    than: str
    ratio: str
    version: str
    date: str


CLAIMS = (
    Claim(
        "gigatoken",
        "~1000x faster than HuggingFace's tokenizers, drop-in replacement.",
        "tokenizers",
        "~1000",
        "0.10.0",
        "2026-07",
    ),
    Claim(
        "gigatoken",
        "Gigatoken is the fastest tokenizer for language modeling.",
        "",
        "",
        "0.10.0",
        "2026-07",
    ),
    Claim(
        "snaptokens",
        "2.19× faster than Gigatoken, 14.96× faster than upstream fastokens, and 49.39× faster than "
        "Hugging Face by geometric mean of paired medians.",
        "gigatoken",
        "2.19",
        "0.2.6",
        "2026-09",
    ),
    Claim(
        "tuetoken",
        "The fastest tokenizer for modern LLMs, up to 30x faster.",
        "",
        "up to 30",
        "0.1.3",
        "2026-07",
    ),
    Claim(
        "quicktok-v1",
        "encoding runs 2–3.4× faster than the fastest exact tokenizer we know of (bpe-openai) and "
        "3.5–11× faster than tiktoken itself",
        "tiktoken",
        "3.5–11",
        "0.4.0",
        "2026-06",
    ),
    Claim(
        "splintr-rs",
        "Call it ~18x tiktoken and ~5x HuggingFace on batches, ~10x and ~35x on single texts.",
        "tiktoken",
        "~10",
        "0.22.0",
        "2026-10",
    ),
    Claim(
        "tokie",
        "10-136x faster tokenization, 10x smaller model files, 100% accurate",
        "tokenizers",
        "10-136",
        "0.1.4",
        "2026-07",
    ),
    Claim(
        "riptoken",
        "2.4×–6.2× faster single-threaded and up to ~4× faster in parallel batch mode",
        "tiktoken",
        "2.4–6.2",
        "0.2.4",
        "2026-04",
    ),
    Claim(
        "iree-tokenizer",
        "Fast. 3–12x faster than tiktoken, 10–20x faster than HF tokenizers.",
        "tiktoken",
        "3–12",
        "0.3.0",
        "2026-03",
    ),
    Claim(
        "budtiktok",
        "4-20x faster than HuggingFace tokenizers",
        "tokenizers",
        "4-20",
        "0.1.0",
        "2026-01",
    ),
    Claim(
        "rs-bpe",
        "rs-bpe_cached vs tiktoken: Small 15.1x faster, Medium 3.7x faster, Large 2.2x faster",
        "tiktoken",
        "2.2–15.1",
        "0.1.0",
        "2025-03",
    ),
    Claim(
        "wordchipper",
        "2-4x faster encoding than tiktoken and HuggingFace tokenizers",
        "tiktoken",
        "2-4",
        "0.9.2",
        "2026-05",
    ),
    Claim(
        "kitoken",
        "Faster than most other tokenizers in both common and uncommon scenarios",
        "",
        "",
        "0.11.1",
        "2026-10",
    ),
    Claim(
        "tiktoken",
        "tiktoken is between 3-6x faster than a comparable open source tokeniser",
        "",
        "3-6",
        "0.14.0",
        "2026-08",
    ),
)
