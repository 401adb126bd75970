"""The token counts of all suffixes of a text that grows at its beginning, where tokens come from merging.

A byte costs the same however long the text is, be it a letter repeated or a word that never ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.prefix_table import SMALLEST_ROOM, grown, rules_of
from guiapp.core.counting.suffixes_in_turns import SuffixesInTurns
from guiapp.core.kernels import suffixes as kernel
from guiapp.core.kernels.derivations import no_answers
from guiapp.core.kernels.suffixes import FIELDS, MOST_WRITTEN, Suffixes, SuffixRules, WholePieces
from guiapp.core.pipelines.byte_pair import BytePairPipeline
from guiapp.core.text.split_patterns import splitter_for
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.merges import PairMerging

LINES = "GEMMA4"  # a splitter for who does not split


class PairSuffixes(SuffixesInTurns):
    """One text, empty in the beginning, that ends at a certain cut and is the beginning of a document."""

    def __init__(self, rules: SuffixRules) -> None:
        super().__init__()
        self._rules = rules
        self._suffixes = _empty(len(rules.levels) + 1)

    def _make_room(self, size: int) -> None:
        old = self._suffixes
        if size > len(old.text):
            text, places = grown(old.text, 2 * size), grown(old.places, 2 * size + 1)
            self._suffixes = old._replace(text=text, places=places)

    def _make_room_for_data(self, n_bytes: int) -> None:
        """For so many bytes if none of them is broken, and for one in any case."""
        old = self._suffixes
        least = int(old.places[self._size]) + n_bytes + MOST_WRITTEN
        if least > len(old.data):
            known = np.empty((*old.known.shape[:2], 2 * least + 1), np.int32)
            known[:, :, : old.known.shape[2]] = old.known
            data, firsts = grown(old.data, 2 * least), grown(old.firsts, 2 * least + 1)
            self._suffixes = old._replace(data=data, firsts=firsts, known=known)

    def _count(self, new: NDArray[np.uint8], counts: NDArray[np.int32]) -> int:
        return kernel.prepend(new, self._size, self._rules, self._suffixes, counts)


def _empty(n_levels: int) -> Suffixes:
    room = SMALLEST_ROOM
    return Suffixes(
        text=np.empty(room, np.uint8),
        places=np.zeros(room + 1, np.int32),
        data=np.empty(room, np.uint8),
        firsts=np.empty(room + 1, np.int32),
        known=np.empty((n_levels, FIELDS, room + 1), np.int32),
        answers=no_answers(),
    )


def pair_suffix_rules(tokenizer: Tokenizer) -> SuffixRules | None:
    """None where suffixes cannot be told from each other."""
    own, rules, merging = tokenizer.pipeline.own, tokenizer.vocabulary.rules, tokenizer.merging
    pieces = own if isinstance(own, BytePairPipeline) else None
    if merging is None or (pieces is not None and not pieces.takes_many_texts):
        return None
    if (known := rules_of(merging)) is None:
        return None
    symbols, tree = merging.symbols, known.tree
    machine = splitter_for(LINES).machine if pieces is None else pieces.machine
    return SuffixRules(
        n_tokens=symbols.n_tokens,
        lengths=symbols.lengths,
        n_fallbacks=np.diff(symbols.fallback_offsets),
        merges=merging.merges,
        derivations=known.derivations,
        rows=tree.rows,
        token_lengths=tree.lengths,
        parents=tree.parents,
        classes=machine.classes,
        transitions=machine.transitions,
        levels=np.empty(0, np.int64) if pieces is None else machine.levels,
        numbers=machine.numbers,
        end_class=len(machine.cuts),
        whole=_whole_pieces(
            merging, 0 if pieces is None else pieces.longest_whole_piece, rules.ignore_merges
        ),
        repairs=pieces is not None,
        marks_spaces=merging.marks_spaces,
        adds_space=pieces is None and rules.add_space_prefix,
    )


def _whole_pieces(merging: PairMerging, longest: int, are_all: bool) -> WholePieces:
    spelled = merging.spelling.spelled
    return WholePieces(
        strings=merging.strings,
        offsets=np.cumsum([0, *map(len, spelled)], dtype=np.int64),
        spelling=np.frombuffer(bytearray(b"".join(spelled)), np.uint8),
        longest=longest,
        only_newlines=not are_all,
        scratch=np.empty(longest * max(map(len, spelled)), np.uint8),
    )
