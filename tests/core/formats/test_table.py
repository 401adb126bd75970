"""Which format a file is of, and which vocabularies are kept."""

from __future__ import annotations

import gzip
import json
import os

import pytest
from piece_models import bin_row as row
from piece_models import piece
from small_files import TOKENS, spm

import guiapp
from guiapp.core.formats import table
from guiapp.core.formats.table import FORMATS, Glance, format_of, is_tokenizer, load_vocabulary
from guiapp.core.processes import ApartError
from guiapp.errors import VocabError

BEGINNINGS = {
    "GGUF": b"GGUF\3\0\0\0",
    "tekken.json": b'{"config": {"default_num_special_tokens": 1000',
    "tokenizer.json": b'{"version": "1.0", "truncation": null,',
    "tiktoken": b"IQ== 0\nIg== 1\n",
    "RWKV vocabulary": b"1 '\\x00' 1\n",
    "vocab.json and merges.txt": b'{"!": 0, "#": 1, "$": 2, "%": 3',
    "vocab.txt": b"[PAD]\n[UNK]\nthe\n",
    "CLIP's merges": gzip.compress(b'"bpe_simple_vocab_16e6.txt#version: 0.2\ni n\n'),
    "SentencePiece": piece("<unk>", 0.0, 2) + piece("<s>", 0.0, 3),
    "tokenizer.bin": b"\x1b\0\0\0" + row(b"<unk>") + row(b"\n<s>\n") + row(b"\n</s>\n"),
}


def test_each_format_is_known_by_its_first_bytes_and_by_no_others(tmp_path):
    assert [each.name for each in FORMATS] == [*BEGINNINGS]
    for name, head in BEGINNINGS.items():
        assert [each.name for each in FORMATS if each.sniff(head)] == [name]
        path = tmp_path / "anything.gguf"
        path.write_bytes(head)
        assert format_of(path).name == name
        assert is_tokenizer(head)
    for head in (b"", b"text", b"{}", b'{"model": {"type": "BPE"}}', b"GGU", b"hello 1\n"):
        assert not is_tokenizer(head)


def test_json_of_no_tokenizer_leads_to_that_of_one(tmp_path):
    path = tmp_path / "tokenizer_config.json"
    path.write_bytes(b'{\n  "add_bos_token": true}')
    with pytest.raises(VocabError, match="is JSON, but not a tokenizer"):
        load_vocabulary(path)


@pytest.mark.parametrize("head", [b"\x10\0\0\0\0\0\0\0{}", b"PK\3\4", b"<!DOCTYPE html>", b"ggml", None])
def test_what_is_of_no_format_leads_to_several_formats(tmp_path, head):
    path = tmp_path / "model.safetensors"
    os.mkfifo(path) if head is None else path.write_bytes(head)
    with pytest.raises(VocabError, match=r"Choose .*tokenizer\.json.*\.gguf") as caught:
        load_vocabulary(path)
    assert "GGUF file" not in str(caught.value)


@pytest.mark.parametrize("name", ["missing.tiktoken", "", "."])
def test_unreadable_files_raise_an_error(tmp_path, name):
    with pytest.raises(VocabError):
        load_vocabulary(tmp_path / name)


def test_a_changed_file_is_read_again(tmp_path):
    path = spm().write(tmp_path / "model.gguf")
    first = load_vocabulary(path)
    assert load_vocabulary(path) is first
    spm(tokens=[*TOKENS, "c"]).write(path)
    assert len(load_vocabulary(path)) == 7


def test_a_file_is_read_again_when_a_sidecar_file_changed(tmp_path):
    path = tmp_path / "x-vocab.json"
    path.write_text(json.dumps({text: row for row, text in enumerate(["a", "b", "c", "ab", "bc"])}))
    results = []
    for rules in ("a b\n", "b c\na b\n"):
        (tmp_path / "x-merges.txt").write_text(f"#version: 0.2\n{rules}")
        results.append(guiapp.open_model(path).encode("abc").token_ids.tolist())
    assert results == [[3, 2], [0, 4]]


def test_a_file_that_changes_while_it_is_read_is_not_cached(tmp_path, monkeypatch):
    path = spm().write(tmp_path / "model.gguf")
    gguf = FORMATS[0]

    def read(*given):
        vocabulary = gguf.read(*given)
        os.utime(path, ns=(1, len(os.listdir(tmp_path))))
        return vocabulary

    monkeypatch.setattr(table, "FORMATS", (gguf._replace(read=read),))
    first = load_vocabulary(path)
    monkeypatch.setattr(table, "FORMATS", FORMATS)
    assert load_vocabulary(path) is not first


def test_one_file_with_and_without_a_chosen_pre_tokenizer_is_two_vocabularies(tmp_path):
    path = tmp_path / "own.tiktoken"
    path.write_bytes(b"IQ== 0\nIg== 1\n")
    chosen = [load_vocabulary(path, pre=pre) for pre in ("qwen", "r50k_base", "r50k_base")]
    assert [each.chosen_pre for each in chosen] == ["qwen", "r50k_base", "r50k_base"]
    assert chosen[1] is chosen[2]


@pytest.mark.parametrize("error", [ApartError("killed"), TimeoutError()])
def test_where_it_fails_nothing_is_known_of_any_file(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr("guiapp.core.processes.answer_of", fail)
    assert table.glances_apart([tmp_path / "a", tmp_path / "b"], lambda _: None) == [Glance("")] * 2
