"""What tells one model file from another."""

import hashlib

import pytest

from guiapp.core.errors import VocabError
from guiapp.core.sources.file_hash import MOST_BYTES, file_hash


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
    expected = hashlib.sha256(b"x" + bytes(MOST_BYTES - 1)).hexdigest()
    assert file_hash(path) == expected


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(VocabError, match=r"^none cannot be read: No such file or directory\.$"):
        file_hash(tmp_path / "none")
