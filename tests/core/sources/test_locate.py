"""What people name as a model, and how it is named where it is kept."""

from pathlib import Path

import pytest

from guiapp.core.demo import demo_model_path
from guiapp.core.sources.locate import (
    cached_name,
    is_cached,
    is_fetched,
    is_plain,
    lasting_name,
    located,
    plain_path,
)
from guiapp.core.vocabulary.opening import Opening
from guiapp.errors import VocabError

NAMES = {  # whether it is fetched, whether it is plain
    "a.gguf": (False, True),
    "./hf:a": (False, True),
    "demo:bpe": (False, True),
    "ollama:llama3.2": (False, False),
    "hf:a/b": (True, False),
    "https://a.b/c": (True, False),
    "HTTP://a.b/c": (True, False),
    "HF:a/b": (False, True),
}


@pytest.mark.parametrize(("name", "kind"), NAMES.items())
def test_a_name_determines_where_a_model_is_searched(name, kind):
    assert (is_fetched(name), is_plain(name)) == kind
    assert cached_name(name) == (f"kept:{name}" if kind[0] else name)
    if kind[0]:
        assert lasting_name(cached_name(name)) == lasting_name(name) == name
    elif kind[1] and not name.startswith("demo:"):
        assert lasting_name(name) == str(Path.cwd() / name)
    else:
        assert lasting_name(name) == name


def test_paths_and_demo_models_are_files(tmp_path):
    assert plain_path(str(tmp_path)) == tmp_path
    assert plain_path("demo:toy") == demo_model_path("toy")
    with pytest.raises(VocabError, match=r"^The name of the model is empty\. Give a file, or a demo model: "):
        plain_path("")
    opening = Opening(lambda _share: None)
    for named in (str(tmp_path), str(tmp_path).encode(), tmp_path):
        assert located(named, opening) == (tmp_path, None, None)


def test_a_model_never_downloaded_is_not_cached(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert not is_cached("https://example.invalid/never/fetched.gguf")
    with pytest.raises(VocabError, match=r"^https://example.invalid/a is not cached\. Open it by this"):
        located("kept:https://example.invalid/a", Opening(lambda _share: None))
