"""Generates batches of texts on which tokenizers may differ; material, seed and number determine them."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.reasons import plain_texts
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.hugging_face.characters import Form
from guiapp.core.text.unicode_tables import CATEGORIES, UNASSIGNED, categories, ranges_of
from guiapp.core.vocabulary.byte_alphabet import unspell
from guiapp.core.vocabulary.merges import MARKED_SPACE, PairMerging
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.model_files import sliced

MOST_OF_A_KIND = 1_500  # texts of each kind of difference
LONGEST = 300  # bytes of a text
MOST_MOVED = 60
MOST_RIVALS = 60  # competing rules that are tried for each rule with a different rank
AROUND_TEXT = (
    (b"", b""), (b"", b"a"), (b"a", b""), (b" ", b""), (b"", b"e"), (b"", b"s"), (b"", b"n"), (b"", b" "),
    (b"x", b"q"), (b" ", b"t"), (b"i", b""), (b"1", b"1"), (b"(", b")"), (b"", b"A"), (b"\n", b"\n"),
)  # fmt: skip
AROUND_SPECIAL = (
    (b"", b""), (b"a ", b" b"), (b"a", b"b"), (b"a\n", b"\nb"), (b"  ", b"  "), (b"_", b"_"), (b"a\t", b""),
)  # fmt: skip
BATCH = 1_000  # texts
DIFFERENCES, EVERY_TOKEN = "differences of the vocabularies", "every token"
LETTERS = "aeiourstnlzABZéßñÄжЖαΩあア中文한กअ\u05d0\u0639ㄅʰ"
DIGITS = "0123456789²½٣०Ⅷ一"
SPACES = (*" \t\n\r\v\f\u00a0\u3000\u2028\x85", " ", "  ", "   ", "\n\n", "\r\n")
SIGNS = ".,;:!?'\"-_/\\()[]{}<>|@#$%^&*+=~`…—’“、。¿€°©"
MARKS = "\u0301\u0308\u0327\u093e\u0e34\u200d\ufe0f\u200b\ufeff\u00ad"
OTHERS = "😀👩🏽🇩\x00\x1b\ue000\ufffd𝒜𐍈"
APOSTROPHES = "'’'ʼ'＇"
ENDINGS = (
    *("s", "t", "re", "ve", "m", "ll", "d", "S", "T", "RE", "VE", "M", "LL", "D", "Re", "lL"),
    *("ſ", "n", "nt"),
)
WORDS = ("a", "I", "don", "it", "we", "They", "WE", "x1", "é", "")
FORMS: tuple[Form, ...] = ("NFC", "NFD", "NFKC", "NFKD")
COMPOSED = "éÅñüǆﬁ①²Ａ가각Ω㎏ắốİ½ｶﾞがक़"
NEIGHBOURS = ("a", "A", " ", "1", "", ".", "é", "中")
WANTED = tuple(category for category in CATEGORIES if category != "Cs")
REPRESENTATIVES = "aZsßé中あ한क1²\u0663 \t\n\r\u00a0\u3000.,'_/-(<$^’。\u05d0\u0301\u200d😀\0▁"
"""One character of each class that patterns distinguish; all texts of up to three of them are tried."""


@dataclass(frozen=True)
class Material:
    """The material that texts are generated from.

    differences  texts that exercise the differences between the two vocabularies
    tokens       the texts of all tokens of both
    special      the texts of special and added tokens of both
    lines        lines of the user's own texts
    takes_bytes  whether texts may be invalid UTF-8
    """

    differences: Sequence[bytes]
    tokens: Sequence[bytes]
    special: Sequence[bytes]
    lines: Sequence[bytes]
    takes_bytes: bool


TextTable = tuple[NDArray[np.uint8], NDArray[np.int64]]  # joined texts, and their offsets
Make = Callable[[Material, random.Random, int], list[bytes]]


class Generator(NamedTuple):
    """`make(material, rng, number)` returns the texts of a batch; none after the last batch."""

    name: str
    make: Make


def batch(material: Material, seed: int, number: int, chosen: Sequence[str] = ()) -> tuple[str, list[bytes]]:
    """The name of a generator and its texts; `chosen` are the names to use, empty for all.

    Differences of the vocabularies come first; then single tokens alternate with the others in turn.
    """
    chosen = chosen or ALL_NAMES
    n_first = -(-len(material.differences) // BATCH) if DIFFERENCES in chosen else 0
    if number < n_first:
        texts = list(material.differences[number * BATCH : (number + 1) * BATCH])
        return DIFFERENCES, _clean(texts, material)
    others = [generator for generator in GENERATORS if generator.name in chosen]
    has_both = EVERY_TOKEN in chosen and len(others) > 0
    turn, is_other = divmod(number - n_first, 2) if has_both else (number - n_first, len(others))
    if not is_other:
        texts = _every_token(material, turn) if EVERY_TOKEN in chosen else []
        return EVERY_TOKEN, _clean(texts, material)
    turn, index = divmod(turn, len(others))
    generator = others[index]
    rng = random.Random(f"{seed} {generator.name} {turn}")
    return generator.name, _clean(generator.make(material, rng, turn), material)


def _clean(texts: list[bytes], material: Material) -> list[bytes]:
    if not material.takes_bytes:
        texts = [text.decode("utf-8", "ignore").encode() for text in texts]
    return [text for text in texts if text]


def _every_token(material: Material, number: int) -> list[bytes]:
    """Each token alone, then each in the next context of AROUND_TEXT."""
    per_round = -(-len(material.tokens) // BATCH)
    turn, at = divmod(number, max(per_round, 1))
    some = material.tokens[at * BATCH : (at + 1) * BATCH]
    return list(in_contexts(some, AROUND_TEXT[turn : turn + 1]))


def _random_tokens(material: Material, rng: random.Random, number: int) -> list[bytes]:
    if not material.tokens:
        return []
    return [b"".join(rng.choices(material.tokens, k=rng.randint(2, 6))) for _ in range(BATCH)]


def _short(material: Material, rng: random.Random, number: int) -> list[bytes]:
    return [text.encode() for text in _all_short()[number * BATCH : (number + 1) * BATCH]]


@cache
def _all_short() -> list[str]:
    return ["".join(each) for size in (1, 2, 3) for each in product(REPRESENTATIVES, repeat=size)]


def _each(one: Callable[[random.Random], str]) -> Make:
    """Make batches of independent random texts."""
    return lambda material, rng, number: [one(rng).encode() for _ in range(BATCH)]


def _edge(rng: random.Random) -> str:
    """A character of any Unicode category next to or between letters, digits and spaces."""
    character = _any_character(rng) * rng.choice((1, 1, 1, 2))
    return rng.choice(NEIGHBOURS) + character + rng.choice(NEIGHBOURS) + rng.choice(("", "a", " a", "\n"))


def _any_character(rng: random.Random) -> str:
    """A random character: of a random category, in a random range of its characters.

    Characters new in Unicode 16 are left out: they would show a library's age, not a difference of models.
    """
    while True:
        category = rng.choice(WANTED)
        code = rng.randint(*rng.choice(ranges_of(category)))
        if category == "Cn" or categories()[code] != UNASSIGNED:
            return chr(code)


def _mixed(rng: random.Random, parts: Sequence[str], least: int, most: int) -> str:
    return "".join(rng.choices(parts, k=rng.randint(least, most)))


def _digits(rng: random.Random) -> str:
    first, second = _mixed(rng, "0123456789", 1, 7), _mixed(rng, DIGITS, 0, 4)
    return rng.choice(("", " ", "a", "-", "$")) + first + rng.choice(("", "", ".", ",", " ", "e")) + second


def _contraction(rng: random.Random) -> str:
    ending = rng.choice(ENDINGS) + rng.choice(("", "", " ", "a", ".", "'s", "1"))
    return rng.choice(("", " ")) + rng.choice(WORDS) + rng.choice(APOSTROPHES) + ending


def _spaces(rng: random.Random) -> str:
    return _mixed(rng, (*SPACES, *SPACES, "a", "b.", "1", "-", "A", "é", "}"), 2, 8)


def _signs(rng: random.Random) -> str:
    return _mixed(rng, (*SIGNS, *SIGNS, *LETTERS, *DIGITS, *SPACES, *MARKS, *OTHERS), 2, 8)


def _composed(rng: random.Random) -> str:
    """Characters that normal forms compose or decompose, in a random normal form."""
    text = _mixed(rng, (*COMPOSED, *"aeuo", *MARKS[:3], " "), 1, 4)
    return unicodedata.normalize(rng.choice(FORMS), text)


def _special(material: Material, rng: random.Random, number: int) -> list[bytes]:
    """Special tokens in contexts, in parts, in other letter cases."""
    if not material.special:
        return []
    if number == 0:
        return list(in_contexts(material.special[:BATCH], AROUND_SPECIAL))
    texts = []
    for _ in range(BATCH):
        token, other = rng.choices(material.special, k=2)
        at = rng.randint(0, len(token))
        cases = token[:at], token[at:], token.upper(), token.lower()
        parts = (token, other, *cases, b" ", b"  ", b"\n", b"a", b".")
        texts.append(b"".join(rng.choices(parts, k=rng.randint(2, 5))))
    return texts


def _own(material: Material, rng: random.Random, number: int) -> list[bytes]:
    """The user's own lines with a few random changes."""
    if not material.lines:
        return []
    texts, pieces = [], (*SIGNS, *SPACES, *LETTERS, *DIGITS, *MARKS, "")
    for line in rng.choices(material.lines, k=BATCH):
        characters = list(line.decode("utf-8", "replace")[:200])
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(characters) + 1)
            characters[at : at + rng.choice((0, 1, 1, 3))] = rng.choice(pieces)
        texts.append("".join(characters).encode("utf-8", "replace"))
    return texts


