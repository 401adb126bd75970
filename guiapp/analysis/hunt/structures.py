"""Texts that exercise what two vocabularies do not have in common: tokens, rules, scores, special tokens.

Among hundreds of thousands of rules the one that is missing would take chance too long to find.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.seen_stages import plain_texts
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.byte_alphabet import unspell
from guiapp.core.vocabulary.merges import MARKED_SPACE, PairMerging
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.model_files import sliced

MOST_OF_A_KIND = 1_500  # of each kind of difference
LONGEST = 300  # bytes of a text
MOST_MOVED = 60
MOST_RIVALS = 60  # rules that a rule which moved may now win or lose against
AROUND_TEXT = (
    (b"", b""), (b"", b"a"), (b"a", b""), (b" ", b""), (b"", b"e"), (b"", b"s"), (b"", b"n"), (b"", b" "),
    (b"x", b"q"), (b" ", b"t"), (b"i", b""), (b"1", b"1"), (b"(", b")"), (b"", b"A"), (b"\n", b"\n"),
)  # fmt: skip
AROUND_SPECIAL = (
    (b"", b""), (b"a ", b" b"), (b"a", b"b"), (b"a\n", b"\nb"), (b"  ", b"  "), (b"_", b"_"), (b"a\t", b""),
)  # fmt: skip


def texts_of_differences(ours: Tokenizer, theirs: Tokenizer) -> list[bytes]:
    """Texts that may be encoded otherwise, without order or warranty; the same for the same two."""
    mine, other = ours.vocabulary, theirs.vocabulary
    merges: Iterator[bytes] = iter(())
    if ours.merging is not None and theirs.merging is not None:
        merges = _texts_of_merges(ours.merging, theirs.merging)
    return short(chain(_texts_of_tokens(mine, other), merges))


def short(texts: Iterable[bytes]) -> list[bytes]:
    """Each once, without empty ones and such as only files made for that have."""
    return list(dict.fromkeys(text for text in texts if 0 < len(text) <= LONGEST))


def special_texts(tokenizer: Tokenizer) -> list[bytes]:
    """Of all tokens that are cut out of texts."""
    vocabulary, parts = tokenizer.vocabulary, tokenizer.vocabulary.parts
    ids = tokenizer.special_tokens.searched_for(True).tolist()
    later = [token.content.encode() for token in parts.added_tokens] if parts is not None else []
    return short([*map(vocabulary.raw_text, ids), *later])


def in_contexts(texts: Iterable[bytes], contexts: Sequence[tuple[bytes, bytes]]) -> Iterator[bytes]:
    return (before + text + behind for text in texts for before, behind in contexts)


def _some(items: list[bytes]) -> list[bytes]:
    """All, or as many as fit from all parts of a list."""
    step = -(-len(items) // MOST_OF_A_KIND)
    return items[::step] if step > 1 else items


def _texts_of_tokens(mine: Vocabulary, other: Vocabulary) -> Iterator[bytes]:
    texts = [plain_texts(mine), plain_texts(other)]
    n_common = min(map(len, (mine, other)))
    differing = [
        text for i in range(n_common) if texts[0][i] != texts[1][i] for text in (texts[0][i], texts[1][i])
    ]
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
    """Of rules that only one has, and of such that come earlier or later in the other."""
    mine, other = sliced(*ours.symbol_texts), sliced(*theirs.symbol_texts)
    table, their_table = ours.rules.table, theirs.rules.table
    if mine != other:
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
    """The text of a symbol, or of several, that is spelled as tokens are."""
    if not merging.starts_from_bytes:
        return spelling.replace(MARKED_SPACE, b" ")
    try:
        return unspell(spelling.decode())
    except (UnicodeDecodeError, KeyError, ValueError):  # a stray token that is no bytes
        return spelling


def _keys(table: NDArray[np.int32]) -> NDArray[np.int64]:
    return (table[:, 0].astype(np.int64) << 32) + table[:, 1]


def _renumbered(table: NDArray[np.int32], mine: list[bytes], other: list[bytes]) -> NDArray[np.int32]:
    """Rules of the other with our symbols; what we do not have gets a number behind all."""
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
    """Of rules that are not at their place, each beside one that it now wins or loses against."""
    _, mine_at, their_at = np.intersect1d(keys, their_keys, return_indices=True)
    rules = table[mine_at]
    places, their_places = _places(rules[:, 2]), _places(theirs[their_at, 2])
    distance = np.abs(places - their_places)
    moved = np.argsort(-distance, kind="stable")[:MOST_MOVED]
    for row in moved[distance[moved] > 0].tolist():
        left, right = rules[row, :2].tolist()
        low, high = sorted((places[row], their_places[row]))
        between = (places >= low) & (places <= high)
        pair = texts[left] + texts[right]
        yield pair
        for symbol in rules[between & (rules[:, 0] == right), 1][:MOST_RIVALS].tolist():
            yield pair + texts[symbol]
        for symbol in rules[between & (rules[:, 1] == left), 0][:MOST_RIVALS].tolist():
            yield texts[symbol] + pair


def _places(ranks: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.argsort(np.argsort(ranks, kind="stable"), kind="stable")
