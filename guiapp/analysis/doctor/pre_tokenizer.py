"""Whether the pre-tokenizer that a GGUF file names is the one that its merges were learned with.

Merges never cross the edges of pieces, so a pattern that splits ordinary tokens is not the vocabulary's own.
Only ASCII tokens are tried: others were often added later, by other rules.  In GPT-2, StarCoder, DeepSeek
Coder, Llama 3 and Qwen 2 the right pattern splits none, and a pattern of another family at least 0.2 %,
unless it is coarser: then only a known vocabulary decides.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING, Finding, TokenizationChange
from guiapp.analysis.hunt.other_readings import other_readings
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.tokenizer_config import TRANSFORMERS
from guiapp.core.hugging_face.matching import Literal
from guiapp.core.hugging_face.pre_tokenizers import normalize
from guiapp.core.open_model import open_model
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS, Pattern
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import packed, sliced

MOST_TRIED = 1 << 14
N_FIRST_MERGES = 1000
LONGEST_PROBE, MOST_APPLIED = 64, 1 << 13  # characters of a probe; rules applied to all probes
MOST_GROWN = 16  # factor of growth; Unicode's own rules reach 11
DISTRUST = "Use another file: this one is damaged, or made to stall programs."
AS_TRANSFORMERS = (
    "If the model runs in transformers, read it so: choose “transformers” as the pre-tokenizer, or --as "
    "transformers. To make all programs agree, load the folder with AutoTokenizer, then save_pretrained."
)
AS_OTHER = "Read the file as the program does in which the model runs (--as, or open the other file)."
LOOKS_LIKE_PATTERN = re.compile(r"\\[pPdDsSwW]|\(\?[:!=<>i]|\[\^|\w-\w\]|[])][+*?{]|\.[+*]|\w\{\d")
CUT_BY_OTHERS = 0.002  # share of the ASCII tokens
UNDECIDED = "Check the model's own tokenizer.json. If it has this pattern, there is nothing to fix."
KNOWN = {
    "ea52bc42f5a8998c": ("gpt-2",),
    "f9dede4ff15ae514": ("llama-bpe", "stablelm2"),
    "5a574b8ca9f0c855": ("qwen2", "qwen35"),
    "9f348e9d4cb3b6f1": ("starcoder",),
    "1b6e7706038df63c": ("deepseek-coder",),
    "c7c7f9691246d37c": ("deepseek-v3",),
}
"""Names by the hash of the first 1000 merges of public vocabularies, which derived models retain.

