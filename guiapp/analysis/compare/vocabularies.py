"""Compare two vocabularies: tokens, merge rules, special tokens and rules.

Tokens are the same if they stand for the same bytes, however the files spell them.  If several have the same
bytes, normal tokens are matched first, then lower ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from enum import Enum
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.draft import DraftVerdict, draft_verdicts
from guiapp.analysis.compare.id_changes import longest_increasing
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.analysis.vocabulary_list.columns import TokenFigures
from guiapp.analysis.vocabulary_list.filters import LONGEST_COUNTED, Histogram, histograms
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import with_file_pre
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import KINDS, Attribute
from guiapp.core.vocabulary.vocabulary import SCORED, SpecialIds, Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.model_files import StringTable, packed

NOTHING = "none"
PRE, PATTERNS, SPLITTING = "pre-tokenizer", "patterns", "normalising and splitting"
BEFORE, AFTER, ENDS = "added before a text", "added after a text", "ends a generation"
NO_RULES = ("equal_to", "special_rule")  # fields about a SentencePiece model that are not rules of its file
Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]
SEARCHES = (
    "includes white space before it",
    "includes white space after it",
    "only as a whole word",
    "in normalised text",
    "before the text is split",
)
"""How an added token is matched in a text, by the bits of `searches`; the last three only in `tokenizers`."""


class Merges(NamedTuple):
    """The merge rules that two files list, by their index in each; the same rule joins the same bytes.

    both    int32[k, 2]  in the order of the first file
    moved   bool[k]      which of `both` are in another order: as few as possible
    only    the rules of each file that the other one lacks
    """

    both: Ids
    moved: Flags
    only: tuple[Ids, Ids]


class RoleTokens(NamedTuple):
    """The token with a role in each vocabulary, None if there is none."""

    name: str
    first: int | None
    second: int | None
    differs: bool


@dataclass(frozen=True, eq=False)
class VocabularyComparison:
    """Two vocabularies compared.

    both            int32[k, 2]  tokens that both have, ordered by the ids of the first
    only            the ids of each vocabulary that the other one lacks
    other_id, other_kind, other_search, other_score   bool[k], of `both`: what differs.  `other_search` is how
                    an added token is matched: with white space around it, as a word, in normalised text.
                    Scores are compared if both types encode by scores
    searches        uint8[n] of each vocabulary: bits of SEARCHES
    merges          None if one of the files lists no merge rules
    """

    first: Tokenizer
    second: Tokenizer
    both: Ids
    only: tuple[Ids, Ids]
    other_id: Flags
    other_kind: Flags
    other_search: Flags
    other_score: Flags
    searches: tuple[NDArray[np.uint8], NDArray[np.uint8]]
    merges: Merges | None
    roles: tuple[RoleTokens, ...]
    settings: tuple[ComparedSetting, ...]

    @property
    def tokenizers(self) -> tuple[Tokenizer, Tokenizer]:
        return self.first, self.second

    @property
    def other_settings(self) -> list[ComparedSetting]:
        """The settings that differ."""
        return [setting for setting in self.settings if setting.is_equal is False]

    @property
    def incomparable_settings(self) -> list[ComparedSetting]:
        """The settings that the two files specify in forms that cannot be compared."""
        return [setting for setting in self.settings if setting.is_equal is None]

    @property
    def counts(self) -> dict[str, int]:
        """The number of differences of each kind."""
        merges = self.merges
        return {
            "tokens only in the first": len(self.only[0]),
            "tokens only in the second": len(self.only[1]),
            "tokens with another id": int(self.other_id.sum()),
            "tokens of another kind": int(self.other_kind.sum()),
            "tokens searched for otherwise": int(self.other_search.sum()),
            "tokens with another score": int(self.other_score.sum()),
            "merges only in the first": 0 if merges is None else len(merges.only[0]),
            "merges only in the second": 0 if merges is None else len(merges.only[1]),
            "merges in another order": 0 if merges is None else int(merges.moved.sum()),
            "roles of special tokens": sum(role.differs for role in self.roles),
            "rules": len(self.other_settings),
        }

    @property
    def is_identical(self) -> bool:
        """Whether nothing differs, and all settings could be compared."""
        return not any(self.counts.values()) and not self.incomparable_settings

    @cached_property
    def differing_samples(self) -> list[str]:
        """The names of the SAMPLES that get different ids, or that only one tokenizer can encode."""
        texts = [(each.name, sample_text(each.name)) for each in SAMPLES]
        return [
            name for name, text in texts if len({_ids_or_none(each, text) for each in self.tokenizers}) > 1
        ]

    @cached_property
    def drafting(self) -> tuple[DraftVerdict, ...]:
        """Whether the second may draft for the first in speculative decoding."""
        return draft_verdicts(self.first, self.second)

    @cached_property
    def figures(self) -> tuple[TokenFigures, TokenFigures]:
        """The figures of the tokens of each vocabulary."""
        return TokenFigures(self.first), TokenFigures(self.second)

    @cached_property
    def histograms(self) -> tuple[Histogram, Histogram]:
        """The bars of `by_script` and `by_length`, with the filter of each bar."""
        by_script, by_length, *_ = histograms(self.figures[0])
        return by_script, by_length

    @cached_property
    def by_script(self) -> Counts:
        """int64[3, len(SCRIPT_NAMES)]: tokens in both, only in the first, only in the second, by script."""
        return self._counted(*self.scripts, len(SCRIPT_NAMES))

    @cached_property
    def by_length(self) -> Counts:
        """int64[3, 33]: the same by length in bytes; the last column counts 32 or more."""
        return self._counted(*self.lengths, LONGEST_COUNTED + 1)

    @cached_property
    def scripts(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """For each token of both vocabularies, an index into SCRIPT_NAMES."""
        first, second = self.figures
        return first.scripts, second.scripts

    @cached_property
    def lengths(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The length in bytes of each token of both vocabularies, at most LONGEST_COUNTED."""
        first, second = (np.minimum(each.lengths, LONGEST_COUNTED) for each in self.figures)
        return first, second

    @cached_property
    def listed_rules(self) -> tuple[Ids, Ids]:
        """int32[n, 4] of each: left and right symbol, rank and result of the rules in its file, by rank.

        Only valid if `merges` is not None.
        """
        return _listed_rules(self.first), _listed_rules(self.second)

    def rules(self, side: int, rows: Ids) -> list[tuple[bytes, bytes]]:
        """The two sides of some rules of the first (0) or second (1) vocabulary, as its file spells them."""
        tokenizer = self.tokenizers[side]
        assert tokenizer.merging is not None
        text = tokenizer.merging.symbol_text
        sides = self.listed_rules[side][rows, :2].tolist()
        return [(text(left), text(right)) for left, right in sides]

    def _counted(self, first: NDArray[np.integer], second: NDArray[np.integer], n_values: int) -> Counts:
        values = first[self.both[:, 0]], first[self.only[0]], second[self.only[1]]
        return np.stack([np.bincount(each, minlength=n_values) for each in values])


