"""Files of tokenizers, step by step: their models are walked through like those of GGUF files."""

from __future__ import annotations

import json

import pytest

import guiapp
from guiapp.analysis.trace.pseudo_code import pseudo_code
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import Replay
from guiapp.analysis.trace.sentences import StepDescriber

BYTES = [[f"<0x{byte:02X}>", -9.0] for byte in range(256)]
MODELS = {
    "wordpiece": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "vocab": {text: row for row, text in enumerate(["[UNK]", "un", "##able", "##a", "a"])},
        "max_input_chars_per_word": 8,
    },
    "viterbi": {
        "type": "Unigram",
        "unk_id": 0,
        "byte_fallback": True,
        "vocab": [["<unk>", 0.0], ["un", -2.0], ["able", -3.0], ["a", -1.0], *BYTES],
    },
    "wordlevel": {
        "type": "WordLevel",
        "unk_token": "[UNK]",
        "vocab": {"[UNK]": 0, "a": 1, "unable": 2},
    },
}


@pytest.mark.parametrize("name", MODELS)
def test_each_step_is_told_and_the_last_one_has_the_tokens(tmp_path, name):
    path = tmp_path / "tokenizer.json"
    content = {"pre_tokenizer": {"type": "WhitespaceSplit"}, "model": MODELS[name], "added_tokens": []}
    path.write_text(json.dumps(content))
    tokenizer = guiapp.open_model(path)
    text = "unable a é unablex aaaaaaaaaa"
    trace = record(tokenizer, text, name)
    expected = tokenizer.encode(text, encoder=name).token_ids.tolist()
    assert Replay(trace).tokens(len(trace)).ids.tolist() == expected
    describer = StepDescriber(trace, tokenizer.vocabulary)
    told = [describer.sentence(step) for step in range(len(trace))]
    assert all(told)
    assert any("try a shorter one" in sentence for sentence in told) == (name == "wordpiece")
    for step in range(len(trace)):
        code, line = pseudo_code(trace, step)
        assert code.lines[line]