The first is the vocabulary's own name; any other name with the same patterns is equivalent.  Models are also
published with the remaining names, and their files alone do not show which is right.
"""

SAMPLE = (
    "I'm here, YOU'RE there; it's 12345 or 3.14159 at 10:45!  We'LL see…",
    "def camelCase(x):\n    return HTTPServer[x+1] // 2  # ok\n\n\n\t\tif (a!=b) { foo_bar(); }\r\n",
    "汉字和数字123、中文。日本語のテキストとカタカナ。한국어 문장입니다.",
    "Привет, мир! Καλημέρα κόσμε. नमस्ते दुनिया। สวัสดีชาวโลก مرحبا بالعالم שלום עולם",
    "İstanbul'da naïve café “quotes” — dash… 🚀👍🏽 ½ ² Ⅷ ١٢٣ x²+y²=z²   trailing   \n",
)


class Fit(NamedTuple):
    """How well a pattern fits a vocabulary.

    names     of the pattern in llama.cpp, the most usual first
    n_cut     tokens that the pattern splits, of n_tried
    n_pieces  in SAMPLE: of patterns that split no token, the finest is the likeliest
    """

    names: tuple[str, ...]
    n_cut: int
    n_tried: int
    n_pieces: int


def check_pre(examined: ExaminedModel) -> Iterator[Finding]:
    """A `pre` that is missing, unknown, or of another family than the vocabulary suggests."""
    vocabulary = examined.vocabulary
    if not examined.is_gguf or vocabulary.type is not VocabType.BPE or vocabulary.model != "gpt2":
        return
    family, named = known_family(vocabulary), vocabulary.pre
    if named in PRE_TOKENIZERS:
        tokens, patterns = ascii_tokens(vocabulary), PRE_TOKENIZERS[named].patterns
        n_cut, n_tried = count_cut(patterns, tokens), len(tokens[1]) - 1
        is_of_family = bool(family) and PRE_TOKENIZERS[family[0]].patterns == patterns
        if is_of_family or (not family and n_cut <= CUT_BY_OTHERS * n_tried):
            return
        if named in family:
            what = (
                f"The file specifies “{named}”, but its first {N_FIRST_MERGES:,} merges match {family[0]}. "
                "Models use either, so the file alone does not show which is right."
            )
            changes = _change(examined.tokenizer, family[0])
            yield Finding("pre_undecided", HINT, what, UNDECIDED, changes, pre=family[0])
            return
    name, why = likeliest(vocabulary)
    if name is None and named in PRE_TOKENIZERS:
        what = f"The file specifies “{quoted(named)}”, but no known pre-tokenizer fits its tokens: {why}."
        yield Finding("pre_of_other_family", WARNING, what)
        return
    if name is None:
        what = f"The file does not name a known pre-tokenizer, and none fits its tokens: {why}."
        yield Finding("pre_missing" if not named else "pre_unknown", ERROR, what)
        return
    changes = _change(examined.tokenizer, name)
    if not named:
        what = f"The file names no pre-tokenizer (tokenizer.ggml.pre). The most likely one is {name}: {why}."
        yield Finding("pre_missing", ERROR, what, changes=changes, pre=name)
    elif named not in PRE_TOKENIZERS:
        what = f"The pre-tokenizer “{quoted(named)}” is unknown. The most likely one is {name}: {why}."
        yield Finding("pre_unknown", ERROR, what, changes=changes, pre=name)
    elif PRE_TOKENIZERS[name].patterns != patterns:
        cuts = f"splits {n_cut:,} of {n_tried:,} tokens" if n_cut else "does not split any token"
        what = f"The file specifies “{quoted(named)}”, which {cuts}. The most likely one is {name}: {why}."
        severity = ERROR if family and changes else WARNING
        yield Finding("pre_of_other_family", severity, what, changes=changes, pre=name)


def check_patterns(examined: ExaminedModel) -> Iterator[Finding]:
    """Regular expressions of a tokenizer.json that are marked as literal text."""
    if (parts := examined.vocabulary.parts) is None:
        return
    remedy = "If it is a pattern, rename its key from String to Regex."
    for name in ("normalizer", "pre_tokenizer", "decoder"):
        for text in filter(LOOKS_LIKE_PATTERN.search, _literals(getattr(parts, name))):
            what = f"treats “{quoted(text)}” as literal text, but it looks like a pattern."
            yield Finding("pattern_is_text", HINT, f"The {name.replace('_', '-')} {what}", remedy)


def check_growth(examined: ExaminedModel) -> Iterator[Finding]:
    """Rules of a tokenizer.json that make a short text many times as long, tested with some probes."""
    if (parts := examined.vocabulary.parts) is None:
        return
    probes = dict.fromkeys((*"".join(SAMPLE), *string.printable, *_literals(parts.normalizer)))
    n_probes = max(MOST_APPLIED // _n_rules(parts.normalizer), 1)
    for probe in stoppable(filter(None, islice(probes, n_probes))):
        text = (probe * LONGEST_PROBE)[:LONGEST_PROBE].encode()
        try:
            share = len(normalize(parts.normalizer, text, True).data) / len(text)
            grown = f"{share:,.0f} times as long" if share > MOST_GROWN else ""
        except EncodeError:
            grown = "too long to encode"
        if grown:
            what = f"The normalizer makes text such as “{quoted(probe * 3)}” {grown}."
            changes = TokenizationChange(probe, examined.cut(probe))
            yield Finding("text_grows", ERROR, what, DISTRUST, changes)
            return


def _n_rules(component: object) -> int:
    return max(sum(map(_n_rules, getattr(component, "parts", ()))), 1)


def _literals(component: object) -> Iterator[str]:
    for part in getattr(component, "parts", ()):
        yield from _literals(part)
    if isinstance(matcher := getattr(component, "matcher", None), Literal):
        yield matcher.target.decode()


def likeliest(vocabulary: Vocabulary) -> tuple[str | None, str]:
    """The name of the likeliest pre-tokenizer, or None, and why, as a clause."""
    if family := known_family(vocabulary):
        also = f"; models with {' or '.join(family[1:])} share them" if family[1:] else ""
        why = f"the first {N_FIRST_MERGES:,} merge rules match its known vocabulary{also}"
        return family[0], why
    best, *others = fits(vocabulary)
    if best.n_cut > CUT_BY_OTHERS * best.n_tried or not best.n_tried:
        return None, f"even {best.names[0]} splits {best.n_cut:,} of {best.n_tried:,} tokens"
    equal = [other.names[0] for other in others if other.n_cut == best.n_cut][:3]
    also = f"; {', '.join(equal)} split as few, but make longer pieces" if equal else ""
    return best.names[0], f"it splits {best.n_cut:,} of {best.n_tried:,} tokens{also}"


def known_family(vocabulary: Vocabulary) -> tuple[str, ...]:
    """The possible names for a vocabulary whose first merges are known; () for others."""
    offsets = vocabulary.merge_offsets[: N_FIRST_MERGES + 1]
    if len(offsets) <= N_FIRST_MERGES or vocabulary.parts is not None:
        return ()
    merges = b"\n".join(sliced(vocabulary.merge_data[: offsets[-1]], offsets))
    return KNOWN.get(sha256(merges).hexdigest()[:16], ())


def fits(vocabulary: Vocabulary) -> list[Fit]:
    """All patterns of byte-level vocabularies, the best first; the first call takes a second."""
    names: dict[tuple[Pattern, ...], tuple[str, ...]] = {}
    for row in sorted(dict.fromkeys(PRE_TOKENIZERS.values()), key=lambda row: -len(row.names)):
        if row.byte_encoding:
            names[row.patterns] = names.get(row.patterns, ()) + row.names
    tokens = ascii_tokens(vocabulary)
    sample = np.frombuffer("".join(SAMPLE).encode(), np.uint8)
    found = [
        Fit(each, count_cut(patterns, tokens), len(tokens[1]) - 1, len(splitter_of(patterns).split(sample)))
        for patterns, each in names.items()
    ]
    return sorted(found, key=lambda fit: (fit.n_cut, -fit.n_pieces))


def ascii_tokens(vocabulary: Vocabulary) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """A sample of the ordinary tokens that stand for ASCII, from the whole list."""
    data, offsets = vocabulary.token_bytes_table
    n_other = np.concatenate([[0], np.cumsum(data > 0x7F)])
    is_ascii = (n_other[offsets[1:]] == n_other[offsets[:-1]]) & (np.diff(offsets) > 0)
    rows = np.flatnonzero(is_ascii & (vocabulary.attributes == Attribute.NORMAL))
    rows = rows[:: max(1, len(rows) // MOST_TRIED)]
    return packed([data[offsets[row] : offsets[row + 1]].tobytes() for row in rows.tolist()])


def count_cut(patterns: tuple[Pattern, ...], tokens: tuple[NDArray[np.uint8], NDArray[np.int64]]) -> int:
    """The number of texts that patterns split into more than one piece."""
    data, offsets = tokens
    if not len(data):
        return 0
    ends = splitter_of(patterns).split_each(data, offsets[1:])
    owners = np.searchsorted(offsets[1:], ends)
    return int((np.bincount(owners, minlength=len(offsets) - 1) > 1).sum())


def _change(tokenizer: Tokenizer, name: str) -> TokenizationChange | None:
    """What the pre-tokenizer of this name changes compared with the one in the file."""
    vocabulary = tokenizer.vocabulary
    assert vocabulary.path is not None
    if vocabulary.chosen_pre:
        as_said = vocabulary.pre if vocabulary.pre in PRE_TOKENIZERS else "default"
        tokenizer = open_model(vocabulary.path, as_said)
    return first_change(ExaminedModel(tokenizer), ExaminedModel(open_model(vocabulary.path, name)))


def first_change(
    examined: ExaminedModel, other: ExaminedModel, add_special: bool = False
) -> TokenizationChange | None:
    """The shortest line or word of SAMPLE that gets different ids; None if there is none."""
    for text in sorted((word for line in SAMPLE for word in (line, *line.split())), key=len):
        before, after = examined.cut(text, add_special), other.cut(text, add_special)
        if before.ids != after.ids:
            return TokenizationChange(text, before, after)
    return None


def check_readings(examined: ExaminedModel) -> Iterator[Finding]:
    """Other programs that give other ids; a warning if it is due to configs that transformers applies."""
    for each in other_readings(examined.tokenizer):
        if each.is_same is False:
            is_config = each.name == TRANSFORMERS
            severity, remedy = (WARNING, AS_TRANSFORMERS) if is_config else (HINT, AS_OTHER)
            text = None if each.text is None else each.text.decode("utf-8", "replace")
            changes = None if text is None else TokenizationChange(text, examined.cut(text, add_special=True))
            yield Finding("readings_differ", severity, each.sentence(), remedy, changes)
