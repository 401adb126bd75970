"""The stages before the encoder: rules that rewrite a text, and rules that split it into pieces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.spelling import code
from guiapp.analysis.explain.why.explanation import WhyLine
from guiapp.analysis.trace.trace import StepKey
from guiapp.core.encode.families.byte_pair import whitespace_words
from guiapp.core.encode.families.components import normalizer_in
from guiapp.core.encode.families.words import WORDS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.hugging_face import normalizers, pre_tokenizers
from guiapp.core.hugging_face.aligned import aligned, with_whole_characters
from guiapp.core.hugging_face.characters import UnicodeForm
from guiapp.core.hugging_face.matching import Literal, Matcher, Pieces, whole
from guiapp.core.hugging_face.normalizers import Precompiled
from guiapp.core.hugging_face.pre_tokenizers import normalize
from guiapp.core.hugging_face.spec import flattened
from guiapp.core.pretokenize.edges import ESCAPES, branch_of
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.charsmap import open_charsmap
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText, from_source, joined
from guiapp.core.text.normalizers import normalize_unigram, plamo2_text, wordpiece_words
from guiapp.core.text.numbers_in_words import elided
from guiapp.core.text.piece_text import PieceText
from guiapp.core.text.utf8 import repair_readable, well_formed
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import USER_DEFINED_TYPE
from guiapp.core.vocabulary.merges import MARKED_SPACE
from guiapp.core.vocabulary.parts import Parts, TextRules
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

BROKEN = "Bytes that are not UTF-8 become U+FFFD"
MARKED = "Spaces are written `▁`"
NO_CHARACTERS = np.zeros(0, np.uint8)
SPACES = (b" ", MARKED_SPACE)
SHOWN = 40
ONE_PIECE = "No pre-tokenizer: all text between special tokens is one piece."
WORDS_OF_BERT = "Text is split at white space, punctuation and Chinese characters."
WORDS_ALONE = "No pre-tokenizer. Words are encoded one by one, which gives the same ids."


class CutPiece(NamedTuple):
    """A piece with its context, in the form that patterns match.

    span      bytes of the fragment
    is_alone  whether there is no other piece near
    """

    span: tuple[int, int]
    before: bytes
    piece: bytes
    after: bytes
    is_alone: bool


def cut_lines(
    tokenizer: Tokenizer, encoder: str, fragment: bytes, cut_piece: CutPiece, begins: bool, step_key: StepKey
) -> Iterator[WhyLine]:
    """Why a span of a fragment is a piece, in words; `step_key` is the step that reports it."""
    vocabulary = tokenizer.vocabulary
    start, end = cut_piece.span
    shown = code(visible_text(fragment[start:end], SHOWN))
    if encoder == WORDS:
        yield WhyLine(f"{shown} is a word between white space.", step_key)
    elif vocabulary.patterns:
        yield _by_patterns(vocabulary.patterns, cut_piece, step_key)
    elif vocabulary.parts is not None:
        yield from _by_components(vocabulary.parts, fragment, begins, cut_piece.span, step_key)
    elif vocabulary.type is VocabType.WPM:
        yield WhyLine(f"{shown} is a word. {WORDS_OF_BERT}", step_key)
    elif vocabulary.type is VocabType.UGM and encoder == "fast":
        yield WhyLine(WORDS_ALONE, step_key)
    elif vocabulary.pieces is not None and not cut_piece.is_alone:
        yield WhyLine(f"{shown} is a user-defined piece, or lies between two user-defined pieces.", step_key)
    else:
        yield WhyLine(ONE_PIECE, step_key)


def _by_patterns(patterns: tuple[Pattern, ...], cut_piece: CutPiece, step_key: StepKey) -> WhyLine:
    """The pattern and its alternative that match the piece in its context."""
    before, piece, after = (
        each.replace(MARKED_SPACE, b" ").decode("utf-8", "replace")
        for each in (cut_piece.before, cut_piece.piece, cut_piece.after)
    )
    shown = code(visible_text(piece.encode(), SHOWN))
    branch = branch_of(patterns, before + piece + after, len(before), len(before) + len(piece))
    if branch is None:
        sentence = f"{shown} lies between matches of the patterns, or another rule splits it off."
        return WhyLine(sentence, step_key)
    words = f": {branch.words}" if branch.words else ""
    pattern = f" of pattern {branch.pattern + 1} of {len(patterns)}" if len(patterns) > 1 else ""
    which = f"alternative {branch.option + 1} of {branch.n_options}" if branch.n_options > 1 else ""
    which = f"{which}{pattern}".removeprefix(" of ")
    note = code(shortened(branch.source)) + (f", {which}" if which else "")
    return WhyLine(f"Piece {shown}{words}.", step_key, note=note)


def _by_components(
    parts: Parts, fragment: bytes, begins: bool, span: tuple[int, int], step_key: StepKey
) -> Iterator[WhyLine]:
    """A line for each component that splits or changes the piece around the span."""
    data, repaired = well_formed(np.frombuffer(fragment, np.uint8))
    if repaired is not None:
        yield WhyLine(f"{code(visible_text(data, SHOWN))} was not valid UTF-8 before it was split.", step_key)
        return
    pieces = whole(normalize(parts.normalizer, data, begins))
    before = _piece_at(pieces, span)
    explanation = False
    for part in flattened(parts.pre_tokenizer):
        pieces = part.cut(pieces)
        after = _piece_at(pieces, span)
        if after != before:
            shown = code(visible_text(after, SHOWN))
            sentence = f"{_named(part)} makes the piece {shown}."
            yield WhyLine(sentence, step_key, note=_branch(part, fragment, span))
            explanation = True
        before = after
    if not explanation:
        yield WhyLine("Nothing is split here: all text between special tokens is one piece.", step_key)


def _piece_at(pieces: Pieces, span: tuple[int, int]) -> bytes:
    """The piece that contains the first byte of the span that is in any piece."""
    text = pieces.text.normalized
    inside = np.flatnonzero((text.starts < max(span[1], span[0] + 1)) & (text.ends > span[0]))
    if not len(inside):
        return within(text, *span)
    at = int(np.searchsorted(pieces.ends, inside[0], side="right"))
    return text.data[int(pieces.starts[at]) : int(pieces.ends[at])].tobytes()


def _branch(part: pre_tokenizers.PreTokenizer, fragment: bytes, span: tuple[int, int]) -> str:
    """The alternative of a component's expression that matches the piece; "" if none does."""
    pattern = part.pattern()
    if pattern is None or not isinstance(part, pre_tokenizers.Split | pre_tokenizers.ByteLevel):
        return ""
    parts = fragment[: span[0]], fragment[slice(*span)], fragment[span[1] :]
    before, piece, after = (each.decode("utf-8", "replace") for each in parts)
    branch = branch_of((pattern,), before + piece + after, len(before), len(before) + len(piece))
    if branch is None:
        return ""
    words = f": {branch.words}" if branch.words else ""
    return f"{code(shortened(branch.source))}{words}"


