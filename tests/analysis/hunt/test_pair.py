"""What two sides make of texts is compared: ids, else decoded text; libraries give reasons by their ids."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import planted
import pytest
from model_files import opened
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt import pair as sides
from guiapp.analysis.hunt.pair import FileSide, HuntError, LibrarySide, SidePair, library_reason
from guiapp.analysis.hunt.searching import open_pair
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType

TEXTS = [b"Hello there", b"don't 12345", "é 中".encode(), b"a  b\n", b"<|im_end|>"]


def library_pair(model: str, name: str) -> SidePair:
    if not PEERS[name].is_installed:
        pytest.skip(f"{name} is not installed")
    return open_pair(opened(model), name, ("A", name))


class LyingSide:
    """A library that shows ids alone, and changes them as told."""

    tokenizer = None
    takes_bytes = True
    name = "B"

    def __init__(self, side: FileSide, change) -> None:
        self._side, self._change = side, change

    def encode_each(self, texts):
        return [
            self._change(text, ids) for text, ids in zip(texts, self._side.encode_each(texts), strict=True)
        ]

    def decode(self, ids):
        return self._side.decode(ids)

    def affixes(self):
        return self._side.affixes()

    def spans(self, text):
        return None


def lying_pair(change) -> SidePair:
    tokenizer = guiapp.open_model("demo:bpe")
    side = FileSide("A", tokenizer)
    return SidePair(side, LyingSide(side, change))


@pytest.mark.parametrize("name", ["llama.cpp", "tokenizers", "tiktoken"])
def test_a_library_with_our_vocabulary_gives_our_ids(name):
    pair = library_pair("demo:bpe", name)
    mismatches = [
        index for index in pair.differing(TEXTS) if pair.reason(TEXTS[index]).cause is not Cause.DECODED
    ]
    assert mismatches == []


def test_llama_cpp_takes_special_tokens_as_such_and_adds_what_we_add():
    pair = library_pair("demo:bpe", "llama.cpp")
    assert pair.affixes() is None
    ids, theirs = pair.ids(b"<|im_end|>x")
    assert ids == theirs
    assert len(ids) == 3


@pytest.mark.parametrize("name", ["llama.cpp", "tiktoken"])
def test_both_sides_report_the_spans_of_their_tokens(name):
    pair = library_pair("demo:bpe", name)
    for text in (b"Hello there", "é 中".encode()):
        mine, other = pair.spans(text)
        assert mine == other
        assert len(mine) == len(pair.ids(text)[0])
        assert b"".join(text[start:end] for start, end in mine) == text


def test_a_library_with_another_vocabulary_is_refused():
    if not PEERS["rs-bpe"].is_installed:
        pytest.skip("rs-bpe is not installed")
    with pytest.raises(HuntError, match="only the vocabulary o200k_base"):
        LibrarySide("rs-bpe", guiapp.open_model("demo:bpe"))


TOKENIZER = planted.opened("demo:bpe")


def merging_nothing(text):
    names = [TOKENIZER.merging.spell(bytes([byte])) for byte in text]
    return np.array([TOKENIZER.vocabulary.find(name) for name in names], np.int32)


def cut_at_digits(text, ids):
    """As if each digit were a piece."""
    tokenizer = guiapp.open_model("demo:bpe", "qwen2")
    return tokenizer.encode(text, add_special=False).token_ids


END = np.int32(planted.opened("demo:bpe").vocabulary.find(b"<|im_end|>"))
SPACE = np.int32(planted.opened("demo:bpe").vocabulary.find("Ġ".encode()))
MARKED = b"<|im_end|>the"
GIVEN = "A gives {}, B gives {}."
LIES = (
    (
        cut_at_digits,
        b"x12",
        (Cause.PIECES, "digits"),
        f"The text is split differently: {GIVEN.format('`x` | `12`', '`x` | `1` | `2`')} "
        "They differ in digits.",
    ),
    (
        lambda text, ids: ids[:-1] if b"x" in text else ids,
        b"axb",
        (Cause.NORMALIZED, "characters"),
        "The tokens stand for different texts: A gives `axb`, B gives `ax`.",
    ),
    (
        lambda text, ids: None if b"x" in text else ids,
        b"axb",
        (Cause.REFUSED, "by the second"),
        "B refuses `axb`.",
    ),
    (
        lambda text, ids: np.append(ids, np.int32(1 << 20)),
        b"a",
        (Cause.OTHER_VOCABULARY, "ids"),
        "B gives the id 1048576, but there are only 2,560 tokens.",
    ),
    (
        lambda text, ids: ids + 1 if text == b"a" else ids,
        b"a",
        (Cause.NUMBER, "ids"),
        "A gives the id 64 for `a`, B 65.",
    ),
    (
        lambda text, ids: np.append(ids, SPACE),
        b"<|im_end|>",
        (Cause.SPECIAL, "white space next to it"),
        "Only one of the two keeps white space next to special tokens: "
        "A gives `<|im_end|>`, B gives `<|im_end|>·`.",
    ),
    (
        lambda text, ids: np.append(ids, END),
        b"a",
        (Cause.SPECIAL, "special tokens"),
        "Only B takes `<|im_end|>` as one special or added token.",
    ),
    (
        lambda text, ids: ids[1:],
        MARKED,
        (Cause.SPECIAL, "special tokens"),
        "Only A takes `<|im_end|>` as one special or added token.",
    ),
    (
        lambda text, ids: merging_nothing(text),
        b"a the",
        (Cause.MERGE, "pieces"),
        "The piece `·the` is merged differently: "
        + GIVEN.format("`a` | `·the`", "`a` | `·` | `t` | `h` | `e`"),
    ),
)


@pytest.mark.parametrize(("lie", "text", "kind", "sentence"), LIES)
def test_the_reason_for_a_library_follows_from_its_ids(lie, text, kind, sentence):
    pair = lying_pair(lie)
    assert pair.differs(text)
    assert pair.reason(text) == Reason(*kind, sentence)


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_byte_token_of_only_one_side_is_reported(is_ours):
    tokenizer = guiapp.open_model("demo:spm")
    text = "é".encode()
    letter = [tokenizer.vocabulary.find(text)]
    in_bytes = [tokenizer.vocabulary.find(name) for name in (b"<0xC3>", b"<0xA9>")]
    ids = (in_bytes, letter) if is_ours else (letter, in_bytes)
    reason = library_reason(tokenizer, text, *ids, lambda text: ids[1], ("A", "B"))
    assert reason == Reason(
        Cause.FALLBACK, "unknown text", f"Only {'AB'[not is_ours]} gives the byte token `<C3>` for `é`."
    )


def renumbered(content) -> None:
    vocab = content["model"]["vocab"]
    n_tokens = len(vocab)
    content["model"]["vocab"] = {text: n_tokens - 1 - token_id for text, token_id in vocab.items()}
    content["added_tokens"] = []
    content["post_processor"] = None


def test_tokens_are_compared_where_they_are_only_numbered_otherwise(tmp_path):
    paths = planted.Plant(
        "",
        "demo:bpe",
        "json",
        renumbered,
        (),
        lambda content: content.update(added_tokens=[], post_processor=None),
    ).write(tmp_path)
    first, second = map(guiapp.open_model, paths)
    pair = SidePair(FileSide("A", first), FileSide("B", second))
    assert "number their tokens differently" in pair.note
    assert pair.unrelated == ""
    assert pair.differing(TEXTS) == []
    sides = FileSide("A", TOKENIZER), FileSide("B", first)
    assert [SidePair(one, other).takes_bytes for one in sides for other in sides] == [
        True,
        False,
        False,
        False,
    ]


def toy(tokens, vocab_type, merges=(), **ids):
    """With a control token for each role."""
    kinds = {
        name: Attribute.UNKNOWN if name == "<unk>" else Attribute.CONTROL
        for name in tokens.split()
        if "<" in name
    }
    tokens = dict.fromkeys(tokens.split(), 0.0) | kinds
    rules = Rules(byte_encoding=vocab_type is VocabType.BPE, add_bos="bos" in ids)
    return Tokenizer(toy_vocabulary(tokens, vocab_type, merges, rules, SpecialIds(**ids)))


def test_different_token_numbering_is_not_a_difference():
    first = toy("a b c ab <s>", VocabType.BPE, bos=4)
    second = toy("<s> c ab b a", VocabType.BPE, ["a b"], bos=0)
    pair = SidePair(FileSide("A", first), FileSide("B", second))
    assert "number their tokens differently" in pair.note
    assert pair.affixes() is None
    assert pair.differing([b"acb", b"cab"]) == [1]
    assert pair.first_difference(b"cab") == 1


def test_only_texts_refused_by_one_side_are_differences():
    refusing, taking = toy("a b", VocabType.UGM), toy("a b <unk>", VocabType.UGM, unk=2)
    assert SidePair(FileSide("A", refusing), FileSide("B", refusing)).differing([b"az"]) == []
    pair = SidePair(FileSide("A", refusing), FileSide("B", taking))
    assert pair.differing([b"ab", b"az"]) == [1]
    assert (pair.ids(b"az"), pair.spans(b"az")) == ((None, [0, 2]), (None, ((0, 1), (1, 2))))
    assert pair.first_difference(b"az") == 0
    assert pair.reason(b"az").cause is Cause.REFUSED


def test_tokens_of_users_are_compared_between_files_and_where_they_are_parsed(tmp_path):
    plant = planted.Plant("", "demo:bpe", "gguf", planted.retype(b"<think>", 1), ())
    first, second = map(guiapp.open_model, plant.write(tmp_path))
    assert SidePair(FileSide("A", first, False), FileSide("B", second, False)).differs(b"<think>")
    assert lying_pair(lambda text, ids: ids[1:]).differs(b"<think>a")


def test_a_bos_difference_hides_no_other_reason(tmp_path):
    """Two that clean up spaces otherwise, and of which one has no BOS."""

    def change(parts) -> None:
        planted.set_key(add_bos_token=False)(parts)
        planted.set_part(pre="qwen2")(parts)

    first, second = map(guiapp.open_model, planted.Plant("", "demo:bpe", "gguf", change, ()).write(tmp_path))
    pair = SidePair(FileSide("A", first), FileSide("B", second))
    assert pair.affixes().cause is Cause.AROUND
    texts = [text for text in (b"a .", b"it 's", b" ,") if pair.differs(text)]
    assert texts
    assert {pair.reason(text).cause for text in texts} == {Cause.DECODED}


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


class FakeContender:
    """A library whose tokens are letters, `a` being 0, and that puts 7 before a text and 8, 9 behind it."""

    other_vocabulary, special_texts, offsets = "", (), None
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


@pytest.mark.parametrize("affixes", [([7], [8, 9]), ([], [8]), ([7, 7], []), ([], [])])
def test_the_affixes_of_a_library_are_detected(library, affixes):
    assert library(affixes=affixes).affixes() == affixes


def test_one_that_decodes_nothing_gives_an_empty_text(library):
    assert library(decode=None).decode(np.array([0], np.int32)) == ""
    assert library(decode=lambda self, ids: "text").decode(np.array([0], np.int32)) == "text"
    assert library(decode=lambda self, ids: b"a\xff").decode(np.array([0], np.int32)) == "a\ufffd"
