import os
from threading import Thread

import pytest

from guiapp import open_model
from guiapp.analysis.bench import corpus
from guiapp.analysis.bench.corpus import (
    WORST_TEXTS,
    CorpusError,
    corpus_named,
    random_text,
    stretched,
    worst_texts,
)


@pytest.fixture(scope="module")
def vocabulary():
    return open_model("demo:bpe").vocabulary


@pytest.mark.parametrize("size", [*range(12), 1000, 1002, 1006])
def test_a_stretched_text_has_its_size_and_whole_characters(size):
    text = stretched("añ😍z".encode(), size)
    assert len(text) == size
    assert len(text.decode().rstrip().encode()) > size - 4  # as many whole characters as fit
    assert text.rstrip() == ("añ😍z" * 200).encode()[: len(text.rstrip())]


def test_named_corpora(vocabulary, tmp_path):
    (tmp_path / "one.txt").write_bytes(b"one")
    (tmp_path / "two.txt").write_bytes(b"two\xff")
    assert corpus_named(str(tmp_path / "two.txt"), vocabulary).text == b"two\xff"
    assert corpus_named(str(tmp_path), vocabulary).text == b"one\ntwo\xff"
    assert corpus_named("sample:code", vocabulary).name == "sample:code"
    assert corpus_named(str(tmp_path), vocabulary).name == tmp_path.name
    tutorial = corpus_named("tutorial", vocabulary).text.decode()
    assert tutorial.count("Hello, 世界!🤔\r\n") == 100


@pytest.mark.parametrize(
    ("name", "message"), [("no/such/text", "no/such/text"), ("sample:poem", "english"), ("EMPTY", "empty")]
)
def test_an_unreadable_corpus_is_reported_in_one_line(vocabulary, tmp_path, name, message):
    (tmp_path / "EMPTY").touch()
    path = str(tmp_path / name) if name == "EMPTY" else name
    with pytest.raises(CorpusError, match=message) as error:
        corpus_named(path, vocabulary)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["large", "folder", "pipe", "/dev/zero"])
def test_a_text_without_an_end_or_too_large_is_refused_before_it_fills_the_memory(
    vocabulary, tmp_path, monkeypatch, name
):
    folder, pipe = tmp_path / "folder", tmp_path / "pipe"
    folder.mkdir()
    for number in range(3):
        (folder / str(number)).write_bytes(b"x" * 40)
    with (tmp_path / "large").open("wb") as file:
        file.truncate(2_000_000_000)  # a hole: it takes no room on the disk
    if name != "large":
        monkeypatch.setattr(corpus, "MOST_BYTES", 100)
    if name == "pipe":
        os.mkfifo(pipe)
        writing = Thread(target=pipe.write_bytes, args=[b"y" * 101])
        writing.start()
    with pytest.raises(CorpusError, match="no end" if name == "/dev/zero" else "larger than") as error:
        corpus_named(str(tmp_path / name), vocabulary)
    assert "\n" not in str(error.value)
    if name == "pipe":
        writing.join()
    (folder / "2").unlink()
    assert len(corpus_named(str(folder), vocabulary).text) == 81


def test_random_text_comes_from_the_vocabulary_and_from_its_seed(vocabulary):
    text = random_text(vocabulary, 500, seed=1)
    assert text.decode()
    assert text == random_text(vocabulary, 500, seed=1)
    assert text != random_text(vocabulary, 500, seed=2)


def test_worst_texts_have_no_place_to_split(vocabulary):
    texts = worst_texts(vocabulary, 1000)
    assert list(texts) == list(WORST_TEXTS)
    assert all(len(text) == 1000 and text.isalpha() for text in texts.values())
    assert texts["one letter"] == b"a" * 1000