def _bytes(material: Material, rng: random.Random, number: int) -> list[bytes]:
    """Invalid UTF-8: a truncated character among others."""
    if not material.takes_bytes:
        return []
    texts = []
    for _ in range(BATCH):
        parts = [rng.choice(LETTERS + OTHERS + " ").encode() for _ in range(rng.randint(2, 5))]
        at = rng.randrange(len(parts))
        parts[at] = parts[at][: rng.randint(1, 3)]
        texts.append(b"".join(parts))
    return texts


GENERATORS = (
    Generator("short texts", _short),
    Generator("special tokens", _special),
    Generator("digits", _each(_digits)),
    Generator("contractions", _each(_contraction)),
    Generator("spaces and line ends", _each(_spaces)),
    Generator("edges of words", _each(_edge)),
    Generator("composed characters", _each(_composed)),
    Generator("random tokens", _random_tokens),
    Generator("signs", _each(_signs)),
    Generator("your own texts, changed", _own),
    Generator("broken characters", _bytes),
)
ALL_NAMES = (DIFFERENCES, EVERY_TOKEN, *(generator.name for generator in GENERATORS))


# Texts that exercise the differences of two vocabularies: tokens, rules, scores, special tokens


def texts_of_differences(ours: Tokenizer, theirs: Tokenizer) -> list[bytes]:
    """Texts that may be encoded differently, in no particular order; deterministic for the same two."""
    mine, other = ours.vocabulary, theirs.vocabulary
    merges: Iterator[bytes] = iter(())
    if ours.merging is not None and theirs.merging is not None:
        merges = _texts_of_merges(ours.merging, theirs.merging)
    return short(chain(_texts_of_tokens(mine, other), merges))


