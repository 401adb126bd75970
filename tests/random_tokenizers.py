"""Small tokenizers in the form of tokenizer.json, whose options are drawn at random, and texts for them."""

from __future__ import annotations

import random
from typing import Any

from guiapp.core.vocab.byte_alphabet import CHARACTER_OF_BYTE

MARK = "\u2581"
LETTERS = f"abcdé{MARK} Ġ日"
UNKNOWN = "<unk>"
PREPEND = {"type": "Prepend", "prepend": MARK}
MARKS = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
NORMALIZERS = (
    *(None, None, PREPEND, MARKS, {"type": "Sequence", "normalizers": [PREPEND, MARKS]}, {"type": "NFC"}),
    *({"type": "Lowercase"}, {"type": "Strip", "strip_left": True, "strip_right": True}, {"type": "NFKC"}),
)
BYTE_LEVELS = (
    BYTE_LEVEL,
    BYTE_LEVEL | {"add_prefix_space": True},
    BYTE_LEVEL | {"use_regex": False},
    {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL]},
)
PRE_TOKENIZERS = (
    *(None, *BYTE_LEVELS, {"type": "Whitespace"}, {"type": "WhitespaceSplit"}, {"type": "BertPreTokenizer"}),
    {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first", "split": True},
    {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": False},
    {"type": "Split", "pattern": {"Regex": " ?[a-z]+| "}, "behavior": "Isolated", "invert": False},
)
DECODERS = (
    *(None, BYTE_LEVEL, {"type": "Fuse"}, {"type": "ByteFallback"}, {"type": "BPEDecoder", "suffix": "</w>"}),
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True},
)
PROCESSORS = (
    *(None, None, None, {"type": "BertProcessing", "sep": ["x", 0], "cls": ["y", 1]}),
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
    {
        "type": "RobertaProcessing",
        "sep": ["x", 0],
        "cls": ["y", 1],
        "trim_offsets": True,
        "add_prefix_space": True,
    },
    {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {"A": {"id": "A", "ids": [1, 2], "tokens": ["a", "b"]}},
    },
)
CONTENTS = ("<s>", "</s>", "ab", "a", "[M]", " x", "B", "é", "<|x|>", "c ", "\n", " ", f"{MARK}a", "日")
IN_TEXTS = (
    *("a", "b", "ab", "abc", "cd", "é", " ", "  ", MARK, "<s>", "</s>", "[M]", " x", "B", "<|x|>", "\n"),
    *("日", "z", "Z", UNKNOWN, "\u3000", "_", "1", "e\u0301", "ﬁ", "12", ".", "Ａ"),
)


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice(IN_TEXTS) for _ in range(rng.randrange(14)))


def random_tokenizer(rng: random.Random) -> dict[str, Any]:
    """Of one of the four models; six of ten are BPE."""
    is_byte_level = rng.random() < 0.3
    model = rng.choice((*[_byte_pairs] * 6, _word_piece, _word_level, _unigram, _unigram))(rng, is_byte_level)
    n_tokens = len(model["vocab"])
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added_tokens(rng, n_tokens),
        "normalizer": rng.choice(NORMALIZERS),
        "pre_tokenizer": rng.choice(BYTE_LEVELS if is_byte_level else PRE_TOKENIZERS),
        "post_processor": rng.choice(PROCESSORS),
        "decoder": rng.choice(DECODERS),
        "model": model,
    }


def _added_tokens(rng: random.Random, first_id: int) -> list[dict[str, Any]]:
    """No token takes white space along that another one begins with: the library gives text twice then."""
    found = [
        {
            "id": first_id + number,
            "content": content,
            **{flag: rng.random() < 0.25 for flag in ("single_word", "lstrip", "rstrip")},
            "normalized": rng.random() < 0.4,
            "special": rng.random() < 0.5,
        }
        for number, content in enumerate(rng.sample(CONTENTS, rng.randrange(5)))
    ]
    if any(token["rstrip"] for token in found):
        found = [token for token in found if not str(token["content"])[0].isspace()]
    return found


def _characters(rng: random.Random, is_byte_level: bool) -> list[str]:
    if is_byte_level and rng.random() < 0.8:
        return list(CHARACTER_OF_BYTE)
    return rng.sample(LETTERS, rng.randrange(3, len(LETTERS) + 1))


def _byte_names(rng: random.Random) -> set[str]:
    share = rng.choice((0, 0, 1, 1, 0.9))
    return {f"<0x{byte:02X}>" for byte in range(256) if rng.random() < share}


def _byte_pairs(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    prefix, suffix = rng.choice(("", "", "", "##", "b")), rng.choice(("", "", "", "</w>", "a"))
    forms = {
        form
        for each in _characters(rng, is_byte_level)
        for form in (each, prefix + each, each + suffix, prefix + each + suffix)
        if rng.random() < 0.9
    }
    tokens = sorted(forms | _byte_names(rng))
    rng.shuffle(tokens)
    unknown = UNKNOWN if rng.random() < 0.6 else None
    if unknown:
        tokens.append(unknown)
    merges: list[tuple[str, str]] = []
    for _ in range(rng.randrange(60)):
        left, right = rng.choice(tokens), rng.choice(tokens)
        made = left + right[len(prefix) :]
        if len(right) >= len(prefix) and len(made) < 24:
            merges.append((left, right))
            tokens += [] if made in tokens else [made]
    merges += rng.choices(merges, k=2) if merges and rng.random() < 0.3 else []
    return {
        "type": "BPE",
        "unk_token": unknown,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        **{flag: rng.random() < 0.5 for flag in ("fuse_unk", "byte_fallback", "ignore_merges")},
        "vocab": {token: number for number, token in enumerate(tokens)},
        "merges": merges,
    }


def _words(rng: random.Random, is_byte_level: bool) -> list[str]:
    characters = _characters(rng, is_byte_level)
    words = {"".join(rng.choices(characters, k=rng.randrange(1, 4))) for _ in range(60)} | set(characters)
    return [UNKNOWN, *sorted(words)]


def _word_piece(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    words = _words(rng, is_byte_level)
    tokens = [*words, *(f"##{word}" for word in words[1:] if rng.random() < 0.7)]
    return {
        "type": "WordPiece",
        "unk_token": UNKNOWN,
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": rng.choice((3, 100)),
        "vocab": {token: number for number, token in enumerate(tokens)},
    }


def _word_level(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    words = _words(rng, is_byte_level)
    vocab = {token: number for number, token in enumerate(words)}
    return {"type": "WordLevel", "vocab": vocab, "unk_token": UNKNOWN}


def _unigram(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    texts = [*_words(rng, is_byte_level), *sorted(_byte_names(rng))]
    pieces = [(text, -rng.random() * 10) for text in texts]
    return {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": rng.random() < 0.5}
