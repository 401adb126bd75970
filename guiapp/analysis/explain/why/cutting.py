"""Which part of a pre-tokenizer made a piece: an alternative of a pattern, or a component of the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.code_marks import code
from guiapp.analysis.explain.why.explanation import WhyLine
from guiapp.analysis.explain.why.rewriting import shortened, sought, within
from guiapp.analysis.trace.trace import StepKey
from guiapp.core.encode.families.words import WORDS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.hugging_face import pre_tokenizers as known
from guiapp.core.hugging_face.pieces import Pieces, whole
from guiapp.core.hugging_face.prepare import normalize
from guiapp.core.pretokenize.edges import branch_of
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.utf8 import well_formed
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.merges import MARKED_SPACE
from guiapp.core.vocabulary.parts import Parts
from guiapp.core.vocabulary.vocabulary import VocabType

SHOWN = 40
ONE_PIECE = "There is none: all text between special tokens is one piece."
WORDS_OF_BERT = "Words are cut at white space, and around punctuation and Chinese characters."
WORDS_ALONE = "There is none. Words are looked at one by one, which gives the same as all at once."


class CutPiece(NamedTuple):
    """A piece, with what is around it, as patterns see both.

    span      bytes of the fragment
    is_alone  whether there is no other piece near
    """

    span: tuple[int, int]
    before: bytes
    piece: bytes
    after: bytes
    is_alone: bool


def cut_lines(
    tokenizer: Tokenizer, encoder: str, fragment: bytes, cut_piece: CutPiece, begins: bool, place: StepKey
) -> Iterator[WhyLine]:
    """Why a piece of a fragment is one, for people; `place` is the step that tells of it."""
    vocabulary = tokenizer.vocabulary
    start, end = cut_piece.span
    shown = code(visible_text(fragment[start:end], SHOWN))
    if encoder == WORDS:
        yield WhyLine(f"{shown} is a word between white space.", place)
    elif vocabulary.patterns:
        yield _by_patterns(vocabulary.patterns, cut_piece, place)
    elif vocabulary.parts is not None:
        yield from _by_components(vocabulary.parts, fragment, begins, cut_piece.span, place)
    elif vocabulary.type is VocabType.WPM:
        yield WhyLine(f"{shown} is a word. {WORDS_OF_BERT}", place)
    elif vocabulary.type is VocabType.UGM and encoder == "fast":
        yield WhyLine(WORDS_ALONE, place)
    elif vocabulary.pieces is not None and not cut_piece.is_alone:
        yield WhyLine(f"{shown} is a user-defined piece, or lies between two of these.", place)
    else:
        yield WhyLine(ONE_PIECE, place)


def _by_patterns(patterns: tuple[Pattern, ...], cut_piece: CutPiece, place: StepKey) -> WhyLine:
    """The pattern and its alternative that match the piece where it is."""
    before, piece, after = (
        each.replace(MARKED_SPACE, b" ").decode("utf-8", "replace")
        for each in (cut_piece.before, cut_piece.piece, cut_piece.after)
    )
    return _branch_line(patterns, before + piece + after, len(before), len(before) + len(piece), place)


def _branch_line(patterns: tuple[Pattern, ...], text: str, start: int, end: int, place: StepKey) -> WhyLine:
    shown = code(visible_text(text[start:end].encode("utf-8", "surrogatepass"), SHOWN))
    branch = branch_of(patterns, text, start, end)
    if branch is None:
        return WhyLine(
            f"{shown} lies between what the patterns match, or is cut by a rule beyond them.", place
        )
    words = f": {branch.words}" if branch.words else ""
    pattern = f" of pattern {branch.pattern + 1} of {len(patterns)}" if len(patterns) > 1 else ""
    which = (
        f"alternative {branch.place + 1} of {branch.n_options}{pattern}" if branch.n_options > 1 else pattern
    )
    note = f"{code(shortened(branch.source))}" + (f", {which.removeprefix(' of ')}" if which else "")
    return WhyLine(f"Piece {shown}{words}.", place, note=note)


def _by_components(
    parts: Parts, fragment: bytes, begins: bool, span: tuple[int, int], place: StepKey
) -> Iterator[WhyLine]:
    """A line for each component that cuts or changes the piece around the bytes of the span."""
    data, repaired = well_formed(np.frombuffer(fragment, np.uint8))
    if repaired is not None:
        yield WhyLine(f"{code(visible_text(data, SHOWN))} was broken UTF-8 before it was cut.", place)
        return
    pieces = whole(normalize(parts.normalizer, data, begins))
    before = _piece_at(pieces, span)
    explanation = False
    for part in known.flattened(parts.pre_tokenizer):
        pieces = part.cut(pieces)
        after = _piece_at(pieces, span)
        if after != before:
            shown = code(visible_text(after, SHOWN))
            yield WhyLine(
                f"{_named(part)} makes the piece {shown}.", place, note=_branch(part, fragment, span)
            )
            explanation = True
        before = after
    if not explanation:
        yield WhyLine("Nothing cuts here: all text between special tokens is one piece.", place)


def _piece_at(pieces: Pieces, span: tuple[int, int]) -> bytes:
    """The piece that has the first byte of a span that any has."""
    text = pieces.text.normalized
    inside = np.flatnonzero((text.starts < max(span[1], span[0] + 1)) & (text.ends > span[0]))
    if not len(inside):
        return within(text, *span)
    at = int(np.searchsorted(pieces.ends, inside[0], side="right"))
    return text.data[int(pieces.starts[at]) : int(pieces.ends[at])].tobytes()


def _branch(part: known.PreTokenizer, fragment: bytes, span: tuple[int, int]) -> str:
    """The alternative of the expression of a component that matches the piece, where one does."""
    pattern = part.pattern()
    if pattern is None or not isinstance(part, known.Split | known.ByteLevel):
        return ""
    before, piece = (
        each.decode("utf-8", "replace") for each in (fragment[: span[0]], fragment[slice(*span)])
    )
    text = before + piece + fragment[span[1] :].decode("utf-8", "replace")
    branch = branch_of((pattern,), text, len(before), len(before) + len(piece))
    if branch is None:
        return ""
    words = f": {branch.words}" if branch.words else ""
    return f"{code(shortened(branch.source))}{words}"


def _named(part: known.PreTokenizer) -> str:
    match part:
        case known.Split(matcher, behavior, is_inverted):
            what = "what lies between matches of" if is_inverted else "matches of"
            kept = {"Removed": "drops", "Isolated": "sets apart"}.get(behavior, f"({behavior}) cuts at")
            return f"`Split` {kept} {what} {sought(matcher)}; it"
        case known.Characters(name, _):
            return {"punctuation": "`Punctuation`", "numeric": "`Digits`"}.get(name, f"`{name}`")
        case known.ByteLevel(_, uses_expression, _):
            return "`ByteLevel`, which spells bytes as characters" + (
                " and cuts as GPT-2 does," if uses_expression else ","
            )
        case known.Metaspace(replacement, scheme, _):
            mark = code(replacement)
            front = "" if scheme == "never" else f", one in front ({scheme})"
            return f"`Metaspace`, which writes spaces as {mark}{front},"
    return f"`{type(part).__name__}`"