def _named(part: pre_tokenizers.PreTokenizer) -> str:
    match part:
        case pre_tokenizers.Split(matcher, behavior, is_inverted):
            what = "text between matches of" if is_inverted else "matches of"
            kept = {"Removed": "drops", "Isolated": "isolates"}.get(behavior, f"({behavior}) splits at")
            return f"`Split` {kept} {what} {sought(matcher)}; it"
        case pre_tokenizers.Characters(name, _):
            return {"punctuation": "`Punctuation`", "numeric": "`Digits`"}.get(name, f"`{name}`")
        case pre_tokenizers.ByteLevel(_, uses_expression, _):
            return "`ByteLevel`, which writes bytes as characters" + (
                " and splits as GPT-2 does," if uses_expression else ","
            )
        case pre_tokenizers.Metaspace(replacement, scheme, _):
            mark = code(replacement)
            front = "" if scheme == "never" else f" and adds one in front ({scheme})"
            return f"`Metaspace`, which writes spaces as {mark}{front},"
    return f"`{type(part).__name__}`"


# The rules of a tokenizer that change a text before it is split, in order


class Rewrite(NamedTuple):
    """A rule, and the text after it, aligned with the fragment."""

    rule: str
    text: NormalizedText


def rewrites(tokenizer: Tokenizer, fragment: bytes, begins: bool) -> list[Rewrite]:
    """All rules that change text between special tokens before it is split.

    `begins`: see `begins_text_at`.  Raises EncodeError like encoding.
    """
    vocabulary = tokenizer.vocabulary
    if (normalizer := normalizer_in(vocabulary)) is not None:
        return list(_by_normalizers(normalizer, fragment, begins))
    if vocabulary.pieces is not None:
        return list(_by_piece_rules(vocabulary, vocabulary.pieces.text, fragment, begins))
    by_type = {
        VocabType.BPE: _for_pairs,
        VocabType.SPM: _for_sentence_piece,
        VocabType.WPM: _for_words,
        VocabType.UGM: _for_unigram,
        VocabType.PLAMO2: _for_plamo2,
    }
    rules = by_type.get(vocabulary.type)
    return [] if rules is None else list(rules(vocabulary, fragment, begins))


