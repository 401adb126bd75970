"""A file and a library in one form: ids, spans, what is put around, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.hunt import pair as sides
from guiapp.analysis.hunt.pair import FileSide, LibrarySide
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import VocabType


@pytest.fixture(scope="module")
def refusing():
    vocabulary = guiapp.open_model("demo:unigram").vocabulary
    return Tokenizer(replace(vocabulary, special_ids=replace(vocabulary.special_ids, unk=None)))


def test_a_file_gives_ids_of_each_text_and_none_of_one_that_it_refuses(refusing):
    side = FileSide("A", refusing)
    ids = side.encode_each([b"a", "𝄞".encode(), b"b"])
    assert ids[1] is None
    assert [each.tolist() for each in (ids[0], ids[2])] == [
        refusing.encode(text, False).token_ids.tolist() for text in (b"a", b"b")
    ]
    assert side.spans("𝄞".encode()) is None
    assert side.takes_bytes
    assert not FileSide("A", Tokenizer(replace(refusing.vocabulary, library="another"))).takes_bytes


def test_special_tokens_are_parsed_and_put_around_unless_that_is_off():
    tokenizer = guiapp.open_model("demo:bpe")
    text = b"<|im_end|>a"
    parsing, plain = (FileSide("A", tokenizer, parses) for parses in (True, False))
    for side, parses in ((parsing, True), (plain, False)):
        expected = tokenizer.encode(text, False, parses)
        assert side.encode_each([text])[0].tolist() == expected.token_ids.tolist()
        assert side.spans(text) == tuple(map(tuple, expected.spans.tolist()))
        assert side.decode(expected.token_ids) == tokenizer.decode(expected.token_ids)
    assert parsing.affixes() == tokenizer.special_affixes()
    assert parsing.affixes()[0]
    assert plain.affixes() == ([], [])


class FakeContender:
    """A library whose tokens are letters, `a` being 0, and that puts 7 before a text and 8, 9 behind it."""

    other_vocabulary = ""
    take_text = bytes
    take_ids = list
    affixes = ([7], [8, 9])

    def tokens(self, ids):
        return type("Tokens", (), {"ids": np.array(ids, np.int32)})

    def encode_special(self, text, adds_special):
        if b"!" in text:
            raise RuntimeError("refused")
        inner = [byte - ord("a") for byte in text]
        return [*self.affixes[0], *inner, *self.affixes[1]] if adds_special else inner

    def decode(self, ids):
        return bytes(token + ord("a") for token in ids)


@pytest.fixture
def library(monkeypatch):
    model = Tokenizer(toy_vocabulary(dict.fromkeys("abc", 0.0), VocabType.BPE))

    def opened(**changes):
        contender = type("Contender", (FakeContender,), changes)()
        peer = type("Peer", (), {"open": staticmethod(lambda source: contender)})
        monkeypatch.setattr(sides, "PEERS", {"fake": peer})
        monkeypatch.setattr(sides, "peer_source", lambda name, model: None)
        return LibrarySide("fake", model)

    return opened


def test_a_library_gives_what_it_makes_of_texts_and_refuses_what_it_fails_at(library):
    side = library()
    assert [ids if ids is None else ids.tolist() for ids in side.encode_each([b"ab", b"a!", b""])] == [
        [0, 1],
        None,
        [],
    ]
    assert (side.parses_special, side.takes_bytes, side.tokenizer) == (True, True, None)
    assert side.decode(np.array([2, 0], np.int32)) == "ca"


@pytest.mark.parametrize(
    ("text", "spans"),
    [(b"cab", ((0, 1), (1, 2), (2, 3))), (b"", ()), (b"ad", None), (b"a!", None)],
)
def test_spans_are_told_where_tokens_stand_side_by_side_for_the_text(library, text, spans):
    assert library().spans(text) == spans


def test_ids_of_another_text_have_no_spans(library):
    side = library(encode_special=lambda self, text, adds_special: [0] * len(text))
    assert side.spans(b"aa") == ((0, 1), (1, 2))
    assert side.spans(b"ab") is None


@pytest.mark.parametrize("affixes", [([7], [8, 9]), ([], [8]), ([7, 7], []), ([], [])])
def test_what_a_library_puts_around_is_found_out(library, affixes):
    assert library(affixes=affixes).affixes() == affixes


def test_one_that_adds_nothing_or_cannot_be_asked_puts_nothing_around(library):
    assert library(encode_special=None, encode=lambda self, text: [0]).affixes() == ([], [])
    assert not library(encode_special=None, encode=lambda self, text: [0]).parses_special
    refusing = library(encode_special=lambda self, text, adds: [][1])
    assert refusing.affixes() == ([], [])
    odd = library(encode_special=lambda self, text, adds: [5, 6] if adds else [0])
    assert odd.affixes() == ([5, 6], [])


def test_one_that_decodes_nothing_gives_an_empty_text(library):
    assert library(decode=None).decode(np.array([0], np.int32)) == ""
    assert library(decode=lambda self, ids: "text").decode(np.array([0], np.int32)) == "text"
    assert library(decode=lambda self, ids: b"a\xff").decode(np.array([0], np.int32)) == "a\ufffd"
