"""A home of its own for each test, and a server that is asked instead of the web."""

import pytest
from loopback import serving

CACHES = ("OLLAMA_MODELS", "LLAMA_CACHE", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
VARIABLES = (*CACHES, *PROXIES, *map(str.upper, PROXIES), "HF_ENDPOINT", "HF_TOKEN")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / ".local/share"))
    return folder


@pytest.fixture
def server(monkeypatch):
    with serving() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.address)
        yield running
