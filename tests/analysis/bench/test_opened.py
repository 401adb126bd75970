"""The model that contenders find open."""

import json

import pytest

from guiapp.analysis.bench import worker as opened
from guiapp.analysis.bench.control import OPEN_EARLY
from guiapp.errors import VocabError


@pytest.fixture
def early(monkeypatch):
    """What a process opens that is started with this in its environment."""

    def start(model, pre=None):
        monkeypatch.setenv(OPEN_EARLY, json.dumps([model, pre]))
        found = opened._open_early()
        monkeypatch.setattr(opened, "_early", found)
        return found

    return start


def test_a_model_is_opened_once_and_others_when_they_are_asked_for(early):
    early("demo:bpe")
    first = opened.opened_model("demo:bpe")
    assert opened.opened_model("demo:bpe").tokenizer is first.tokenizer
    other = opened.opened_model("demo:bpe", "gpt-2")
    assert other.tokenizer is not first.tokenizer
    assert other.tokenizer.vocabulary.chosen_pre == "gpt-2"
    assert opened.opened_model("demo:spm").tokenizer.vocabulary.type.value == "SPM"


def test_what_cannot_be_opened_is_told_to_who_asks_for_it(early, tmp_path):
    (tmp_path / "none.gguf").write_bytes(b"GGUF")
    assert early(str(tmp_path / "none.gguf")) == {}
    with pytest.raises(VocabError):
        opened.opened_model(str(tmp_path / "none.gguf"))