def _ids_or_none(tokenizer: Tokenizer, text: bytes) -> bytes | None:
    """The ids of a text as bytes; None if the tokenizer refuses it."""
    try:
        return tokenizer.encode(text).token_ids.tobytes()
    except EncodeError:
        return None


def compare_vocabularies(first: Tokenizer, second: Tokenizer) -> VocabularyComparison:
    """Compare two files; takes 0.4 s for 262,144 and 128,256 tokens."""
    vocabularies = with_file_pre(first).vocabulary, with_file_pre(second).vocabulary
    groups = _groups((first, second))
    kinds = vocabularies[0].kinds, vocabularies[1].kinds
    keys = [_keys(each[: len(kind)], kind) for each, kind in zip(groups, kinds, strict=True)]
    both = _pairs(keys[0], keys[1])
    left, right = both.T
    are_added_alike = all(each.parts is not None for each in vocabularies)
    first_searches, second_searches = (_searches(each, has_all=are_added_alike) for each in vocabularies)
    return VocabularyComparison(
        first=first,
        second=second,
        both=both,
        only=(_others(left, len(keys[0])), _others(right, len(keys[1]))),
        other_id=left != right,
        other_kind=kinds[0][left] != kinds[1][right],
        other_search=first_searches[left] != second_searches[right],
        other_score=_other_scores(*vocabularies, both),
        searches=(first_searches, second_searches),
        merges=_compare_merges(first, second, groups),
        roles=tuple(_roles(*vocabularies, groups)),
        settings=tuple(settings_of(first, second)),
    )


def _groups(tokenizers: tuple[Tokenizer, Tokenizer]) -> tuple[Ids, Ids]:
    """int32[n] for each vocabulary: a number for the bytes of each symbol, tokens first."""
    tables = [_symbol_bytes(each) for each in tokenizers]
    data = np.concatenate([data for data, _ in tables])
    ends = np.concatenate([tables[0][1][1:], tables[1][1][1:] + len(tables[0][0])])
    rows = StringTable(data, np.append(0, ends)).find_each(data, ends)
    n_first = len(tables[0][1]) - 1
    return rows[:n_first], rows[n_first:]