def unchanged(fragment: bytes) -> NormalizedText:
    offsets = np.arange(len(fragment), dtype=np.int64)
    return NormalizedText(np.frombuffer(fragment, np.uint8), offsets, offsets + 1)


def within(text: NormalizedText, start: int, end: int) -> bytes:
    """The characters that come from fragment[start:end], and spaces that were added in front of it.

    A character belongs to the span of its first byte; one without source bytes, to the previous character.
    """
    firsts = np.flatnonzero(text.data & 0xC0 != 0x80)
    remaining, is_selected = bytearray(), False
    for first, following in pairwise([*firsts.tolist(), len(text.data)]):
        character, source = text.data[first:following].tobytes(), int(text.starts[first])
        if source < text.ends[first]:
            is_selected = source < end and text.ends[first] > start
        elif character in SPACES:
            is_selected = source == start
        if is_selected:
            remaining += character
    return bytes(remaining)


def changes(
    applied: list[Rewrite], fragment: bytes, start: int, end: int
) -> Iterator[tuple[str, bytes, bytes]]:
    """The rules that change the bytes [start, end), each with the bytes before and after it."""
    before = fragment[start:end]
    whole = within(unchanged(fragment), start, end)  # otherwise a partial character would look changed
    for rule, text in applied:
        following = within(text, start, end)
        if following not in (before, whole):
            yield rule, before, following
        before = whole = following


def _repaired(fragment: bytes) -> NormalizedText:
    return repair_readable(fragment) or unchanged(fragment)


def _marked(text: NormalizedText) -> NormalizedText:
    builder = NormalizedBuilder()
    columns = text.data.tolist(), text.starts.tolist(), text.ends.tolist()
    for byte, start, end in zip(*columns, strict=True):
        builder.append(MARKED_SPACE if byte == ord(" ") else bytes([byte]), start, end)
    return builder.build()


