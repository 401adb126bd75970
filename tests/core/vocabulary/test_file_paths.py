"""Names and kinds of files: whatever a path leads to, it opens or is refused with a sentence."""

import os
import re
import sys
from pathlib import Path

import pytest
from gguf_builder import GgufFile
from small_files import array_of, spm, string_of_length, with_tensor

import guiapp
from guiapp.core.formats.table import load_vocabulary
from guiapp.errors import VocabError


def test_unprintable_names_are_escaped(tmp_path):
    path = tmp_path / "evil\n\u202egguf"
    path.write_bytes(b"")
    with pytest.raises(VocabError, match=r"evil\\n\\u202egguf is empty"):
        load_vocabulary(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps file names as UTF-16")
def test_a_file_name_that_is_not_utf8_can_be_opened_and_shown(tmp_path):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.gguf"))
    spm().write(path)
    assert len(load_vocabulary(path)) == 6
    path.write_bytes(b"")
    with pytest.raises(VocabError, match=r"\\xff.gguf is empty"):
        load_vocabulary(path)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, words in {
        "pipe": "regular",
        "loop": "opened",
        "missing": "opened",
        ".": "folder",
        "\0": "opened",
        "x" * 5000: "opened",
    }.items():
        with pytest.raises(VocabError, match=words):
            load_vocabulary(tmp_path / name)
    with pytest.raises(VocabError, match="regular"):
        load_vocabulary("/dev/zero")


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files")
def test_a_sparse_file_of_16_tib_is_read_like_a_small_one(tmp_path):
    path = with_tensor().write(tmp_path / "model.gguf")
    try:
        os.truncate(path, 1 << 44)
    except OSError:
        os.truncate(path, 1 << 42)
    assert len(load_vocabulary(path)) == 6


@pytest.mark.skipif(sys.platform == "win32", reason="needs sparse files")
def test_counts_that_a_sparse_file_covers_do_not_take_memory(tmp_path):
    for number, file in enumerate(
        (
            GgufFile(n_entries=2**35),
            GgufFile(n_tensors=2**35),
            GgufFile().add_raw(array_of(8, 2**30)),
            GgufFile().add_raw(array_of(10, 2**30)),
            GgufFile().add_raw(string_of_length(2**30)),
        )
    ):
        path = file.write(tmp_path / f"{number}.gguf")
        os.truncate(path, 1 << 42)
        with pytest.raises(VocabError):
            load_vocabulary(path)


ODD_NAMES = [
    "", "\0", "a\0b", "x" * 5000, "a/" * 3000, "demo:", "demo:\0", "demo:\x1b[31m", "\ud800", b"abc", b"\xff",
    ".", "..", "~", "\udcff", "no such folder/model.gguf", f"{__file__}/below", "con:", b"demo:\xff",
]  # fmt: skip


@pytest.mark.parametrize("pre", [None, "llama-bpe", "none such", "\ud800"])
@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: ascii(name)[:20])
def test_any_name_of_nothing_is_refused_in_a_sentence_that_can_be_shown(name, pre):
    with pytest.raises(VocabError) as failure:
        guiapp.open_model(name, pre)
    assert str(failure.value).isprintable()


def test_a_file_can_be_named_in_bytes(tmp_path):
    path = spm().write(tmp_path / "model.gguf")
    assert len(guiapp.open_model(os.fsencode(path)).vocabulary) == 6


def test_where_memory_is_too_small_that_is_said(tmp_path, monkeypatch):
    def no_memory(*_):
        raise MemoryError

    monkeypatch.setattr("guiapp.core.formats.gguf._tokens", no_memory)
    with pytest.raises(VocabError, match=re.escape("model.gguf takes more memory than is free")):
        guiapp.open_model(spm().write(tmp_path / "model.gguf"))
