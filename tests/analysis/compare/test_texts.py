"""Texts compared one after the other, and what is told about them."""

import random
from functools import partial
from itertools import combinations

import pytest
from model_files import opened
from random_texts import random_texts

import guiapp
from guiapp.analysis.compare import lines, texts
from guiapp.analysis.compare.comparison import ModelSide, compare_text
from guiapp.analysis.compare.texts import LOOKED_AT, TextFolderError, compare_texts, text_files
from guiapp.analysis.compare.texts_report import Terms, record
from guiapp.core.encode.counting.growing import encoded_parts

DEMO_NAMES = "demo:bpe", "demo:wordpiece", "demo:unigram", "demo:rwkv"
TEXTS = [
    ("b.TXT", "naïve 汉字\n".encode()),
    ("a/x.py", b"def f(x):\n    return unbelievable\n"),
    ("c.txt", b""),
]


@pytest.fixture(scope="module")
def sides():
    return [ModelSide(name, guiapp.open_model(name)) for name in ("demo:bpe", "demo:spm", "demo:wordpiece")]


@pytest.fixture(scope="module")
def compared(sides):
    return compare_texts(sides, TEXTS)


def test_sums_and_differences_are_those_of_each_text(sides, compared):
    each = [compare_text(sides, text) for _, text in TEXTS]
    assert compared.n_texts == 3
    assert (
        compared.n_differences == len(compared.differences) == sum(len(one.spans.differences) for one in each)
    )
    for row in range(len(sides)):
        assert compared.n_equal[row] == sum(one.spans.n_equal(row) for one in each)
        assert compared.n_own[row] == sum(one.spans.n_own(row) for one in each)
    assert [list(counts.file_types) for counts in compared.counts] == [[".txt", ".py"]] * 3


def test_a_difference_has_its_line_ids_and_token_bytes(sides, compared):
    of_name = dict(TEXTS)
    ids = [compare_text(sides, text) for text in of_name.values()]
    ids = [each.difference_ids(row) for each in ids for row in range(len(each.spans.differences))]
    assert [[list(each) for each in difference.token_ids] for difference in compared.differences] == ids
    for difference in compared.differences:
        text = of_name[difference.name]
        assert difference.line == text[: difference.start].count(b"\n") + 1
        for side, token_ids, pieces in zip(sides, difference.token_ids, difference.pieces, strict=True):
            assert len(token_ids) == len(pieces)
            if difference.start == difference.end:
                assert list(pieces) == [side.tokenizer.vocabulary.raw_text(each) for each in token_ids]
            elif side.name == "demo:bpe":  # leaves nothing out
                assert b"".join(pieces) == text[difference.start : difference.end]


@pytest.mark.parametrize(("number", "models"), [*enumerate(combinations(DEMO_NAMES, 2))])
def test_lines_in_blocks_come_to_what_the_whole_text_does(number, models, monkeypatch):
    sides, n_parts, n_rounds = [ModelSide(name, opened(name)) for name in models], 0, 3
    monkeypatch.setattr(lines, "encoded_parts", partial(encoded_parts, least_bytes=1))
    for index in range(number * n_rounds, (number + 1) * n_rounds):
        rng = random.Random(index)
        ends = [b"\n", b"\n\n", b" \n", b"\r\n", "\n\u0301a".encode(), "\n\u3099".encode(), b"\n</s>"]
        text = b"".join(each[:60] + rng.choice(ends) for each in random_texts(index, 8))
        size = rng.choice((1, 5, 50))
        blocks = [text[start : start + size] for start in range(0, len(text), size)]
        records = []
        for given, least_bytes in ((blocks, 1), ([text], len(text) + 1)):
            monkeypatch.setattr(texts, "compare_lines", partial(lines.compare_lines, least_bytes=least_bytes))
            result = compare_texts(sides, [("x.txt", given)], 600)
            records.append((record(result, Terms()), [each.pieces for each in result.differences]))
        assert records[0] == records[1], text
        n_parts += len(list(lines.compare_lines(sides, blocks, 1)))
    assert n_parts > 2 * n_rounds


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


@pytest.mark.parametrize("make", [lambda folder: None, lambda folder: (folder / "x").write_bytes(b"\0")])
def test_a_folder_without_texts_is_refused_in_a_sentence(tmp_path, make):
    make(tmp_path)
    with pytest.raises(TextFolderError) as error:
        text_files(tmp_path)
    assert str(error.value) == f"{tmp_path} has no text files. Choose a folder with text files."


def test_an_unreadable_file_is_named_in_the_error(folder, monkeypatch):
    def refusing(path, *given):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("builtins.open", refusing)
    with pytest.raises(TextFolderError) as error:
        text_files(folder)
    assert str(error.value) == f"{folder / 'a.txt'} cannot be read: Permission denied."
