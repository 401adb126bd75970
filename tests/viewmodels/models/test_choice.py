"""The rows of the model picker."""

from fake_tokenizer import FakeTokenizer

from guiapp.core.demo import DEMO_MODELS
from guiapp.viewmodels.models.choice import facts, model_rows, summary
from guiapp.viewmodels.models.loader import OpenModel
from guiapp.viewmodels.recent import RecentFile


def test_recent_files_come_before_the_demo_models():
    recent = (
        RecentFile("/models/there.gguf", "Llama", "BPE", "llama-bpe", 128256),
        RecentFile("/models/gone.gguf", "", "SPM", "", 32000),
    )
    rows = model_rows(recent, {"/models/gone.gguf"}, "demo:spm")
    assert len(rows) == 2 + len(DEMO_MODELS)
    assert rows[0].detail == "BPE · llama-bpe · 128,256 · there.gguf"
    assert (rows[1].title, rows[1].detail) == ("gone", "not found: /models/gone.gguf")
    assert [row.is_there for row in rows[:3]] == [True, False, True]
    assert [row.name for row in rows if row.is_current] == ["demo:spm"]


def test_an_open_model_is_summed_up():
    model = OpenModel("/models/fake.gguf", FakeTokenizer())
    assert summary(model) == "SPM · 9"
    assert ("BOS", "0 <s>") in facts(model)
    assert ("file", "/models/fake.gguf") in facts(model)
