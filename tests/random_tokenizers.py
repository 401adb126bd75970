"""Small random tokenizers as tokenizer.json, with all components of the library, and texts for them.

    @given(DOCUMENTS, TEXTS)
    def test_something(document, text): …

Examples get simpler when hypothesis shrinks them: no component, no flag, few tokens.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from hypothesis import strategies as st
from library_components import DECODERS, FORMS, OTHERS, PLAIN, SPLITS, json_of
from texts_for_components import PARTS

from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE

MARK = "\u2581"
LETTERS = f"abcdé{MARK} Ġ日12.s'"
UNKNOWN = "<unk>"
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": True}
BYTE_LEVELS = (BYTE_LEVEL, BYTE_LEVEL | {"add_prefix_space": True}, BYTE_LEVEL | {"use_regex": False})


def by_kind(components: Sequence[Any]) -> list[list[dict[str, Any]]]:
    """Components grouped by kind, so that each kind is equally likely, whatever its number of options."""
    return [[*those] for _, those in groupby(sorted(map(json_of, components), key=_kind), key=_kind)]


def _kind(component: dict[str, Any]) -> str:
    return str(component["type"])


NORMALIZERS = by_kind([each for each in (*FORMS, *OTHERS) if json_of(each).get("prepend") != ""])
"""All except Prepend of "", after which the library panics."""
PRE_TOKENIZERS = by_kind([*PLAIN, *SPLITS])
DECODERS_BY_KIND = by_kind(DECODERS)
CONTENTS = ("<s>", "</s>", "ab", "a", "[M]", " x", "B", "é", "<|x|>", "c ", "\n", " ", f"{MARK}a", "日")
IN_TEXTS = (
    *("a", "b", "ab", "abc", "cd", "é", " ", "  ", MARK, "<s>", "</s>", "[M]", " x", "B", "<|x|>", "\n"),
    *("日", "z", "Z", UNKNOWN, "\u3000", "_", "1", "e\u0301", "ﬁ", "12", ".", "Ａ"),
)


def random_tokenizer(rng: random.Random) -> dict[str, Any]:
    """A tokenizer with one of the four models; six of ten are BPE."""
    is_byte_level = _one_in(rng, 3)
    model = rng.choice((*[_byte_pairs] * 6, _word_piece, _word_level, _unigram, _unigram))(rng, is_byte_level)
    mapping = [rng.choice(BYTE_LEVELS)] if is_byte_level else []
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": _added_tokens(rng, len(model["vocab"])),
        "normalizer": _in_a_row(_some(rng, NORMALIZERS), "normalizers"),
        "pre_tokenizer": _in_a_row([*_some(rng, PRE_TOKENIZERS), *mapping], "pretokenizers"),
        "post_processor": _in_a_row(_processors(rng), "processors"),
        "decoder": _in_a_row(_some(rng, DECODERS_BY_KIND), "decoders"),
        "model": model,
    }


DOCUMENTS = st.randoms(use_true_random=False).map(random_tokenizer)
TEXTS = st.lists(st.sampled_from(IN_TEXTS) | st.sampled_from(PARTS), max_size=14).map("".join)


def _one_in(rng: random.Random, count: int) -> bool:
    return rng.randrange(count) == count - 1


def _some(rng: random.Random, groups: Sequence[Sequence[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [rng.choice(rng.choice(groups)) for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))]


def _in_a_row(components: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    if len(components) > 1:
        return {"type": "Sequence", name: components}
    return components[0] if components else None


def _processors(rng: random.Random) -> list[dict[str, Any]]:
    flags = {"trim_offsets": not _one_in(rng, 2), "add_prefix_space": not _one_in(rng, 2)}
    affixes = {"sep": ["x", rng.randrange(3)], "cls": ["y", rng.randrange(3)]}
    text = {"Sequence": {"id": "A", "type_id": 0}}
    others = [{"SpecialToken": {"id": name, "type_id": 0}} for name in rng.choices("AB", k=rng.randrange(4))]
    at = rng.randrange(len(others) + 1)
    template = {
        "single": [*others[:at], text, *others[at:]],
        "pair": [text, *others, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {
            "A": {"id": "A", "ids": [1, 2], "tokens": ["a", "b"]},
            "B": {"id": "B", "ids": [0], "tokens": ["c"]},
        },
    }
    every = [
        {"type": "ByteLevel", "use_regex": True} | flags,
        {"type": "BertProcessing"} | affixes,
        {"type": "RobertaProcessing"} | affixes | flags,
        {"type": "TemplateProcessing"} | template,
    ]
    return rng.sample(every, rng.choice((0, 0, 1, 1, 1, 2)))


def _added_tokens(rng: random.Random, first_id: int) -> list[dict[str, Any]]:
    """Added tokens; none strips white space with which another begins, as the library then repeats text."""
    added = [
        {
            "id": first_id + number,
            "content": content,
            **{flag: _one_in(rng, 4) for flag in ("single_word", "lstrip", "rstrip")},
            **{flag: _one_in(rng, 2) for flag in ("normalized", "special")},
        }
        for number, content in enumerate(rng.sample(CONTENTS, rng.randrange(5)))
    ]
    if any(token["rstrip"] for token in added):
        added = [token for token in added if not str(token["content"])[0].isspace()]
    return added


def _characters(rng: random.Random, is_byte_level: bool) -> list[str]:
    if is_byte_level and not _one_in(rng, 5):
        return list(CHARACTER_OF_BYTE)
    return rng.sample(LETTERS, rng.randrange(3, len(LETTERS) + 1))


def _likely(tokens: list[str]) -> list[str]:
    """The tokens with letters that are likely in texts, or all if there are none."""
    return [token for token in tokens if set(token) <= set(f"{LETTERS}#</w>")] or list(tokens)


def _byte_names(rng: random.Random) -> list[str]:
    every, dice = [f"<0x{byte:02X}>" for byte in range(256)], _dice(rng)
    return rng.choice(([], [], every, every, [name for name in every if dice.random() < 0.9]))


def _dice(rng: random.Random) -> random.Random:
    """A generator for values that must differ but need no shrinking."""
    return random.Random(rng.randrange(1 << 16))


def _byte_pairs(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    prefix, suffix = rng.choice(("", "", "", "##", "b")), rng.choice(("", "", "", "</w>", "a"))
    dice = _dice(rng)
    forms = {
        form
        for each in _characters(rng, is_byte_level)
        for form in (each, prefix + each, each + suffix, prefix + each + suffix)
        if dice.random() < 0.9
    }
    tokens = sorted({*forms, *_byte_names(rng)})
    dice.shuffle(tokens)
    unknown = None if _one_in(rng, 3) else UNKNOWN
    if unknown:
        tokens.append(unknown)
    merges: list[tuple[str, str]] = []
    parts = _likely(tokens)
    for _ in range(rng.randrange(60)):
        left, right = rng.choice(parts), rng.choice(parts)
        made = left + right.encode()[len(prefix) :].decode(errors="replace")
        if len(right) >= len(prefix) and len(made) < 24 and "\ufffd" not in made:
            merges.append((left, right))
            parts.append(made)
            tokens += [] if made in tokens else [made]
    merges += rng.choices(merges, k=2) if merges and _one_in(rng, 3) else []
    return {
        "type": "BPE",
        "unk_token": unknown,
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        **{flag: _one_in(rng, 2) for flag in ("fuse_unk", "byte_fallback", "ignore_merges")},
        "vocab": {token: number for number, token in enumerate(tokens)},
        "merges": merges,
    }


def _words(rng: random.Random, is_byte_level: bool, has_unknown: bool) -> list[str]:
    characters = _characters(rng, is_byte_level)
    words = {
        "".join(rng.choices(_likely(characters), k=1 + rng.randrange(3))) for _ in range(rng.randrange(60))
    }
    return [*([UNKNOWN] if has_unknown else []), *sorted(words | set(characters))]


def _word_piece(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    words, prefix, dice = (
        _words(rng, is_byte_level, not _one_in(rng, 6)),
        rng.choice(("##", "##", "", "b")),
        _dice(rng),
    )
    tokens = [*words, *(prefix + word for word in words if dice.random() < 0.7)]
    return {
        "type": "WordPiece",
        "unk_token": UNKNOWN,
        "continuing_subword_prefix": prefix,
        "max_input_chars_per_word": rng.choice((100, 3)),
        "vocab": {token: number for number, token in enumerate(dict.fromkeys(tokens))},
    }


def _word_level(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    words = _words(rng, is_byte_level, not _one_in(rng, 6))
    vocab = {token: number for number, token in enumerate(words)}
    return {"type": "WordLevel", "vocab": vocab, "unk_token": UNKNOWN}


def _unigram(rng: random.Random, is_byte_level: bool) -> dict[str, Any]:
    texts, dice = [*_words(rng, is_byte_level, True), *_byte_names(rng)], _dice(rng)
    pieces = [(text, -dice.random() * 10) for text in texts]
    return {"type": "Unigram", "unk_id": 0, "vocab": pieces, "byte_fallback": _one_in(rng, 2)}