def _symbol_bytes(tokenizer: Tokenizer) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The bytes of tokens; then the spellings of other symbols of merge rules, after a byte of no text."""
    data, offsets = tokenizer.vocabulary.token_bytes_table
    if not lists_merges(tokenizer):
        return data, offsets
    assert tokenizer.merging is not None
    texts, bounds = tokenizer.merging.symbol_texts
    stretches = pairwise(bounds[len(offsets) - 1 :].tolist())
    more, more_offsets = packed([b"\xff" + texts[start:end].tobytes() for start, end in stretches])
    return np.concatenate([data, more]), np.concatenate([offsets, offsets[-1] + more_offsets[1:]])


def _keys(groups: Ids, kinds: NDArray[np.uint8]) -> NDArray[np.int64]:
    """A number for each token, equal to its match's: from its bytes, and its index among equal ones."""
    from_normal = np.uint8(len(KINDS) - 1) - kinds  # 0 of the last kind; 255 of "undefined"
    order = np.lexsort((from_normal, groups))
    begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
    number = np.arange(len(groups)) - np.repeat(begins, np.diff(begins, append=len(groups)))
    keys = np.empty(len(groups), np.int64)
    keys[order] = groups[order].astype(np.int64) << 32 | number
    return keys


def _pairs(first: NDArray[np.int64], second: NDArray[np.int64]) -> Ids:
    """int32[k, 2]: the indexes of numbers in both, in the order of the first; numbers are unique in each."""
    _, rows, others = np.intersect1d(first, second, assume_unique=True, return_indices=True)
    order = np.argsort(rows)
    return np.stack([rows[order], others[order]], axis=1).astype(np.int32)


def _others(rows: Ids, count: int) -> Ids:
    """The numbers below `count` that are not in `rows`."""
    is_other = np.ones(count, np.bool_)
    is_other[rows] = False
    return np.flatnonzero(is_other).astype(np.int32)


