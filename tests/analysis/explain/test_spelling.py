"""One choice of how tokens are written, for all models."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.explain.spelling import MarkedPart, Spelling, code, parts, without_marks
from guiapp.core.text.visible_text import visible_text

SIGNS, FILE = Spelling.SIGNS, Spelling.FILE


@pytest.mark.parametrize("name", ["bpe", "spm", "wordpiece", "unigram", "toy"])
def test_every_token_is_written_as_what_it_stands_for_or_as_its_file_has_it(name):
    vocabulary = guiapp.open_model(f"demo:{name}").vocabulary
    for token_id in range(len(vocabulary)):
        data, raw = vocabulary.token_bytes(token_id), vocabulary.raw_text(token_id)
        assert SIGNS.token(vocabulary, token_id) == visible_text(data or raw)
        assert FILE.token(vocabulary, token_id) == visible_text(raw)
        if vocabulary.kind(token_id) == "normal":
            assert FILE.part(vocabulary, data) == FILE.token(vocabulary, token_id)
            assert SIGNS.part(vocabulary, data) == SIGNS.token(vocabulary, token_id)


def test_files_that_hold_bytes_or_escape_them_have_no_letters_of_their_own(tmp_path):
    ranks = tmp_path / "small.tiktoken"
    texts = [*(bytes([byte]) for byte in range(256)), b" t", b"he", b" the"]
    ranks.write_text("".join(f"{base64.b64encode(text).decode()} {i}\n" for i, text in enumerate(texts)))
    for model in (guiapp.open_model(ranks, "gpt-4o"), guiapp.open_model("demo:rwkv")):
        vocabulary = model.vocabulary
        for token_id in range(len(vocabulary)):
            assert FILE.token(vocabulary, token_id) == SIGNS.token(vocabulary, token_id)
            data = vocabulary.token_bytes(token_id)
            assert FILE.part(vocabulary, data) == SIGNS.part(vocabulary, data)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("ĠN", "`ĠN`"),
        ("`", "`` ` ``"),
        ("a``b", "``` a``b ```"),
        ("", "`  `"),
        (" a ", "`  a  `"),
        ("a ", "`a `"),
        (" a", "` a`"),
        ("\t ", "`\t `"),
        ("aa", "`aa`"),
        ("\ta\t", "`\ta\t`"),
    ],
)
def test_a_text_stands_between_marks_that_it_does_not_have(text, marked):
    assert code(text) == marked
    assert without_marks(f"{marked} is {marked}.") == f"{text} is {text}."


@given(st.lists(st.tuples(st.text("ab ,", min_size=1), st.text("`a ")), max_size=4))
def test_marked_parts_of_a_sentence_round_trip(pairs):
    sentence = "".join(f"{words}{code(text)}" for words, text in pairs)
    expected = [part for words, text in pairs for part in (MarkedPart(words, False), MarkedPart(text, True))]
    assert list(parts(sentence)) == expected
