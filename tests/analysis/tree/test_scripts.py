"""What tokens are grouped by."""

import unicodedata

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.picture import EMOJI_BLOCKS, SCRIPT_BLOCKS, SCRIPT_NAMES, token_scripts
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.token_tree import token_tree

EXPECTED = {
    "the": "Latin",
    "▁the": "Latin",
    "1a": "Latin",
    "▁1!": "Digits",
    "!!": "Punctuation",
    "+=": "Symbols",
    "▁": "Spaces",
    "▁漢a": "Han",
    "ひ": "Kana",
    "한": "Hangul",
    "привет": "Cyrillic",
    "हिन्दी": "Devanagari",
    "١": "Digits",
    "😍": "Emoji",
    "☃": "Emoji",
    "𐍈": "Other letters",
}


ALL_BLOCKS = (*SCRIPT_BLOCKS.values(), EMOJI_BLOCKS)
NOT_OF_BLOCKS = {"Bytes of characters", "Spaces", "Punctuation", "Symbols", "Digits", "Other letters"}


def lies_in(character, blocks):
    return any(first <= ord(character) <= last for first, last in blocks)


def scripts_of(tokens):
    vocabulary = toy_vocabulary(tokens)
    return [SCRIPT_NAMES[script] for script in token_scripts(vocabulary, token_tree(vocabulary))]


def test_letters_tell_the_script():
    assert scripts_of(dict.fromkeys(EXPECTED, 0.0)) == list(EXPECTED.values())


def test_blocks_are_whole_and_end_where_they_end():
    codes = {
        edge + away for blocks in ALL_BLOCKS for block in blocks for edge in block for away in (-1, 0, 1)
    }
    letters = {chr(code): 0.0 for code in sorted(codes) if not 0xD800 <= code < 0xE000}
    told = dict(zip(letters, scripts_of(letters), strict=True))
    for character, script in told.items():
        of_blocks = {name for name, blocks in SCRIPT_BLOCKS.items() if lies_in(character, blocks)}
        if lies_in(character, EMOJI_BLOCKS):
            of_blocks = {"Emoji"}
        elif unicodedata.category(character)[0] == "N":
            of_blocks.add("Digits")
        assert script in (of_blocks or NOT_OF_BLOCKS), hex(ord(character))


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("\u0300", "Other letters"),
        ("\u1a00", "Other letters"),
        ("\u00a0", "Spaces"),
        ("\x01", "Spaces"),
        ("$", "Symbols"),
        ("²", "Digits"),
        ("Ⅷ", "Digits"),
    ],
)
def test_signs_are_told_by_their_category(text, script):
    assert scripts_of({text: 0.0}) == [script]


def test_control_tokens_are_special():
    assert scripts_of({"<s>": Attribute.CONTROL, "<unk>": Attribute.UNKNOWN}) == ["Special tokens"] * 2


def test_parts_of_characters_belong_to_what_they_begin():
    tokens = {b"\xe6": 0.0, "漢".encode(): 0.0, "字".encode(): 0.0, b"\xff": 0.0, b"\xe6\xbc": 0.0}
    assert scripts_of(tokens) == ["Han", "Han", "Han", "Bytes of characters", "Han"]