def _searches(vocabulary: Vocabulary, has_all: bool) -> NDArray[np.uint8]:
    """How each token is matched in a text, as bits; with `has_all` also the bits of `tokenizers` only."""
    if vocabulary.parts is None:
        strips = vocabulary.attributes & (Attribute.LSTRIP | Attribute.RSTRIP)
        return (strips // Attribute.LSTRIP).astype(np.uint8)
    searches = np.zeros(len(vocabulary), np.uint8)
    for token in vocabulary.parts.added_tokens:
        searches[token.token_id] = token.lstrip | token.rstrip << 1
        if has_all:
            searches[token.token_id] |= token.single_word << 2 | token.normalized << 3 | 1 << 4
    return searches


def _other_scores(first: Vocabulary, second: Vocabulary, both: Ids) -> Flags:
    if first.type not in SCORED or second.type not in SCORED:
        return np.zeros(len(both), np.bool_)
    scores, others = first.scores[both[:, 0]], second.scores[both[:, 1]]
    differs: Flags = (scores != others) & ~(np.isnan(scores) & np.isnan(others))
    return differs


def _compare_merges(first: Tokenizer, second: Tokenizer, groups: tuple[Ids, Ids]) -> Merges | None:
    if not (lists_merges(first) and lists_merges(second)):
        return None
    tables = _listed_rules(first), _listed_rules(second)
    keys = _rule_keys(tables[0], groups[0]), _rule_keys(tables[1], groups[1])
    both = _pairs(*keys)
    ranks = tables[1][both[:, 1], 2]
    moved = np.ones(len(both), np.bool_)
    moved[longest_increasing(ranks)] = False
    return Merges(both, moved, (_others(both[:, 0], len(keys[0])), _others(both[:, 1], len(keys[1]))))


def lists_merges(tokenizer: Tokenizer) -> bool:
    vocabulary = tokenizer.vocabulary
    has_rules = len(vocabulary.merge_offsets) > 1 and not vocabulary.rules.merges_all_pairs
    return has_rules and tokenizer.merging is not None


def _listed_rules(tokenizer: Tokenizer) -> NDArray[np.int32]:
    """int32[n, 4]: left and right symbol, rank and result of each rule in the file, by rank."""
    assert tokenizer.merging is not None
    return tokenizer.merging.rules.by_rank


def _rule_keys(table: NDArray[np.int32], groups: Ids) -> NDArray[np.int64]:
    sides = groups.astype(np.int64)[table[:, :2]]
    return sides[:, 0] << 32 | sides[:, 1]


def _roles(first: Vocabulary, second: Vocabulary, groups: tuple[Ids, Ids]) -> list[RoleTokens]:
    """The roles that at least one vocabulary has."""
    roles = []
    for role in fields(SpecialIds):
        ids = [getattr(each.special_ids, role.name) for each in (first, second)]
        if ids != [None, None]:
            known = [
                None if token_id is None or token_id >= len(group) else int(group[token_id])
                for token_id, group in zip(ids, groups, strict=True)
            ]
            roles.append(RoleTokens(role.name, ids[0], ids[1], ids[0] != ids[1] or known[0] != known[1]))
    return roles


# The settings of two tokenizers: each rule in words, and whether both are equal


class Wording(NamedTuple):
    """A value that is in words already."""

    texts: tuple[str, ...]


class ComparedSetting(NamedTuple):
    """A rule in both tokenizers; `is_equal` is None if the forms cannot be compared."""

    name: str
    first: str
    second: str
    is_equal: bool | None


def settings_of(first: Tokenizer, second: Tokenizer) -> Iterator[ComparedSetting]:
    """All rules of both, from the files; a pre-tokenizer that the user chose is only mentioned."""
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
    return f"{text} (you chose {chosen})" if chosen else text


def choices(comparison: VocabularyComparison, names: tuple[str, str]) -> Iterator[str]:
    """A sentence for each pre-tokenizer that the user chose: the file's own is compared instead."""
    for name, tokenizer in zip(names, comparison.tokenizers, strict=True):
        if chosen := tokenizer.vocabulary.chosen_pre:
            yield f"You chose the pre-tokenizer {chosen} for {name}; this compares the file's own."


def _settings_of_files(first: Tokenizer, second: Tokenizer) -> Iterator[ComparedSetting]:
    """All rules of both.

    Libraries use different types for the same thing: SentencePiece's pair merging is BPE in `tokenizers`.
    """
    one, other = first.vocabulary, second.vocabulary
    has_one_form = _form(one) == _form(other)
    types = _setting("type", one.type, other.type)
    yield types if has_one_form else types._replace(is_equal=types.is_equal or None)
    for name, before in ((BEFORE, True), (AFTER, False)):
        yield _setting(name, _affixes(first, before), _affixes(second, before))
    yield _setting(ENDS, _ending(one), _ending(other))
    yield _setting("chat template", _templates(one), _templates(other))
    rules = dict(_rules(one)), dict(_rules(other))
    if not has_one_form:
        descriptions = [
            "; ".join(f"{name}: {described(value)}" for name, value in each.items()) for each in rules
        ]
        yield ComparedSetting(SPLITTING, descriptions[0], descriptions[1], None)
        return
    for name in dict.fromkeys([*rules[0], *rules[1]]):
        yield _setting(name, rules[0].get(name), rules[1].get(name))


def _setting(name: str, first: object, second: object) -> ComparedSetting:
    is_equal = described(first, repr) == described(second, repr)
    return ComparedSetting(name, described(first), described(second), is_equal)


def _seen(text: str | bytes) -> str:
    """A text to show: different texts may look the same."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return f"“{visible_text(data, len(data) + 1)}”" if data else NOTHING


def described(part: Any, write: Callable[[str | bytes], str] = _seen) -> str:
    """A part of a tokenizer in words; if `write` is `repr`, equal words mean equal parts."""
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
    parts = [
        f"{name}={described(value, write)}" for name, value in fields.items() if not name.startswith("_")
    ]
    name = type(part).__name__
    return f"{name}({', '.join(parts)})" if parts else name


def _form(vocabulary: Vocabulary) -> str:
    """The library in whose terms the file specifies normalizing and splitting."""
    if vocabulary.parts is not None:
        return "tokenizers"
    return "llama.cpp" if vocabulary.pieces is None else "sentencepiece"


def _rules(vocabulary: Vocabulary) -> Iterator[tuple[str, object]]:
    """The rules of normalizing, splitting and merging."""
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
    """Tokens in words; files may name ids beyond their tokens."""
    texts = [visible_text(vocabulary.token_bytes(each)) if each < len(vocabulary) else "?" for each in ids]
    return Wording(tuple(f"{text} (id {token_id})" for token_id, text in zip(ids, texts, strict=True)))


def _templates(vocabulary: Vocabulary) -> Wording:
    """The sizes and hashes of chat templates, which are long."""
    parts = list[str]()
    for key, value in vocabulary.metadata.items():
        if key.rpartition(".")[2] == "chat_template":
            text = str(value)
            parts.append(f"{len(text):,} characters {_digest(text.encode('utf-8', 'replace'))}")
    return Wording(tuple(parts))


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()[:12]
