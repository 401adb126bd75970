"""Difficult random texts: all scripts, invalid UTF-8, look-alikes of special tokens, long runs, casing.

    for text in random_texts(seed=1, count=2000): …

The same seed gives the same texts; `text_of(seed, index)` replays one of them.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence

SCRIPTS = (
    (0x20, 0x7E), (0x20, 0x7E), (0x61, 0x7A), (0xA0, 0x17F), (0x180, 0x24F), (0x250, 0x36F),
    (0x370, 0x3FF), (0x400, 0x4FF), (0x530, 0x5FF), (0x600, 0x6FF), (0x700, 0x8FF), (0x900, 0x97F),
    (0x980, 0xDFF), (0xE00, 0xEFF), (0xF00, 0xFFF), (0x1000, 0x109F), (0x10A0, 0x13FF), (0x1400, 0x167F),
    (0x1780, 0x17FF), (0x1800, 0x18AF), (0x1AB0, 0x1AFF), (0x1C80, 0x1CBF), (0x1D00, 0x1DFF),
    (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x218F), (0x2190, 0x27BF), (0x2800, 0x2BFF),
    (0x2C00, 0x2DFF), (0x2E00, 0x303F), (0x3040, 0x30FF), (0x3100, 0x33FF), (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF), (0xA000, 0xABFF), (0xAC00, 0xD7FF), (0xE000, 0xF8FF), (0xF900, 0xFAFF),
    (0xFB00, 0xFDFF), (0xFE00, 0xFEFF), (0xFF00, 0xFFFF), (0x10000, 0x10FFF), (0x16A00, 0x16FFF),
    (0x1B000, 0x1B2FF), (0x1D100, 0x1D7FF), (0x1F000, 0x1FAFF), (0x20000, 0x2A6DF), (0x2B800, 0x2B93F),
    (0x2F800, 0x2FA1F), (0x30000, 0x323AF), (0xE0000, 0xE01FF), (0x100000, 0x10FFFF),
)  # fmt: skip
SPACES = [chr(code) for code in (
    *range(0x09, 0x0E), *range(0x1C, 0x21), 0x85, 0xA0, 0x1680, *range(0x2000, 0x200C), 0x2028, 0x2029,
    0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF,
)] + ["  ", "   ", "\r\n", "\n\n", "\t\t", " \n ", "\n "]  # fmt: skip
TRAPS = [
    "İ", "ı", "ſ", "K", "Å", "ß", "ẞ", "ǅ", "ﬁ", "Ω", "ς", "Σ", "Ⅻ", "½", "²", "①", "〇", "Ａ１",
    "㎏", "ª", "…", "'s", "'LL", "'ſ", "’t", "''re", "'D", "don't", "I'M", "é", "e\u0301", "각", "각",
    "a\u0301\u0327\u0301", "नि", "👩\u200d👩\u200d👧", "🏳\ufe0f\u200d🌈", "👍🏽", "🇩🇪🇩",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "\u202eabc\u202c", "\u200f", "\u2067x", "\x00", "\x7f", "\x1b[31m", "\ufffd", "\ufeff", "12",
    "1234567", "1,234.5", "٣٤٥", "0x1F", "1e-9", "__init__", "camelCase", "HTTPServer2", "ABCdef", "!!!",
    "...", "http://a.b/c?d=e&f", "//", "/*", "});", "->", "==", "<b>", "{{ x }}", "中文", "漢字かな",
    "한국어", "Việt", "zażółć", "▁", "▁▁", "▁a", "Ġ", "Ċ", "Ã©", "\u2ffc", "\u1c89", "\U000105c0",
    "\ufffe", "\U0010ffff", "\u0378",
]  # fmt: skip
LOOK_ALIKES = [
    "<s>", "</s>", "<unk>", "<pad>", "<mask>", "<s", "s>", "<<s>s>", "＜s＞", "<|im_start|>",
    "<|im_start |>", "<|im_end|", "<|endoftext|>", "<|eot_id|>", "<|end", "|>", "[CLS]", "[SEP]",
    "[MASK]", "[UNK", "[PAD]", "[INST]", "<0x0A>", "<0xFF>", "<0x", "[EMPTY_5]", "<bos>", "<eos>", "<ex",
    "<extra_id_0>", "<extra_", "<start_of_turn>", "<think>", "</think", "<tool_call>", "<dna>",
    "[unused1]", "[PAD250", "<fim", "<｜end▁of▁sentence｜>",
]  # fmt: skip
BROKEN = [
    b"\xff", b"\xfe", b"\x80", b"\xbf\xbf", b"\xc0", b"\xf8", b"\xc3", b"\xe2\x82", b"\xe2",
    b"\xf0\x9f\x98", b"\xf0\x9f", b"\xc0\x80", b"\xc1\xbf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf",
    b"\xed\xa0\x80", b"\xed\xa0\xbd\xed\xb8\x80", b"\xe2\x96", b"\xe2\x96a", b"\xf0\x82\x82\xac",
    b"\xfc\x80\x80\x80\x80\x80", b"a\xcc", b"\xef\xbf", b"\xf4\x8f\xbf",
]  # fmt: skip
OVERLONG_SPACE = re.compile(rb"\xc0\xa0|\xe0\x80\xa0|\xf0\x80\x80\xa0")
ABOVE_UNICODE = re.compile(rb"(?:\xf4[\x90-\xbf]|[\xf5-\xf7][\x80-\xbf])[\x80-\xbf]{2}")

WORDS = [
    "the", "of", "and", "Hello", "world", "tokenization", "unbelievable", "Straße", "naïve", "cœur", "x", "y",
    "МОСКВА", "привет", "שלום", "مرحبا", "ไทย", "東京",
]  # fmt: skip

Piece = Callable[[random.Random], bytes]


def random_texts(seed: int, count: int, extra: Sequence[bytes] = ()) -> Iterator[bytes]:
    """`count` texts of 0 to a few hundred bytes; `extra` are strings to mix in, such as a model's tokens.

    No text has a character above U+10FFFF or an overlong space, which may crash llama.cpp.
    """
    for index in range(count):
        yield text_of(seed, index, extra)


def text_of(seed: int, index: int, extra: Sequence[bytes] = ()) -> bytes:
    """The text of this index for a seed."""
    rng = random.Random(f"{seed} {index}")
    kinds: list[Piece] = [
        _letters, _letters, _word, _script_run, _space, _trap, _look_alike, _run, _any_code, _two_letters,
    ]  # fmt: skip
    if extra:
        kinds += [lambda rng: rng.choice(extra), lambda rng: rng.choice(extra)[: rng.randrange(1, 12)]]
    kinds = rng.sample(kinds, rng.randrange(1, len(kinds) + 1))
    if rng.random() < 0.3:
        kinds += [_broken, _any_bytes]
    pieces = [rng.choice(kinds)(rng) for _ in range(rng.choice((1, 2, 4, 8, 16, 30)))]
    text = rng.choice((b"", b"", b" ")).join(pieces)
    return without_deadly_bytes(text)


def without_deadly_bytes(text: bytes) -> bytes:
    return OVERLONG_SPACE.sub(b"?", ABOVE_UNICODE.sub(b"?", text))


def _letters(rng: random.Random) -> bytes:
    letters = rng.choice(("abc", "etaoin shrdlu", "ABCabc", "aeiou.,;:!?-", "0123456789", "aAbB cC\n"))
    return "".join(rng.choice(letters) for _ in range(rng.randrange(1, 12))).encode()


def _word(rng: random.Random) -> bytes:
    word = rng.choice(WORDS)
    return rng.choice((word, word.upper(), word.title(), " " + word, word + "s", word * 2)).encode()


def _script_run(rng: random.Random) -> bytes:
    first, last = rng.choice(SCRIPTS)
    return _encode([rng.randint(first, last) for _ in range(rng.randrange(1, 9))])


def _any_code(rng: random.Random) -> bytes:
    return _encode([rng.randrange(rng.choice((0x100, 0x3000, 0x10000, 0x110000)))])


def _space(rng: random.Random) -> bytes:
    return rng.choice(SPACES).encode() * rng.choice((1, 1, 1, 2, 5))


def _trap(rng: random.Random) -> bytes:
    return rng.choice(TRAPS).encode()


def _look_alike(rng: random.Random) -> bytes:
    return rng.choice(LOOK_ALIKES).encode()


def _run(rng: random.Random) -> bytes:
    unit = rng.choice(
        (" ", "\n", "a", "A", "=", "-", ".", "9", "中", "é", "\u0301", "ab", "aab", "\t", "\r\n", "▁", "🦄")
    )
    return unit.encode() * rng.choice((2, 3, 7, 16, 33, 100))


def _two_letters(rng: random.Random) -> bytes:
    letters = rng.choice(("ab", "a ", "xX", "0a", ".!", "éa", "中国", " \n"))
    return "".join(rng.choices(letters, k=rng.choice((5, 20, 60)))).encode()


def _broken(rng: random.Random) -> bytes:
    return rng.choice(BROKEN)


def _any_bytes(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randrange(1, 6))


def _encode(codes: Sequence[int]) -> bytes:
    return "".join(map(chr, codes)).encode("utf-8", "surrogatepass")
