"""Texts that are made from a vocabulary, and what is no file."""

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.core.bench.corpus import corpus_named, is_made, random_text, stretched, worst_texts
from guiapp.core.bench.plan import BenchError, Plan, from_any_folder, plan_from, whole_path
from guiapp.core.vocab.attributes import Attribute
from guiapp.core.vocab.vocabulary import VocabType

LETTERS = [bytes([letter]) for letter in b"abcdefghijklmnopqrstuvwxyz"]


def bpe(*tokens: str):
    return toy_vocabulary({**dict.fromkeys(tokens, 0.0), "<s>": Attribute.CONTROL}, VocabType.BPE)


def drawn(texts: list[bytes], size: int, seed: int) -> bytes:
    """More than enough of them, without a repetition."""
    rows = np.random.default_rng(seed).integers(0, len(texts), 4 * size)
    return b"".join(texts[row] for row in rows)[:size]


def test_random_text_is_drawn_from_tokens_that_are_whole_characters():
    vocabulary = bpe("a", "bcd", "Ġe", "Ã", "Ã©")
    for size, seed in ((1, 0), (1_000, 0), (1_000, 3)):
        found = random_text(vocabulary, size, seed)
        wanted = drawn([b"a", b"bcd", b" e", "é".encode()], size, seed)
        assert found.rstrip() == wanted[: len(found.rstrip())].rstrip()
        assert len(found) == size


def test_without_a_whole_character_there_are_letters():
    assert random_text(bpe("Ã"), 20, 0) == b"a" * 20
    texts = worst_texts(bpe("1", "é"), 50, 1)
    assert texts["joined tokens"] == texts["random letters"] == drawn(LETTERS, 50, 1)


def test_the_worst_texts_are_one_letter_random_letters_and_the_longest_words():
    words = ["b", "longest", "c", "longish", "d", "e", "Ġspace", "Ġ", "f", "1234567890"]
    texts = worst_texts(bpe(*words), 1_000, 2)
    assert list(texts.items()) == [
        ("one letter", b"a" * 1_000),
        ("random letters", drawn(LETTERS, 1_000, 2)),
        ("joined tokens", drawn([b"longest"], 1_000, 2)),
    ]
    both = drawn([b"longest", b"longish"], 100, 2)
    assert worst_texts(bpe(*words, "g", "éééééééé"), 100, 2)["joined tokens"] == both
    assert worst_texts(bpe("b", "cc"), 10)["joined tokens"] == b"cccccccccc"
    assert worst_texts(bpe("b"), 10)["random letters"] == drawn(LETTERS, 10, 0)


@pytest.mark.parametrize(
    ("name", "is_ours"),
    [("random", True), ("tutorial", True), ("sample:x", True), ("sample", False), ("a.txt", False)],
)
def test_some_names_are_no_files(name, is_ours):
    assert is_made(name) is is_ours


def test_names_stay_with_their_texts(tmp_path, monkeypatch):
    vocabulary = bpe("a", "b")
    found = corpus_named("random", vocabulary, 3)
    assert (found.name, found.text) == ("random", random_text(vocabulary, 200_000, 3))
    assert corpus_named("random", vocabulary) == corpus_named("random", vocabulary, 0)
    assert corpus_named("tutorial", vocabulary).name == "tutorial"
    (tmp_path / "b").mkdir()
    for name in ("b/y", "b/x", "a", "c"):
        (tmp_path / name).write_text(name)
    found = corpus_named(str(tmp_path), vocabulary)
    assert (found.name, found.text) == (tmp_path.name, b"a\nb/x\nb/y\nc")
    monkeypatch.chdir(tmp_path)
    assert corpus_named(".", vocabulary).name == "."


@pytest.mark.parametrize(
    ("text", "size", "wanted"),
    [
        ("ab", 0, ""), ("ab", 1, "a"), ("ab", 2, "ab"), ("ab", 5, "ababa"), ("é", 1, " "), ("é", 3, "é "),
        ("aé", 2, "a "), ("aé", 3, "aé"), ("😍", 7, "😍   "),
    ],
)  # fmt: skip
def test_stretched_texts_end_with_a_whole_character(text, size, wanted):
    assert stretched(text.encode(), size) == wanted.encode()


def test_a_plan_has_its_defaults_and_lists_become_tuples():
    assert Plan("m").record() | {"threads": ()} == {
        "model": "m",
        "corpora": ("sample:english", "sample:code", "sample:languages", "tutorial"),
        "contenders": (),
        "with_peers": False,
        "scenarios": ("throughput", "short", "cold", "decode"),
        "threads": (),
        "time_budget_s": 60.0,
        "largest_bytes": None,
        "call_limit_s": 10.0,
        "clock": "auto",
        "seed": 0,
        "pre": None,
        "repeat": "never",
        "own": (),
    }
    assert plan_from({"model": "m", "threads": [1, 2], "seed": 3}) == Plan("m", threads=(1, 2), seed=3)
    with pytest.raises(BenchError, match=r"^This is not a plan for a benchmark: .*colour"):
        plan_from({"model": "m", "colour": "blue"})


@pytest.mark.parametrize(
    "changes",
    [
        *(
            {name: odd}
            for name in Plan("m").record()
            for odd in (-1, 10**400, {"a": 1}, [["a"]], float("nan"))
        ),
        {"model": "a\0b"},
        {"threads": [0]},
        {"threads": [10**9]},
        {"corpora": [1]},
        {"corpora": "english"},
        {"repeat": "often"},
        {"own": [1]},
    ],
)
def test_what_comes_as_a_plan_and_is_none_is_told(changes):
    with pytest.raises(BenchError, match=r"^This is not a plan for a benchmark: its “\w+” is not what"):
        plan_from({"model": "m", **changes})


@pytest.mark.parametrize("record", [[], None, 1, "model"])
def test_a_plan_is_an_object(record):
    with pytest.raises(BenchError, match="no object"):
        plan_from(record)


@pytest.mark.parametrize(("n_cores", "threads"), [(1, (1,)), (None, (1,)), (6, (1, 6))])
def test_threads_are_one_and_all(n_cores, threads, monkeypatch):
    import importlib
    import os

    from guiapp.core.bench import plan

    with monkeypatch.context() as changed:
        changed.setattr(os, "cpu_count", lambda: n_cores)
        spec = importlib.util.spec_from_file_location("plan_of_another_machine", plan.__file__)
        module = importlib.util.module_from_spec(spec)
        changed.setitem(importlib.sys.modules, spec.name, module)
        spec.loader.exec_module(module)
    assert module.Plan("m").threads == threads


def test_files_of_a_plan_get_their_whole_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("model", "text", "random"):
        (tmp_path / name).touch()
    plan = Plan("model", ("text", "random", "missing"))
    whole = [str(tmp_path / name) for name in ("model", "text")]
    assert from_any_folder(plan) == Plan(whole[0], (whole[1], "random", "missing"))
    assert (whole_path("model"), whole_path("demo:bpe")) == (whole[0], "demo:bpe")
