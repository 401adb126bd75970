"""How other libraries are called, and what they say no to."""

import subprocess
import sys
from dataclasses import replace
from importlib import invalidate_caches
from pathlib import Path

import numpy as np
import pytest
from pair_vocabularies import byte_level

from guiapp import open_model
from guiapp.analysis.libraries import llama_library
from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.llama_library import LlamaLibraryError, LlamaVocabulary
from guiapp.analysis.libraries.table import PEERS, peer_source, reason_against, version_of


class Library:
    """Any library: knows what was called with what, from whatever it was made."""

    def __init__(self, log, path=""):
        self._log, self._path = log, path

    def __getattr__(self, name):
        return Library(self._log, f"{self._path}.{name}")

    def __call__(self, *given, **named):
        self._log.append((self._path.lstrip("."), *given, named))
        return Library(self._log)

    def __iter__(self):
        return iter(["ids", "more"])


def test_llama_cpp_reads_files_and_splits_as_they_ask():
    vocabulary = open_model("demo:bpe").vocabulary
    assert peer_source("llama.cpp", open_model("demo:bpe")) == vocabulary.path
    chosen = replace(vocabulary, chosen_pre="qwen2")
    assert reason_against("llama.cpp", chosen) == (
        "llama.cpp splits text as the file asks, not as “qwen2”, chosen by hand."
    )
    assert reason_against("llama.cpp", byte_level(["a b"])) == (
        "llama.cpp reads model files only, and this vocabulary has none."
    )


def test_who_is_not_installed_says_how_to_get_it(monkeypatch):
    missing = replace(PEERS["rs-bpe"], module="no_such_module", package="no-such-package")
    assert PEERS["rs-bpe"].is_installed
    assert not missing.is_installed
    monkeypatch.setitem(PEERS, "rs-bpe", missing)
    told = "rs-bpe is not installed. Install it with: pip install no-such-package"
    assert reason_against("rs-bpe", None) == told
    with pytest.raises(UnavailableError) as caught:
        peer_source("rs-bpe", open_model("demo:bpe"))
    assert str(caught.value) == told
    with pytest.raises(UnavailableError) as caught:
        _ = missing.version
    assert str(caught.value) == told


def test_only_some_take_a_text_as_one_piece():
    tokenizer = open_model("demo:bpe")
    with pytest.raises(UnavailableError, match=r"^tiktoken always splits texts before it merges\.$"):
        peer_source("tiktoken", tokenizer, is_split=False)
    assert peer_source("tokenizers", tokenizer, is_split=False) != peer_source("tokenizers", tokenizer)


@pytest.fixture(scope="module")
def llama():
    pytest.importorskip("xllamacpp")
    return LlamaVocabulary(open_model("demo:bpe").vocabulary.path)


def test_llama_cpp_neither_adds_nor_finds_special_tokens(llama):
    tokenizer = open_model("demo:bpe")
    for text in (b"", b"a", "<|begin_of_text|>汉 b".encode()):
        wanted = tokenizer.encode(text, add_special=False, parse_special=False).token_ids
        assert llama.encode(text).tolist() == wanted.tolist()


def test_llama_cpp_decodes_whatever_is_long_and_writes_special_tokens_out(llama):
    tokenizer = open_model("demo:bpe")
    vocabulary = tokenizer.vocabulary
    longest = max(range(len(vocabulary)), key=lambda token: len(vocabulary.token_bytes(token)))
    special = vocabulary.special_ids.bos
    for ids in ([], [longest], [longest] * 100, [special, longest], [longest, special]):
        wanted = b"".join(vocabulary.token_bytes(token) or vocabulary.raw_text(token) for token in ids)
        assert llama.decode(np.array(ids, np.int32)) == wanted


def test_what_llama_cpp_cannot_load_is_said(tmp_path, llama):
    (tmp_path / "bad.gguf").write_bytes(b"GGUF")
    with pytest.raises(LlamaLibraryError, match=r"^llama\.cpp cannot load this file$"):
        LlamaVocabulary(tmp_path / "bad.gguf")
    with pytest.raises(
        UnavailableError, match=r"^llama.cpp cannot be used: llama.cpp cannot load this file\.$"
    ):
        PEERS["llama.cpp"].open(tmp_path / "bad.gguf")


class FakeLlama:
    """Its parameters lie where they are put."""

    def __init__(self, n_gpu_layers, switches):
        raw = bytearray(llama_library.PARAMETER_BYTES)
        raw[16:20], raw[72:76] = n_gpu_layers.to_bytes(4, "little", signed=True), switches
        self.parameters = llama_library.Parameters.from_buffer(raw)
        self.log = []

    def llama_model_default_params(self):
        return self.parameters

    def llama_model_load_from_file(self, path, parameters):
        self.log.append((path, bytes(parameters.raw[72:76])))
        return 5


@pytest.mark.parametrize(
    ("n_gpu_layers", "switches"), [(0, b"\0\0\1\0"), (-1, b"\0\0\0\0"), (-1, b"\1\0\1\0")]
)
def test_parameters_that_lie_elsewhere_are_not_touched(n_gpu_layers, switches, monkeypatch):
    library = FakeLlama(n_gpu_layers, switches)
    monkeypatch.setattr(llama_library, "_library", lambda: library)
    with pytest.raises(LlamaLibraryError, match="lays out its parameters in another way"):
        LlamaVocabulary(Path("model"))
    assert library.log == []


@pytest.mark.parametrize("is_package", [True, False])
def test_without_its_shared_object_llama_cpp_is_not_there(is_package, tmp_path, monkeypatch):
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path)]})()
    monkeypatch.setattr(llama_library, "find_spec", lambda name: spec if is_package else None)
    with pytest.raises(LlamaLibraryError, match=r"^the xllamacpp package has no shared object here$"):
        llama_library._shared_object()
    (tmp_path / "b.so").touch()
    (tmp_path / "a.so").touch()
    if is_package:
        assert llama_library._shared_object() == tmp_path / "a.so"


def test_llama_cpp_says_nothing_of_its_own(llama):
    path = open_model("demo:bpe").vocabulary.path
    code = f"from {llama_library.__name__} import *; LlamaVocabulary(Path({str(path)!r})).encode(b'a')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_a_folder_that_only_has_the_name_of_a_library_is_none(tmp_path, monkeypatch):
    (tmp_path / "name_of_a_test").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    named = replace(PEERS["rs-bpe"], module="name_of_a_test", package="no-such-package")
    monkeypatch.setitem(PEERS, "rs-bpe", named)
    assert not named.is_installed
    (tmp_path / "name_of_a_test" / "__init__.py").touch()
    invalidate_caches()
    assert named.is_installed
    assert version_of("rs-bpe") == ""
