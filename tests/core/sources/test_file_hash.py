"""What tells one model file from another."""

import hashlib

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp import open_model
from guiapp.core.demo import demo_model_path
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources import files as module
from guiapp.core.sources.files import MOST_HASHED_BYTES, file_hash, whole_hash
from guiapp.core.sources.locate import hash_of, is_another
from guiapp.errors import VocabError


def test_a_file_has_the_hash_that_other_programs_give_it(tmp_path):
    path = tmp_path / "a"
    for data in (b"", b"a" * 10, b"b" * (9 << 20)):
        path.write_bytes(data)
        assert file_hash(path) == hashlib.sha256(data).hexdigest()


def test_of_a_large_file_only_the_beginning_is_read(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.write(b"x")
        file.truncate(50 << 30)  # takes no room
    expected = hashlib.sha256(b"x" + bytes(MOST_HASHED_BYTES - 1)).hexdigest()
    assert file_hash(path) == expected


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(VocabError, match=r"^none cannot be read: No such file or directory\.$"):
        file_hash(tmp_path / "none")


def test_all_of_a_file_is_hashed_where_that_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_HASHED_BYTES", 3)
    path = tmp_path / "large"
    path.write_bytes(b"abcd")
    assert whole_hash(path) == hashlib.sha256(b"abcd").hexdigest()
    assert file_hash(path) == hashlib.sha256(b"abc").hexdigest()


def test_a_model_is_another_one_where_both_hashes_are_known_and_differ():
    toy = open_model("demo:toy")
    own = file_hash(demo_model_path("toy"))
    assert hash_of(toy, "demo:toy") == own
    for model, sha256, is_other in (
        *(("demo:toy", own, False), ("demo:toy", own.upper(), False), ("demo:toy", "", False)),
        *(("demo:toy", "ab", True), ("hf:a/b", "ab", False), ("https://a.b/c", "ab", False)),
    ):
        assert is_another(toy, model, sha256) == is_other
    in_memory = Tokenizer(toy_vocabulary({"a": 0.0}))
    assert hash_of(in_memory, "a") == ""
    assert not is_another(in_memory, "a", "ab")