def short(texts: Iterable[bytes]) -> list[bytes]:
    """The distinct texts, without empty ones and those longer than LONGEST."""
    return list(dict.fromkeys(text for text in texts if 0 < len(text) <= LONGEST))


def are_same(mine: TextTable, other: TextTable) -> bool:
    """Whether two tables of texts, of tokens or of symbols, are equal."""
    return np.array_equal(mine[0], other[0]) and np.array_equal(mine[1], other[1])


def special_texts(tokenizer: Tokenizer) -> list[bytes]:
    """The texts of all tokens that are cut out of texts."""
    vocabulary, parts = tokenizer.vocabulary, tokenizer.vocabulary.parts
    ids = tokenizer.special_tokens.searched_for(True).tolist()
    later = [token.content.encode() for token in parts.added_tokens] if parts is not None else []
    return short([*map(vocabulary.raw_text, ids), *later])


def in_contexts(texts: Iterable[bytes], contexts: Sequence[tuple[bytes, bytes]]) -> Iterator[bytes]:
    return (before + text + after for text in texts for before, after in contexts)


def _some(items: list[bytes]) -> list[bytes]:
    """All items, or an even sample of at most MOST_OF_A_KIND."""
    step = -(-len(items) // MOST_OF_A_KIND)
    return items[::step] if step > 1 else items


def _texts_of_tokens(mine: Vocabulary, other: Vocabulary) -> Iterator[bytes]:
    texts = [plain_texts(mine), plain_texts(other)]
    n_common = min(map(len, (mine, other)))
    pairs = zip(*texts, strict=False)
    differing = [text for pair in pairs if pair[0] != pair[1] for text in pair]
    differing += texts[0][n_common:] + texts[1][n_common:]
    yield from in_contexts(_some(differing), AROUND_TEXT)
    is_other = (mine.attributes[:n_common] != other.attributes[:n_common]).nonzero()[0].tolist()
    kinds = [i for i in is_other if mine.kind(i) != other.kind(i)] or is_other
    yield from in_contexts(_some([mine.raw_text(i) for i in kinds]), AROUND_SPECIAL)
    yield from in_contexts(_some([texts[0][i] for i in kinds]), AROUND_TEXT)
    scores = np.flatnonzero(mine.scores[:n_common] != other.scores[:n_common]).tolist()
    yield from in_contexts(_some([texts[0][i] for i in scores]), AROUND_TEXT)
    yield from (text + text for text in _some([texts[0][i] for i in scores]))


def _texts_of_merges(ours: PairMerging, theirs: PairMerging) -> Iterator[bytes]:
    """Texts of merge rules that only one side has, and of rules that have a different rank in the other."""
    table, their_table = ours.rules.table, theirs.rules.table
    has_same_texts = are_same(ours.symbol_texts, theirs.symbol_texts)
    if has_same_texts and np.array_equal(ours.rules.by_rank, theirs.rules.by_rank):
        return
    mine, other = sliced(*ours.symbol_texts), sliced(*theirs.symbol_texts)
    if not has_same_texts:
        their_table = _renumbered(their_table, mine, other)
    keys, their_keys = _keys(table), _keys(their_table)
    sides = (
        (ours, mine, table, ~np.isin(keys, their_keys)),
        (theirs, other, theirs.rules.table, ~np.isin(their_keys, keys)),
    )
    for merging, texts, rules, is_only_here in sides:
        pairs = [_stands_for(merging, texts[a] + texts[b]) for a, b in rules[is_only_here, :2].tolist()]
        yield from in_contexts(_some(pairs), AROUND_TEXT)
    for text in _texts_of_moved(table, their_table, keys, their_keys, mine):
        yield from in_contexts([_stands_for(ours, text)], AROUND_TEXT)


def _stands_for(merging: PairMerging, spelling: bytes) -> bytes:
    """The text that one or more symbols stand for, from the spelling of tokens."""
    if not merging.starts_from_bytes:
        return spelling.replace(MARKED_SPACE, b" ")
    try:
        return unspell(spelling.decode())
    except (UnicodeDecodeError, KeyError, ValueError):  # a stray token that does not spell bytes
        return spelling


def _keys(table: NDArray[np.int32]) -> NDArray[np.int64]:
    return (table[:, 0].astype(np.int64) << 32) + table[:, 1]


def _renumbered(table: NDArray[np.int32], mine: list[bytes], other: list[bytes]) -> NDArray[np.int32]:
    """The other's rules with our symbol numbers; symbols that we do not have get numbers after ours."""
    ids = {text: symbol for symbol, text in reversed(list(enumerate(mine)))}
    same = [text == also for text, also in zip(mine, other, strict=False)]
    same += [False] * (len(other) - len(same))
    found = [i if same[i] else ids.get(text, len(mine) + i) for i, text in enumerate(other)]
    symbols = np.array(found, np.int32)
    result = table.copy()
    result[:, 0], result[:, 1] = symbols[table[:, 0]], symbols[table[:, 1]]
    return result


def _texts_of_moved(
    table: NDArray[np.int32],
    theirs: NDArray[np.int32],
    keys: NDArray[np.int64],
    their_keys: NDArray[np.int64],
    texts: list[bytes],
) -> Iterator[bytes]:
    """Texts of rules whose rank differs, each next to a rule that it now wins or loses against."""
    _, mine_at, their_at = np.intersect1d(keys, their_keys, return_indices=True)
    rules = table[mine_at]
    positions, their_positions = _positions(rules[:, 2]), _positions(theirs[their_at, 2])
    distance = np.abs(positions - their_positions)
    moved = np.argsort(-distance, kind="stable")[:MOST_MOVED]
    for row in moved[distance[moved] > 0].tolist():
        left, right = rules[row, :2].tolist()
        low, high = sorted((positions[row], their_positions[row]))
        between = (positions >= low) & (positions <= high)
        pair = texts[left] + texts[right]
        yield pair
        for symbol in rules[between & (rules[:, 0] == right), 1][:MOST_RIVALS].tolist():
            yield pair + texts[symbol]
        for symbol in rules[between & (rules[:, 1] == left), 0][:MOST_RIVALS].tolist():
            yield texts[symbol] + pair


def _positions(ranks: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.argsort(np.argsort(ranks, kind="stable"), kind="stable")
