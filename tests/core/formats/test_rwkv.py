"""RWKV's world vocabulary, against its published method: always the longest token that fits."""

from __future__ import annotations

from ast import literal_eval
from collections import defaultdict

import pytest
from conftest import SHARED
from model_files import opened
from random_texts import random_texts

import guiapp
from guiapp.errors import VocabError

PATH = SHARED / "formats" / "rwkv_vocab_v20230424.txt"
BYTES = "".join(f"{byte + 1} {bytes([byte])!r} 1\n" for byte in range(256))


def write(folder, content):
    path = folder / "vocab.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def published(path):
    """The ids of the tokens by their bytes, read as RWKV's own code reads them, but without `eval`."""
    ids = {}
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        value = literal_eval(line[line.index(" ") : line.rindex(" ")].strip())
        ids[value if isinstance(value, bytes) else value.encode()] = int(line[: line.index(" ")])
    return ids


def sizes_by_start(ids):
    """The sizes of the tokens that begin with two bytes, the longest first."""
    sizes = defaultdict(set)
    for text in ids:
        sizes[text[:2]].add(len(text))
    return {start: sorted(those, reverse=True) for start, those in sizes.items()}


def longest_first(ids, sizes, text):
    at, result = 0, []
    while at < len(text):
        candidates = (*sizes.get(text[at : at + 2], ()), 1)
        size = next(size for size in candidates if text[at : at + size] in ids)
        result.append(ids[text[at : at + size]])
        at += size
    return result


@pytest.mark.real_vocabs
@pytest.mark.parametrize("count", [400, pytest.param(20_000, marks=pytest.mark.exhaustive)])
def test_ids_spans_and_bytes_are_those_of_the_published_method(count):
    tokenizer, ids = opened(PATH), published(PATH)
    assert len(tokenizer.vocabulary) == 65_530
    sizes = sizes_by_start(ids)
    for text in random_texts(2, count, [*ids][::101]):
        result = tokenizer.encode(text, parse_special=False)
        assert result.token_ids.tolist() == longest_first(ids, sizes, text), text
        assert [ids[text[start:end]] for start, end in result.spans.tolist()] == result.token_ids.tolist()
        assert tokenizer.decode_bytes(result.token_ids) == text


@pytest.mark.real_vocabs
def test_every_token_has_its_bytes():
    vocabulary = opened(PATH).vocabulary
    assert {vocabulary.token_bytes(token): token for token in range(1, len(vocabulary))} == published(PATH)
    assert vocabulary.raw_text(0) == b"<s>"
    assert vocabulary.kind(0) == "control"
    assert vocabulary.eog == {0}


def test_ids_may_be_left_out(tmp_path):
    tokenizer = guiapp.open_model(write(tmp_path, BYTES + "300 \"it's\" 4\n301 '\\\\x41' 4\n"))
    assert tokenizer.encode("it's\\x41A").token_ids.tolist() == [300, 301, 0x42]
    assert tokenizer.vocabulary.raw_text(299) == b"[PAD299]"
    assert tokenizer.vocabulary.kind(299) == "unused"
    assert tokenizer.exactness.level == "exact"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("7 'a'", "has a line that is not an id, a token and its length: “7 'a'"),
        ("x 'a' 1", "has a line that is not an id, a token and its length: “x 'a' 1"),
        ("7 print('a') 1", "has a line that is not an id, a token and its length: "),
        ("7 f'{1}' 3", "has a line that is not an id, a token and its length: "),
        ("7 '\\N{nothing}' 1", "has a token that is not a Python literal: "),
        ("7 b'é' 2", "has a token that is not a Python literal: "),
        ("7 'a' 1", "has two tokens with the id 7"),
        ("0 'a' 1", "has two tokens with the id 0"),
        ("257 'é' 1", "gives token 257 a length of 1 byte, but it has 2"),
        ("257 '' 0", "gives token 257 a length of 0 bytes, but it has 0"),
        ("257 'a' 1", "has two equal tokens: 98 and 257 are both 'a'"),
        ("9999999 'ab' 2", "has 258 tokens, but one has the id 9,999,999"),
    ],
)
def test_damaged_files_are_refused_in_a_sentence(tmp_path, line, expected):
    with pytest.raises(VocabError) as caught:
        guiapp.open_model(write(tmp_path, f"{BYTES}{line}\n"))
    assert str(caught.value).startswith(f"vocab.txt {expected}")
    assert len(str(caught.value)) < 300