def _for_pairs(vocabulary: Vocabulary, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    if vocabulary.model == "whitespace":
        yield Rewrite("White space is dropped", whitespace_words(fragment, vocabulary.rules)[0])
        return
    yield Rewrite(BROKEN, _repaired(fragment))
    if vocabulary.rules.escape_spaces:
        yield Rewrite(MARKED, _marked(_repaired(fragment)))


def _for_sentence_piece(vocabulary: Vocabulary, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    text = unchanged(fragment)
    if vocabulary.rules.add_space_prefix and begins:
        front = NormalizedBuilder()
        front.append(b" ", 0, 0)
        text = joined([front.build(), text])
        yield Rewrite("`add_space_prefix` adds a space in front", text)
    yield Rewrite(MARKED, _marked(text))


def _for_words(vocabulary: Vocabulary, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    rules = vocabulary.rules
    yield Rewrite(
        "Words begin with `▁`; white space and control characters are removed", _words(fragment, False, False)
    )
    if rules.strip_accents:
        yield Rewrite("`strip_accents`", _words(fragment, False, True))
    if rules.lowercase:
        yield Rewrite("`lowercase`", _words(fragment, True, rules.strip_accents))


def _words(fragment: bytes, lowercase: bool, strip_accents: bool) -> NormalizedText:
    return joined(list(wordpiece_words(fragment, lowercase, strip_accents)))


def _for_unigram(vocabulary: Vocabulary, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    types = vocabulary.stored_types
    remaining = [vocabulary.raw_text(row) for row in np.flatnonzero(types == USER_DEFINED_TYPE).tolist()]
    nothing, own = open_charsmap(NO_CHARACTERS), open_charsmap(vocabulary.charsmap)
    adds, removes = vocabulary.rules.add_space_prefix, vocabulary.rules.remove_extra_whitespaces
    yield Rewrite(MARKED, normalize_unigram(fragment, nothing, remaining, False, False))
    yield Rewrite(
        "The character map of the file (`precompiled_charsmap`)",
        normalize_unigram(fragment, own, remaining, False, False),
    )
    if adds and begins:
        yield Rewrite(
            "`add_space_prefix` adds a space in front",
            normalize_unigram(fragment, own, remaining, True, False),
        )
    if removes:
        yield Rewrite(
            "`remove_extra_whitespaces` leaves one space before each word",
            normalize_unigram(fragment, own, remaining, adds, True),
        )


def _for_plamo2(vocabulary: Vocabulary, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    yield Rewrite(BROKEN, plamo2_text(fragment))


def _by_piece_rules(
    vocabulary: Vocabulary, rules: TextRules, fragment: bytes, begins: bool
) -> Iterator[Rewrite]:
    """The rules of SentencePiece's own models, switched on one after another; the map is slow to open."""
    types = vocabulary.stored_types
    remaining = [vocabulary.raw_text(row) for row in np.flatnonzero(types == USER_DEFINED_TYPE).tolist()]
    now = replace(rules, charsmap=NO_CHARACTERS, adds_space=False, removes_spaces=False, marks_spaces=False)
    switches: list[tuple[str, dict[str, object]]] = [
        (BROKEN, {}),
        ("`remove_extra_whitespaces`", {"removes_spaces": rules.removes_spaces}),
        ("`add_dummy_prefix` adds a space to the text", {"adds_space": rules.adds_space}),
        (MARKED, {"marks_spaces": rules.marks_spaces}),
        ("The character map of the model", {"charsmap": rules.charsmap}),
    ]
    for rule, switch in switches:
        now = replace(now, **switch)  # type: ignore[arg-type]
        yield Rewrite(rule, PieceText(now, remaining).normalize_readable(fragment, begins))


def _by_normalizers(normalizer: normalizers.Normalizer, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    data, repaired = well_formed(np.frombuffer(fragment, np.uint8))
    if data != fragment:
        yield Rewrite(BROKEN, repaired or unchanged(data))
    text = given = aligned(data, begins)
    for part in flattened(normalizer):
        text = part.apply(text)
        normal = with_whole_characters(text, given.data).normalized
        yield Rewrite(named(part), from_source(normal, repaired))


def named(part: normalizers.Normalizer) -> str:
    """The name of a component in its file, and its effect."""
    match part:
        case normalizers.Replace(matcher, content):
            following = code(visible_text(content.encode(), SHOWN)) if content else "nothing"
            return f"`Replace` {sought(matcher)} with {following}"
        case normalizers.Prepend(content):
            return f"`Prepend` {code(visible_text(content.encode(), SHOWN))}"
        case UnicodeForm(form):
            return f"`{form}`, a Unicode normal form"
        case Precompiled():
            return "`Precompiled`, the character map of the file"
        case normalizers.Bert():
            return "`BertNormalizer`"
        case normalizers.Strip():
            return "`Strip` removes white space at the ends"
    return f"`{type(part).__name__}`"


def sought(matcher: Matcher) -> str:
    """The text or pattern that a component matches, as in its file."""
    if isinstance(matcher, Literal):
        return code(visible_text(matcher.target, SHOWN))
    return code(shortened(matcher.pattern.source))


def shortened(source: str, most: int = 160) -> str:
    """An expression with line ends escaped, elided if it is very long."""
    return elided(source.translate(ESCAPES), most)
