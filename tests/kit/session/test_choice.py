"""The rows of the model picker."""

from dataclasses import replace
from pathlib import Path

import pytest
from fake_tokenizer import FakeTokenizer

import guiapp
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.formats.table import Glance
from guiapp.core.sources.installed import Installed
from guiapp.core.vocabulary.vocabulary import SpecialIds
from guiapp.kit.session.choice import Choice, facts, matching, model_rows, named_row, special_facts, summary
from guiapp.kit.session.loader import OpenModel
from guiapp.kit.state.recent import InstalledRow, RecentFile


def test_recent_files_come_before_the_demo_models():
    recent = (
        RecentFile("/models/there.gguf", "Llama", "BPE", "llama-bpe", 128256),
        RecentFile("/models/gone.gguf", "", "SPM", "", 32000),
    )
    rows = [*model_rows(recent, {"/models/gone.gguf"}, (), "demo:spm")]
    assert len(rows) == 2 + len(DEMO_MODELS)
    assert rows[0].detail == "BPE · llama-bpe · 128,256 · there.gguf"
    assert (rows[1].title, rows[1].detail) == ("gone", "not found: /models/gone.gguf")
    assert [row.is_there for row in rows[:3]] == [True, False, True]
    assert [row.name for row in rows if row.is_current] == ["demo:spm"]


def test_all_facts_of_a_model():
    model = OpenModel("/models/fake.gguf", FakeTokenizer())
    assert facts(model) == [
        ("name", "fake"),
        ("type", "SPM"),
        ("tokens", "9"),
        ("file", "/models/fake.gguf"),
        ("BOS", "0 <s>"),
    ]
    bpe = guiapp.open_model("demo:bpe")
    entries = facts(OpenModel("demo:bpe", bpe))
    assert entries[:6] == [
        ("name", "byte-level BPE"),
        ("format", "GGUF"),
        ("type", "BPE"),
        ("pre-tokenizer", bpe.vocabulary.pre),
        ("tokens", f"{len(bpe.vocabulary):,}"),
        ("merges", f"{len(bpe.vocabulary.merges):,}"),
    ]
    by_label = dict(entries)
    assert by_label["chat template"].startswith("{{ bos_token }}{% for message in messages %}")
    assert "general.license  mit\n" in by_label["metadata"]
    assert "chat_template" not in by_label["metadata"]
    toy = dict(facts(OpenModel("demo:toy", guiapp.open_model("demo:toy"))))
    assert toy["warnings"].startswith("253 of the 256 byte tokens are missing")
    assert summary(OpenModel("demo:bpe", bpe)) == f"BPE · {bpe.vocabulary.pre} · {len(bpe.vocabulary):,}"
    chosen = FakeTokenizer(chosen_pre="qwen2")
    assert ("replaced by", "qwen2, chosen by hand") in facts(OpenModel("x.gguf", chosen))


def test_roles_of_tokens_that_are_not_there_are_left_out():
    vocabulary = FakeTokenizer().vocabulary
    special = SpecialIds(bos=0, eos=8, unk=9, sep=-1, fim_pre=1)
    entries = dict(special_facts(replace(vocabulary, special_ids=special)))
    assert entries == {"BOS": "0 <s>", "EOS": "8 ?", "FIM PRE": "1 one"}


def test_installed_models_stand_between_by_where_they_are():
    there = Path("/m/blobs/sha256-1")
    rows = [
        InstalledRow(
            Installed("ollama:llama3.2", "Ollama", there, 4_700_000_000),
            Glance("GGUF", "BPE", "llama-bpe", 128256),
        ),
        InstalledRow(Installed("ollama:new", "Ollama", there, 1000)),
        InstalledRow(
            Installed("/m/a/x.tiktoken", "Folder /m", Path("/m/a/x.tiktoken"), 7), Glance("tiktoken")
        ),
        InstalledRow(Installed("jan:bad", "Jan", there, 9), Glance("GGUF", problem="It is broken.")),
    ]
    recent = (RecentFile("ollama:llama3.2", "Llama", "BPE", "llama-bpe", 128256),)
    assert list(model_rows(recent, (), rows, "ollama:llama3.2"))[1:5] == [
        Choice(
            "Ollama",
            "ollama:llama3.2",
            "llama3.2",
            "BPE · llama-bpe · 128,256 · 4.7 GB",
            True,
            True,
            str(there),
        ),
        Choice("Ollama", "ollama:new", "new", "1.0 kB", location=str(there)),
        Choice("Folder /m", "/m/a/x.tiktoken", "a/x.tiktoken", "tiktoken · 7 B", location="/m/a/x.tiktoken"),
        Choice("Jan", "jan:bad", "bad", "It is broken.", False, location=str(there)),
    ]


@pytest.mark.parametrize(
    ("typed", "detail"),
    [
        ("", None), ("llama", None), ("openai/whisper", None), ("demo:bpe", None), ("hf:", None),
        ("https://", None),
        ("hf:owner/name", "Download its tokenizer"),
        ("https://host/x.gguf", "Download its tokenizer"),
        ("ollama:llama3.2", "Look for it on this machine"),
    ],
)  # fmt: skip
def test_a_name_of_something_far_can_be_typed(typed, detail):
    assert named_row(typed) == ([] if detail is None else [Choice("By name", typed, typed, detail)])


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("/models/x.gguf", "/models/x.gguf"), ("./x.gguf", "./x.gguf"), ("../a b/", "../a b/"),
        ("'/a b/x.gguf'", "/a b/x.gguf"), ('"/a b/x.gguf"', "/a b/x.gguf"),
        ("file:///a%20b/%C3%BC.json", "/a b/ü.json"), ("~/x.gguf", "/home/me/x.gguf"),
    ],
)  # fmt: skip
def test_a_path_can_be_typed_or_pasted_as_other_programs_write_it(typed, path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    choice = Choice("By name", path, typed, "Open this file or folder")
    assert named_row(typed) == [choice]
    assert list(matching([choice], typed)) == [choice]


def test_facts_show_the_name_and_location_of_a_named_model():
    tokenizer = FakeTokenizer()
    tokenizer.vocabulary = replace(tokenizer.vocabulary, path=Path.home() / "blobs" / "sha256-1")
    rows = dict(facts(OpenModel("ollama:llama3.2", tokenizer)))
    assert (rows["opened as"], rows["location"]) == ("ollama:llama3.2", "~/blobs/sha256-1")
    assert "file" not in rows
    rows = dict(facts(OpenModel("/models/x.gguf", tokenizer)))
    assert rows["file"] == "/models/x.gguf"
    assert not {"opened as", "location"} & rows.keys()
