"""What tokens are grouped by."""

from toy_vocabulary import toy_vocabulary

from guiapp.core.tree.scripts import NAMES, token_scripts
from guiapp.core.vocab.attributes import Attribute
from guiapp.core.vocab.token_tree import token_tree

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


def scripts_of(tokens):
    vocabulary = toy_vocabulary(tokens)
    return [NAMES[script] for script in token_scripts(vocabulary, token_tree(vocabulary))]


def test_letters_tell_the_script():
    assert scripts_of(dict.fromkeys(EXPECTED, 0.0)) == list(EXPECTED.values())


def test_control_tokens_are_special():
    assert scripts_of({"<s>": Attribute.CONTROL, "<unk>": Attribute.UNKNOWN}) == ["Special tokens"] * 2


def test_parts_of_characters_belong_to_what_they_begin():
    tokens = {b"\xe6": 0.0, "漢".encode(): 0.0, "字".encode(): 0.0, b"\xff": 0.0, b"\xe6\xbc": 0.0}
    assert scripts_of(tokens) == ["Han", "Han", "Han", "Bytes of characters", "Han"]
