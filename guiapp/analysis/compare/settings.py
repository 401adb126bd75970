"""How two tokenizers are set: each rule in words, and whether both have the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import with_file_pre
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.figures import quoted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError

NOTHING = "none"
PRE, PATTERNS, SPLITTING = "pre-tokenizer", "patterns", "normalising and splitting"
NO_RULES = ("equal_to", "special_rule")  # of a SentencePiece model: what we say about it


class Wording(NamedTuple):
    """What is in words already."""

    texts: tuple[str, ...]


class ComparedSetting(NamedTuple):
    """A rule in both tokenizers; `is_equal` is None where they say it in ways that cannot be compared."""

    name: str
    first: str
    second: str
    is_equal: bool | None


def settings_of(first: Tokenizer, second: Tokenizer) -> Iterator[ComparedSetting]:
    """All rules that one of both has, as the files say; a pre-tokenizer chosen by hand is only named."""
    files = with_file_pre(first), with_file_pre(second)
    is_unknown = [bool(each.vocabulary.chosen_pre) for each in files]
    for setting in _settings_of_files(*files):
        if setting.name in (PRE, PATTERNS) and is_unknown[0] != is_unknown[1]:
            setting = setting._replace(is_equal=None)
        if setting.name in (PRE, SPLITTING):
            texts = _with_choice(setting.first, first), _with_choice(setting.second, second)
            setting = ComparedSetting(setting.name, *texts, setting.is_equal)
        yield setting


def _with_choice(text: str, tokenizer: Tokenizer) -> str:
    chosen = tokenizer.vocabulary.chosen_pre
    return f"{text} (split here as {chosen}, chosen by hand)" if chosen else text


def _settings_of_files(first: Tokenizer, second: Tokenizer) -> Iterator[ComparedSetting]:
    """All rules that one of both has.

    Libraries call the same thing by other types: SentencePiece's pair merging is a BPE of `tokenizers`.
    """
    one, other = first.vocabulary, second.vocabulary
    has_one_form = _form(one) == _form(other)
    types = _setting("type", one.type, other.type)
    yield types if has_one_form else types._replace(is_equal=types.is_equal or None)
    for name, before in (("put before a text", True), ("put behind a text", False)):
        yield _setting(name, _affixes(first, before), _affixes(second, before))
    yield _setting("ends a generation", _ending(one), _ending(other))
    yield _setting("chat template", _templates(one), _templates(other))
    rules = dict(_rules(one)), dict(_rules(other))
    if not has_one_form:
        told = ["; ".join(f"{name}: {described(value)}" for name, value in each.items()) for each in rules]
        yield ComparedSetting(SPLITTING, told[0], told[1], None)
        return
    for name in dict.fromkeys([*rules[0], *rules[1]]):
        yield _setting(name, rules[0].get(name), rules[1].get(name))


def _setting(name: str, first: object, second: object) -> ComparedSetting:
    is_equal = described(first, repr) == described(second, repr)
    return ComparedSetting(name, described(first), described(second), is_equal)


def _seen(text: str | bytes) -> str:
    """For people: two texts may look the same."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return f"“{visible_text(data, len(data) + 1)}”" if data else NOTHING


def described(part: Any, write: Callable[[str | bytes], str] = _seen) -> str:
    """A part of a tokenizer in words; with `repr` to write texts, equal words mean equal parts."""
    match part:
        case None:
            return NOTHING
        case bool() | int() | float():
            return str(part)
        case str() | bytes():
            return write(part)
        case Enum():
            return str(part.value)
        case Wording():
            return ", ".join(part.texts) or NOTHING
        case np.ndarray():
            return f"{part.size:,} × {part.dtype} {_digest(part.tobytes())}" if part.size else NOTHING
        case Pattern():
            return f"{write(part.source)} ({part.view})"
        case dict():
            return ", ".join(f"{key}: {described(value, write)}" for key, value in part.items()) or NOTHING
        case tuple() if not hasattr(part, "_fields"):
            return ", ".join(described(each, write) for each in part) or NOTHING
    fields: dict[str, Any] = part._asdict() if hasattr(part, "_asdict") else vars(part)
    said = [f"{name}={described(value, write)}" for name, value in fields.items() if not name.startswith("_")]
    name = type(part).__name__
    return f"{name}({', '.join(said)})" if said else name


def _form(vocabulary: Vocabulary) -> str:
    """Which library's words the file uses for how text is changed and split."""
    if vocabulary.parts is not None:
        return "tokenizers"
    return "llama.cpp" if vocabulary.pieces is None else "sentencepiece"


def _rules(vocabulary: Vocabulary) -> Iterator[tuple[str, object]]:
    """How a text is changed and split, and what merges."""
    if (parts := vocabulary.parts) is not None:
        yield "normalizer", parts.normalizer
        yield PRE, parts.pre_tokenizer
        yield "decoder", parts.decoder
        yield from _named(parts.model._asdict())
    elif (pieces := vocabulary.pieces) is not None:
        yield from _named({name: value for name, value in vars(pieces).items() if name not in NO_RULES})
    else:
        yield PRE, Wording((quoted(vocabulary.pre),) if vocabulary.pre else ())
        yield PATTERNS, () if vocabulary.chosen_pre else vocabulary.patterns
        yield "character map", vocabulary.charsmap
        yield from _named(vars(vocabulary.rules))


def _named(values: dict[str, object]) -> Iterator[tuple[str, object]]:
    return ((name.replace("_", " "), value) for name, value in values.items())


def _affixes(tokenizer: Tokenizer, before: bool) -> Wording:
    try:
        ids = tokenizer.special_affixes()[0 if before else 1]
    except EncodeError as error:
        return Wording((str(error),))
    return _tokens(tokenizer.vocabulary, ids)


def _ending(vocabulary: Vocabulary) -> Wording:
    return _tokens(vocabulary, sorted(vocabulary.eog))


def _tokens(vocabulary: Vocabulary, ids: list[int]) -> Wording:
    """Files may name ids that are none of their tokens."""
    texts = [visible_text(vocabulary.token_bytes(each)) if each < len(vocabulary) else "?" for each in ids]
    return Wording(tuple(f"{token_id} {text}" for token_id, text in zip(ids, texts, strict=True)))


def _templates(vocabulary: Vocabulary) -> Wording:
    """They are long: their sizes and hashes."""
    templates = [
        str(value) for key, value in vocabulary.metadata.items() if key.rpartition(".")[2] == "chat_template"
    ]
    return Wording(
        tuple(f"{len(each):,} characters {_digest(each.encode('utf-8', 'replace'))}" for each in templates)
    )


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:12]
