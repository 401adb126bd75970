"""Texts for the components of tokenizer.json: every character, and difficult random texts."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st

UNIFORM = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xE000, 0xF8FF),
    (0x17000, 0x18CFF),
    (0x20000, 0x10FFFF),
)
SURROGATES = (0xD800, 0xDFFF)


def every_character() -> list[str]:
    return [chr(code) for code in range(0x110000) if not SURROGATES[0] <= code <= SURROGATES[1]]


def sample_codes() -> Iterator[int]:
    at = 0
    for first, last in sorted((*UNIFORM, SURROGATES)):
        yield from range(at, first)
        yield from range(first + -first % 97, last + 1, 97) if (first, last) != SURROGATES else ()
        at = last + 1


SAMPLE_CHARACTERS = [chr(code) for code in sample_codes()]
"""All characters, but only a sample of the UNIFORM ranges, in which neighbours behave alike."""

PARTS = [
    *"  aAbeEiIsStT'1234½Ⅷ٣①.,!?$_-(「。…▁|#",
    *("  ", "    ", "\t", "\n", "\r\n", "\u00a0", "\u3000", "\u2028", "\x85", "\x00", "\x1f", "\x7f", "\x9f"),
    *("\ufeff", "\ufffd", "\u200b", "\u200d", "\u00ad", "\u2060", "\u0301", "\u0323", "\u0345", "\u0308"),
    *("\u3099", "\u09be", "\u094d", "\u0e33", "\u0f71\u0f74", "é", "ǖ", "İ", "ß", "ſ", "K", "ﬁ", "ﷺ", "Ǆ"),
    *(
        "中",
        "国",
        "語",
        "あ",
        "カ",
        "ｶﾞ",
        "ー",
        "한",
        "국",
        "\u1100",
        "\u1161",
        "\u11a8",
        "ไทย",
        "हिन्दी",
        "عربى",
    ),
    *(
        "русский",
        "🙂",
        "👩\u200d👩\u200d👧",
        "🇩🇪",
        "❤\ufe0f",
        "\U0001d7d8",
        "\U00011938",
        "\ua7cb",
        "\U0010ffff",
    ),
    *("ab" * 20, " " * 40, "\u0301\u0323" * 40, "it's", "DON'T", "<0x0A>", "word ", "Hello, World!\n"),
]


def texts(max_size: int = 12) -> st.SearchStrategy[str]:
    """Strings of PARTS and any other characters."""
    any_character = st.characters(exclude_categories=["Cs"])
    return st.lists(st.sampled_from(PARTS) | any_character, max_size=max_size).map("".join)
