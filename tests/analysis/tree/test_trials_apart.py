"""Trials in a process of their own."""

import io
import json
import sys

import pytest
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.tree.trials import TrialError, main, unreached, unreached_apart
from guiapp.core.demo import demo_model_path
from guiapp.core.encode.tokenizer import Tokenizer


def never_stop(share):
    """Somebody who goes on waiting."""


def test_a_trial_in_a_process_of_its_own_finds_the_same():
    tokenizer = guiapp.open_model(demo_model_path("bpe"))
    here, apart = unreached(tokenizer, never_stop), unreached_apart(tokenizer, never_stop)
    assert apart.tolist() == here.tolist() != []
    assert apart.dtype == here.dtype


def test_a_model_that_is_gone_is_said(tmp_path):
    path = tmp_path / "gone.gguf"
    path.write_bytes(demo_model_path("bpe").read_bytes())
    tokenizer = guiapp.open_model(path)
    path.unlink()
    with pytest.raises(
        TrialError, match=r"^Whether text leads to each token could not be tried: .*gone\.gguf"
    ):
        unreached_apart(tokenizer, never_stop)


def test_a_vocabulary_that_is_in_no_file_is_tried_here():
    tokenizer = Tokenizer(toy_vocabulary({"a": 0.0, "▁a": 0.0}))
    assert unreached_apart(tokenizer, never_stop).tolist() == unreached(tokenizer, never_stop).tolist()


@pytest.mark.parametrize("pre", ["", "llama-bpe"])
def test_the_process_answers_with_ids(pre, monkeypatch, capsys):
    request = {"model": str(demo_model_path("toy")), "pre": pre}
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(request)))
    main()
    tokenizer = guiapp.open_model("demo:toy", pre or None)
    assert json.loads(capsys.readouterr().out) == unreached(tokenizer, never_stop).tolist()


def test_the_process_says_what_it_cannot_open(tmp_path, monkeypatch):
    request = {"model": str(tmp_path / "gone.gguf"), "pre": ""}
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(request)))
    with pytest.raises(SystemExit, match=r"gone\.gguf"):
        main()


def test_trials_that_nobody_waits_for_end():
    def stop(share):
        shares.append(share)
        raise InterruptedError

    shares = []
    with pytest.raises(InterruptedError):
        unreached(guiapp.open_model("demo:toy"), stop)
    assert shares == [0.5]
