"""How pair merging builds one token from its characters or bytes.

A file may have several merge rules that make the same token; to find the one in use, the merges are run over
the token's own text, as in the encoder.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

if TYPE_CHECKING:
    from guiapp.core.vocabulary.merges import PairMerging
    from guiapp.core.vocabulary.parts import ModelOptions
    from guiapp.core.vocabulary.vocabulary import TokenTree

KEPT_TREES = 4096
NOT_OF_TEXT = Attribute.CONTROL | Attribute.UNKNOWN | Attribute.UNUSED | Attribute.BYTE
MOST_SYMBOLS = 128

BEST_SCORE = "does not merge: it takes the segmentation with the best score."
LONGEST_MATCH = "does not merge: it takes the longest token that matches."
NOT_MERGED = {
    VocabType.WPM: f"WordPiece {LONGEST_MATCH}",
    VocabType.UGM: f"Unigram {BEST_SCORE}",
    VocabType.WORD_LEVEL: "WordLevel does not merge: it looks up whole words.",
    VocabType.RWKV: f"RWKV {LONGEST_MATCH}",
    VocabType.PLAMO2: f"PLaMo 2 {BEST_SCORE}",
    VocabType.TEST: "Test vocabularies do not merge: ids are hashes.",
}


@dataclass(frozen=True)
class MergeNode:
    """A part of a token: a start symbol, or a merge of two nodes.

    shown  the bytes that it stands for
    worth  rank (BPE) or score (SPM) of the merge that made it, None for a symbol
    parts  the merged nodes, empty for a symbol
    """

    shown: bytes
    worth: float | None = None
    parts: tuple[MergeNode, ...] = ()


@dataclass(frozen=True)
class MergeTree:
    """The result of merging one token's text: a single root if it leads to the token.

    roots  the nodes left when no pair can be merged, in text order; empty if there is nothing to merge
    note   a sentence for the user if the tree alone is not enough
    """

    roots: tuple[MergeNode, ...]
    note: str = ""

    @property
    def is_reached(self) -> bool:
        return len(self.roots) == 1

    @property
    def worth(self) -> float | None:
        """The `worth` of the merge that completes the token; None if no merge does."""
        return self.roots[0].worth if self.is_reached else None


def why_not_merged(vocabulary: Vocabulary, token_id: int) -> str:
    """A sentence why a token is not merged; "" for tokens that are."""
    attributes = int(vocabulary.effective_attributes[token_id])
    if attributes & Attribute.UNKNOWN:
        return "The unknown token: it stands for text that no token covers, and is not merged."
    if attributes & (Attribute.CONTROL | Attribute.USER_DEFINED):
        return "A special token: matched in the text as a whole, before merging."
    if attributes & Attribute.BYTE:
        return "A single byte, for text that no other token covers: nothing to merge."
    return NOT_MERGED.get(vocabulary.type, "")


def merge_tree(vocabulary: Vocabulary, merging: PairMerging, token_id: int) -> MergeTree:
    """The merges that build a token of a vocabulary that merges pairs."""
    from guiapp.core.encode.reference import merge as pair_merging

    options = None if vocabulary.parts is None else vocabulary.parts.model
    marked = options if options is not None and (options.continuing_prefix or options.end_suffix) else None
    shown = _shown
    if not vocabulary.rules.byte_encoding:
        text = vocabulary.raw_text(token_id)
    elif marked is None:
        text = vocabulary.token_bytes(token_id)
    else:  # merging works on the characters that stand for bytes
        text, shown = vocabulary.raw_text(token_id), _unspelled
    front = text[: 4 * MOST_SYMBOLS + 4]
    symbols = merging.start_symbols(front) if marked is None else _marked_symbols(merging, marked, front)
    if len(symbols) > MOST_SYMBOLS:
        return MergeTree((), f"Its {len(text):,} bytes are too many to draw.")
    if len(symbols) == 1:
        return MergeTree((MergeNode(shown(text)),), "Merging starts from it: nothing to merge.")
    nodes = {at: MergeNode(shown(text[start:end])) for at, (_, start, end) in enumerate(symbols)}
    for merge in pair_merging.steps([symbol for symbol, _, _ in symbols], merging.rules):
        left, right = nodes[merge.position], nodes.pop(merge.right_position)
        worth = merge.rank if vocabulary.type is VocabType.BPE else vocabulary.score(merge.made)
        nodes[merge.position] = MergeNode(left.shown + right.shown, worth, (left, right))
    return MergeTree(tuple(nodes.values()), _note(len(nodes), vocabulary.rules.ignore_merges))


def _marked_symbols(merging: PairMerging, options: ModelOptions, text: bytes) -> list[tuple[int, int, int]]:
    """The start symbols of a token's text: symbol, start and end of each.

    `##` belongs to each character but the first of a piece, `</w>` to the last character.
    """
    prefix, suffix = options.continuing_prefix.encode(), options.end_suffix.encode()
    before = prefix if text.startswith(prefix) and len(text) > len(prefix) else b""
    trailing = suffix if text.endswith(suffix) and len(text) > len(before + suffix) else b""
    end = len(text) - len(trailing)
    starts = [at for at in range(len(before), end) if text[at] & 0xC0 != 0x80]
    characters = [text[start:stop] for start, stop in pairwise([*starts, end])]
    if not characters:
        return []
    characters[1:] = [prefix + character for character in characters[1:]]
    characters[0] = before + characters[0]
    characters[-1] += trailing
    bounds = pairwise([0, *starts[1:], len(text)])
    symbol_ids = merging.tokens.find(characters).tolist()
    return [(symbol, *bound) for symbol, bound in zip(symbol_ids, bounds, strict=True)]


def _note(n_roots: int, ignore_merges: bool) -> str:
    if n_roots == 1:
        return ""
    if ignore_merges:
        whole = "a word that is a token is taken whole (ignore_merges)"
        return f"Merging alone ends in {n_roots} tokens; {whole}."
    return f"Merging ends in {n_roots} tokens: no text leads to this token."


def _unspelled(text: bytes) -> bytes:
    """The bytes that characters stand for; other characters in UTF-8."""
    from guiapp.core.vocabulary.byte_alphabet import BYTE_OF_CHARACTER

    characters = text.decode(errors="replace")
    return b"".join(
        bytes([BYTE_OF_CHARACTER[c]]) if c in BYTE_OF_CHARACTER else c.encode() for c in characters
    )


def _shown(text: bytes) -> bytes:
    from guiapp.core.vocabulary.merges import MARKED_SPACE

    return text.replace(MARKED_SPACE, b" ")


# The neighbours of a token in the token tree: its prefixes, and tokens that begin with it


@dataclass(frozen=True)
class TokenPath:
    """The neighbours of one token in the token tree.

    prefixes         ids of the tokens that are proper prefixes of it, the shortest first
    continuations    ids of some tokens that begin with it, in the order of the vocabulary
    n_continuations  number of all tokens that begin with it
    """

    prefixes: tuple[int, ...]
    continuations: tuple[int, ...]
    n_continuations: int


def token_path(vocabulary: Vocabulary, tree: TokenTree, token_id: int, n_shown: int = 8) -> TokenPath:
    """The path of one token, with its first `n_shown` continuations.

    Omits byte, control, unknown and unused tokens: ordinary text does not lead to them.
    """
    token = vocabulary.token_bytes(token_id)
    if not token:
        return TokenPath((), (), 0)
    above = _of_text(vocabulary, np.array(tree.path(token_id)[:-1], np.int32))
    below = _of_text(vocabulary, tree.starting_with(token))
    continuations = np.sort(below[tree.lengths[below] > len(token)])
    return TokenPath(tuple(above.tolist()), tuple(continuations[:n_shown].tolist()), len(continuations))


def _of_text(vocabulary: Vocabulary, ids: NDArray[np.int32]) -> NDArray[np.int32]:
    selected: NDArray[np.int32] = ids[(vocabulary.attributes[ids] & NOT_OF_TEXT) == 0]
    return selected


# Explanations of one vocabulary's tokens, with shared tables


class Explainer:
    """Merge trees and paths of the tokens of one vocabulary.

    The first path builds the token tree, which is work for a background thread; later answers are fast.
    """

    def __init__(self, vocabulary: Vocabulary, merging: PairMerging | None = None) -> None:
        """`merging` has the merge rules of a tokenizer of this vocabulary; built here if None."""
        self.vocabulary = vocabulary
        merging = merging or _pair_merging(vocabulary)
        self.merge_tree = lru_cache(KEPT_TREES)(partial(_merge_tree, vocabulary, merging))

    def path(self, token_id: int) -> TokenPath:
        return token_path(self.vocabulary, self.vocabulary.token_tree, token_id)

    def merge_rank(self, token_id: int) -> int | None:
        """The rank of the merge that completes a token of a BPE vocabulary; else None."""
        worth = self.merge_tree(token_id).worth if self.vocabulary.type is VocabType.BPE else None
        return None if worth is None else int(worth)


def _merge_tree(vocabulary: Vocabulary, merging: PairMerging | None, token_id: int) -> MergeTree:
    note = why_not_merged(vocabulary, token_id)
    return MergeTree((), note) if note or merging is None else merge_tree(vocabulary, merging, token_id)


def _pair_merging(vocabulary: Vocabulary) -> PairMerging | None:
    """The merge rules of a vocabulary; None for types without merges."""
    from guiapp.core.vocabulary.merges import byte_pair_merging, sentence_piece_merging

    if vocabulary.type is VocabType.BPE:
        return byte_pair_merging(vocabulary)
    return sentence_piece_merging(vocabulary) if vocabulary.type is VocabType.SPM else None
