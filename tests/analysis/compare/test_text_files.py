"""Which files of a folder count as texts, and what is told where there are none."""

import pytest

from guiapp.analysis.compare.texts import LOOKED_AT, TextFolderError, text_files


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    contents = {
        "b.txt": b"text",
        "a.txt": b"",
        "deep/deeper/c": "é".encode(),
        "late.txt": b"x" * LOOKED_AT + b"\0",
        "utf16.txt": "ab".encode("utf-16"),
        "picture": b"ab\0cd",
        "early.bin": b"x" * (LOOKED_AT - 1) + b"\0",
        ".secret": b"text",
        ".hidden/d.txt": b"text",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def names(found, folder):
    return [path.relative_to(folder).as_posix() for path in found.paths]


def test_texts_are_found_in_order_and_others_counted(folder):
    found = text_files(folder)
    assert names(found, folder) == ["a.txt", "b.txt", "deep/deeper/c", "late.txt", "utf16.txt"]
    assert found.n_others == 2


def test_every_file_that_is_not_hidden_counts_as_utf_16_where_that_is_said(folder):
    found = text_files(folder, is_utf16=True)
    assert names(found, folder) == [
        "a.txt", "b.txt", "deep/deeper/c", "early.bin", "late.txt", "picture", "utf16.txt"
    ]  # fmt: skip
    assert found.n_others == 0


def test_a_folder_below_a_hidden_one_is_searched(folder):
    assert names(text_files(folder / ".hidden"), folder) == [".hidden/d.txt"]


@pytest.mark.parametrize("make", [lambda folder: None, lambda folder: (folder / "x").write_bytes(b"\0")])
def test_a_folder_without_texts_is_refused_in_a_sentence(tmp_path, make):
    make(tmp_path)
    with pytest.raises(TextFolderError) as error:
        text_files(tmp_path)
    assert str(error.value) == f"{tmp_path} holds no texts. Choose a folder of texts."


def test_a_file_that_cannot_be_read_is_told_by_its_name(folder, monkeypatch):
    def refusing(path, *given):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("builtins.open", refusing)
    with pytest.raises(TextFolderError) as error:
        text_files(folder)
    assert str(error.value) == f"{folder / 'a.txt'} cannot be read: Permission denied."
