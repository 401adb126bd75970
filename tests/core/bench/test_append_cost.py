"""The cost of appending is told in encodings, and text without cuts costs no more than other text."""

from __future__ import annotations

from functools import partial

import pytest

from guiapp.core.bench import append_cost
from guiapp.core.bench.append_cost import cost, load_model


@pytest.mark.parametrize(
    ("model", "grow"),
    [
        *((model, append_cost.append) for model in ("demo:bpe", "demo:wordpiece", "demo:rwkv")),
        *((model, append_cost.prepend) for model in ("demo:bpe", "demo:spm")),
    ],
)
def test_a_text_without_cuts_costs_a_few_encodings(model, grow):
    text = dict(append_cost.texts([]))["one letter"]
    assert cost(partial(load_model, model), text, False, rounds=3, grow=grow) < 20


def test_models_and_texts_are_named_with_what_they_cost(tmp_path, monkeypatch, capsys):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("The end. " * 50)
    monkeypatch.setattr(append_cost, "RUN_BYTES", 300)
    monkeypatch.setattr("sys.argv", ["append_cost", "demo:bpe", "--corpus", str(corpus)])
    append_cost.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[33:53].strip() for line in lines] == ["corpus.txt", "random letters", "one letter"]
    assert all("demo:bpe" in line and "warm" in line and "cold" in line for line in lines)
