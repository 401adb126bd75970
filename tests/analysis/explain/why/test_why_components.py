"""Each component of a file that changes or cuts a text is named, with what it made of the token."""

import json

import pytest

from guiapp import open_model
from guiapp.analysis.explain.spelling import without_marks
from guiapp.analysis.explain.why.why import why

BERT = {"clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
NORMALIZERS = [
    ("Lowercase", {}, "ab", "Nothing changes."),
    ("Lowercase", {}, "ÉB", "ÉB becomes éb. (Lowercase)"),
    ("Lowercase", {}, b"a\xff", "a<FF> becomes a\ufffd. (What is not UTF-8 becomes U+FFFD)"),
    ("Replace", {"pattern": {"String": "b"}, "content": "c"}, "ab", "ab becomes ac. (Replace b by c)"),
    (
        *("Replace", {"pattern": {"Regex": " +"}, "content": ""}, "a  b"),
        "a··b becomes ab. (Replace  + by nothing)",
    ),
    ("Prepend", {"prepend": "▁"}, "ab", "ab becomes ▁ab. (Prepend ▁)"),
    ("NFC", {}, "e\u0301", "e\u0301 becomes é. (NFC, a normal form of Unicode)"),
    ("NFKC", {}, "ﬁ", "ﬁ becomes fi. (NFKC, a normal form of Unicode)"),
    ("Strip", {"strip_left": True, "strip_right": True}, " a ", "Nothing changes."),
    ("BertNormalizer", BERT, "ÀB", "ÀB becomes ab. (BertNormalizer)"),
]
LETTERS = {"Regex": "[a-z]+"}
METASPACE = {"replacement": "▁", "split": True}
BYTES = {"add_prefix_space": False, "trim_offsets": True}
HYPHEN = {"pattern": {"String": "-"}, "invert": False}
CUTTERS = [
    ("Whitespace", {}, "ab", "Nothing cuts here: all text between special tokens is one piece."),
    ("Whitespace", {}, "ab cd", "Whitespace makes the piece ab."),
    ("WhitespaceSplit", {}, "ab cd", "WhitespaceSplit makes the piece ab."),
    ("Whitespace", {}, b"a\xff b", "a\ufffd·b was broken UTF-8 before it was cut."),
    ("UnicodeScripts", {}, "aб", "UnicodeScripts makes the piece a."),
    ("Punctuation", {"behavior": "Isolated"}, "a,b", "Punctuation makes the piece a."),
    ("Digits", {"individual_digits": True}, "a1", "Digits makes the piece a."),
    (
        *("Metaspace", METASPACE | {"prepend_scheme": "always"}, "ab cd"),
        "Metaspace, which writes spaces as ▁, one in front (always), makes the piece ▁ab.",
    ),
    (
        *("Metaspace", METASPACE | {"prepend_scheme": "never"}, "ab cd"),
        "Metaspace, which writes spaces as ▁, makes the piece ab.",
    ),
    (
        *("ByteLevel", BYTES | {"use_regex": True}, "ab cd"),
        "ByteLevel, which spells bytes as characters and cuts as GPT-2 does, makes the piece ab. "
        r"( ?\p{L}+: letters, and a space before them)",
    ),
    (
        *("ByteLevel", BYTES | {"use_regex": False}, "é"),
        "ByteLevel, which spells bytes as characters, makes the piece Ã©.",
    ),
    ("Split", HYPHEN | {"behavior": "Removed"}, "ab-c", "Split drops matches of -; it makes the piece ab."),
    (
        *("Split", HYPHEN | {"behavior": "MergedWithPrevious"}, "ab-cd"),
        "Split (MergedWithPrevious) cuts at matches of -; it makes the piece ab-.",
    ),
    (
        *("Split", {"pattern": {"Regex": "[a-z]+|-"}, "behavior": "Isolated", "invert": False}, "ab-cd"),
        "Split sets apart matches of [a-z]+|-; it makes the piece ab. ([a-z]+)",
    ),
    (
        *("Split", {"pattern": LETTERS, "behavior": "Removed", "invert": True}, "ab-cd"),
        "Split drops what lies between matches of [a-z]+; it makes the piece ab.",
    ),
]


def lines_of(tmp_path, stage, text, **parts):
    """What a stage of the first token is told with, notes in brackets."""
    model = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": model, **parts}))
    told = why(open_model(path), text, 0, len(text))[0]
    (lines,) = (each.lines for each in told.stages if each.name == stage)
    return [without_marks(f"{line.text} ({line.note})" if line.note else line.text) for line in lines]


@pytest.mark.parametrize(("name", "options", "text", "told"), NORMALIZERS)
def test_a_normalizer_says_what_it_made_of_the_text(name, options, text, told, tmp_path):
    assert lines_of(tmp_path, "normalise", text, normalizer={"type": name, **options}) == [told]


@pytest.mark.parametrize(("name", "options", "text", "told"), CUTTERS)
def test_a_pre_tokenizer_says_which_piece_it_made(name, options, text, told, tmp_path):
    assert lines_of(tmp_path, "split", text, pre_tokenizer={"type": name, **options}) == [told]


def test_normalizers_in_a_row_are_told_one_after_the_other(tmp_path):
    kinds = ("NFD", "StripAccents", "Nmt", "Lowercase")
    row = {"type": "Sequence", "normalizers": [{"type": kind} for kind in kinds]}
    assert lines_of(tmp_path, "normalise", "É", normalizer=row) == [
        "É becomes E\u0301. (NFD, a normal form of Unicode)",
        "E\u0301 becomes E. (StripAccents)",
        "E becomes e. (Lowercase)",
    ]
