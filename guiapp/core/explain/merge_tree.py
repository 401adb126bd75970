"""How pair merging builds one token from its characters or bytes.

A file may hold several merge rules that end in the same token; which of them is used is decided by running
the merges over the token's own text, the best pair first, as the encoder does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from guiapp.core.vocab.vocabulary import Attribute, VocabType, Vocabulary

MOST_SYMBOLS = 256
SPACE = "▁".encode()

Worth = Callable[[bytes, bytes], float | None]

BEST_SCORE = "does not merge: of all ways to cut the text it takes the one with the best score."
LONGEST_MATCH = "does not merge: it takes the longest token that matches."
NOT_MERGED = {
    VocabType.WPM: f"WordPiece {LONGEST_MATCH}",
    VocabType.UGM: f"Unigram {BEST_SCORE}",
    VocabType.RWKV: f"RWKV {LONGEST_MATCH}",
    VocabType.PLAMO2: f"PLaMo 2 {BEST_SCORE}",
    VocabType.TEST: "Test vocabularies do not merge: ids are hashes.",
}


@dataclass(frozen=True)
class MergeNode:
    """A stretch of a token: a symbol to begin with, or the merge of two of them.

    raw    its text as the file spells it
    shown  the bytes it stands for
    worth  rank (BPE) or score (SPM) of the merge that made it
    parts  what was merged, empty for a symbol
    """

    raw: bytes
    shown: bytes
    worth: float | None = None
    parts: tuple[MergeNode, ...] = ()


@dataclass(frozen=True)
class MergeTree:
    """What merging makes of one token's text: one root if it leads to the token.

    roots   what is left when no pair can be merged, in text order; empty where there is nothing to merge
    remark  a sentence for the user where the tree alone does not tell the story
    """

    roots: tuple[MergeNode, ...]
    remark: str = ""

    @property
    def is_reached(self) -> bool:
        return len(self.roots) == 1


def merge_tree(vocabulary: Vocabulary, token_id: int, worth: Worth) -> MergeTree:
    """The merges that build a token; `worth(left, right)` of two raw texts, or None where they do not merge.

    For BPE the lowest worth (a rank) goes first, for SPM the highest (a score); of equals the leftmost.
    """
    if remark := _why_not_merged(vocabulary, token_id):
        return MergeTree((), remark)
    symbols = _symbols(vocabulary, token_id)
    if len(symbols) > MOST_SYMBOLS:
        return MergeTree((), f"Its {len(symbols):,} characters are too many to draw.")
    if len(symbols) == 1:
        return MergeTree(tuple(symbols), "There from the start: nothing to merge.")
    roots = _merged(symbols, worth, lowest_first=vocabulary.type is VocabType.BPE)
    return MergeTree(tuple(roots), _remark(len(roots), vocabulary.rules.ignore_merges))


def _why_not_merged(vocabulary: Vocabulary, token_id: int) -> str:
    attributes = int(vocabulary.attributes[token_id])
    if attributes & (Attribute.CONTROL | Attribute.USER_DEFINED | Attribute.UNKNOWN):
        return "A special token: found in the text as a whole, before anything is merged."
    if attributes & Attribute.BYTE:
        return "A single byte, for text that no other token covers: nothing to merge."
    return NOT_MERGED.get(vocabulary.type, "")


def _remark(n_roots: int, ignore_merges: bool) -> str:
    if n_roots == 1:
        return ""
    if ignore_merges:
        return (
            f"Merging alone ends in {n_roots} tokens; a word that is a token is taken whole (ignore_merges)."
        )
    return f"Merging ends in {n_roots} tokens: text does not lead to this token."


def _symbols(vocabulary: Vocabulary, token_id: int) -> list[MergeNode]:
    """What merging starts from: the characters of the raw text, which BPE made from single bytes."""
    raw = _characters(vocabulary.raw_text(token_id))
    stands_for = vocabulary.token_bytes(token_id)
    if vocabulary.rules.byte_encoding and len(stands_for) == len(raw):
        return [MergeNode(symbol, stands_for[at : at + 1]) for at, symbol in enumerate(raw)]
    return [MergeNode(symbol, symbol.replace(SPACE, b" ")) for symbol in raw]


def _characters(text: bytes) -> list[bytes]:
    decoded = text.decode("utf-8", "surrogateescape")
    return [character.encode("utf-8", "surrogateescape") for character in decoded]


def _merged(nodes: list[MergeNode], worth: Worth, lowest_first: bool) -> list[MergeNode]:
    sign = 1 if lowest_first else -1
    worths = [worth(left.raw, right.raw) for left, right in pairwise(nodes)]
    while candidates := [(sign * value, at) for at, value in enumerate(worths) if value is not None]:
        _, at = min(candidates)
        left, right = nodes[at : at + 2]
        nodes[at : at + 2] = [
            MergeNode(left.raw + right.raw, left.shown + right.shown, worths[at], (left, right))
        ]
        worths[at : at + 1] = []
        for pair in (at - 1, at):
            if 0 <= pair < len(worths):
                worths[pair] = worth(nodes[pair].raw, nodes[pair + 1].raw)
    return nodes
