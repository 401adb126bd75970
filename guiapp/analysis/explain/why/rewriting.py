"""Which rules of a tokenizer change a text before it is cut, one after the other, each by its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from guiapp.analysis.explain.code_marks import code
from guiapp.core.encode.families.byte_pair import whitespace_words
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.hugging_face import normalizers as known
from guiapp.core.hugging_face.aligned import aligned, with_whole_characters
from guiapp.core.hugging_face.characters import UnicodeForm
from guiapp.core.hugging_face.matching import Literal, Matcher
from guiapp.core.hugging_face.normalizers import Precompiled
from guiapp.core.pretokenize.edges import ESCAPES
from guiapp.core.text.charsmap import open_charsmap
from guiapp.core.text.figures import elided
from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText, from_source, joined
from guiapp.core.text.normalizers import normalize_unigram, plamo2_text, wordpiece_words
from guiapp.core.text.piece_text import PieceText
from guiapp.core.text.utf8 import repair_readable, well_formed
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import USER_DEFINED_TYPE
from guiapp.core.vocabulary.merges import MARKED_SPACE
from guiapp.core.vocabulary.parts import TextRules
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary

BROKEN = "What is not UTF-8 becomes U+FFFD"
MARKED = "Spaces are written `▁`"
NO_CHARACTERS = np.zeros(0, np.uint8)
SPACES = (b" ", MARKED_SPACE)
SHOWN = 40


class Rewrite(NamedTuple):
    """A rule, and the text behind it as what became of the fragment."""

    rule: str
    text: NormalizedText


def rewrites(tokenizer: Tokenizer, fragment: bytes, begins: bool) -> list[Rewrite]:
    """All rules that change text between special tokens, up to where it is cut.

    `begins`: see `begins_text_at`.  Raises EncodeError as encoding does.
    """
    vocabulary = tokenizer.vocabulary
    if vocabulary.parts is not None:
        return list(_by_components(vocabulary, fragment, begins))
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
    places = np.arange(len(fragment), dtype=np.int64)
    return NormalizedText(np.frombuffer(fragment, np.uint8), places, places + 1)


def within(text: NormalizedText, start: int, end: int) -> bytes:
    """The characters that came from fragment[start:end], and spaces that were put in front of it.

    A character belongs where its first byte does; of those without a byte of their own, to the one before.
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
    """The rules that change the bytes [start, end), with what these were before and are behind."""
    before = fragment[start:end]
    for rule, text in applied:
        following = within(text, start, end)
        if following != before:
            yield rule, before, following
        before = following


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
        yield Rewrite("`add_space_prefix` puts a space in front", text)
    yield Rewrite(MARKED, _marked(text))


def _for_words(vocabulary: Vocabulary, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    rules = vocabulary.rules
    yield Rewrite(
        "Words begin with `▁`; white space and control characters go", _words(fragment, False, False)
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
    if adds:
        yield Rewrite(
            "`add_space_prefix` puts a space in front",
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
    """Those of SentencePiece's own models, one switched on after the other; the map takes long to open."""
    types = vocabulary.stored_types
    remaining = [vocabulary.raw_text(row) for row in np.flatnonzero(types == USER_DEFINED_TYPE).tolist()]
    now = replace(rules, charsmap=NO_CHARACTERS, adds_space=False, removes_spaces=False, marks_spaces=False)
    switches: list[tuple[str, dict[str, object]]] = [
        (BROKEN, {}),
        ("`remove_extra_whitespaces`", {"removes_spaces": rules.removes_spaces}),
        ("`add_dummy_prefix` puts a space around the text", {"adds_space": rules.adds_space}),
        (MARKED, {"marks_spaces": rules.marks_spaces}),
        ("The character map of the model", {"charsmap": rules.charsmap}),
    ]
    for rule, switch in switches:
        now = replace(now, **switch)  # type: ignore[arg-type]
        yield Rewrite(rule, PieceText(now, remaining).normalize_readable(fragment, begins))


def _by_components(vocabulary: Vocabulary, fragment: bytes, begins: bool) -> Iterator[Rewrite]:
    assert vocabulary.parts is not None
    data, repaired = well_formed(np.frombuffer(fragment, np.uint8))
    if data != fragment:
        yield Rewrite(BROKEN, repaired or unchanged(data))
    text = given = aligned(data, begins)
    for part in known.flattened(vocabulary.parts.normalizer):
        text = part.apply(text)
        normal = with_whole_characters(text, given.data).normalized
        yield Rewrite(named(part), from_source(normal, repaired))


def named(part: known.Normalizer) -> str:
    """A component as its file calls it, and what it does."""
    match part:
        case known.Replace(matcher, content):
            following = code(visible_text(content.encode(), SHOWN)) if content else "nothing"
            return f"`Replace` {sought(matcher)} by {following}"
        case known.Prepend(content):
            return f"`Prepend` {code(visible_text(content.encode(), SHOWN))}"
        case UnicodeForm(form):
            return f"`{form}`, a normal form of Unicode"
        case Precompiled():
            return "`Precompiled`, the character map of the file"
        case known.Bert():
            return "`BertNormalizer`"
        case known.Strip():
            return "`Strip`: no white space at the ends"
    return f"`{type(part).__name__}`"


def sought(matcher: Matcher) -> str:
    """What a component looks for, as its file has it."""
    if isinstance(matcher, Literal):
        return code(visible_text(matcher.target, SHOWN))
    return code(shortened(matcher.pattern.source))


def shortened(source: str, most: int = 160) -> str:
    """An expression, line ends escaped, and cut where it is very long."""
    return elided(source.translate(ESCAPES), most)
