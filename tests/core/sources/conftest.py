"""A home of its own for each test, and a server that is asked instead of the web."""

import pytest
from installed_models import move_home
from loopback import serving


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    return move_home(tmp_path / "home", monkeypatch)


@pytest.fixture
def server(monkeypatch):
    with serving() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.address)
        yield running
