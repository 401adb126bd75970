"""`tokenloupe models`, as it is printed."""

import json

import pytest
from installed_models import fill_home, move_home, put

from guiapp.cli.main import run
from guiapp.core.demo import demo_model_path


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    return move_home(tmp_path / "home", monkeypatch)


def test_the_json_has_stable_keys(capsys, home):
    expected = fill_home(home)
    assert run(["models", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["path"] for row in rows} == {name: str(path) for name, path in expected.items()}
    (row,) = [row for row in rows if row["name"] == "gpt4all:wordpiece.gguf"]
    path = demo_model_path("wordpiece")
    assert row == {
        "name": "gpt4all:wordpiece.gguf",
        "path": f"{home}/.local/share/nomic.ai/GPT4All/wordpiece.gguf",
        "source": "GPT4All",
        "format": "GGUF",
        "size_bytes": path.stat().st_size,
        "type": "WPM",
        "pre": "",
        "tokens": 2672,
        "problem": "",
    }


def test_folders_are_added_and_removed(capsys, home, tmp_path):
    put(tmp_path / "mine/x.gguf", demo_model_path("toy").read_bytes())
    mine = str(tmp_path / "mine")
    assert run(["models", "--add", mine]) == 0
    assert run(["models"]) == 0
    assert f"Folder {mine}\n  {mine}/x.gguf" in capsys.readouterr().out
    assert (run(["models", "--remove", mine]), run(["models", "--remove", mine])) == (0, 1)
    assert f"{mine} is not a folder that you added with --add." in capsys.readouterr().err
    assert run(["models", "--add", f"{mine}/x.gguf"]) == 1
    assert "is not a folder. Choose a folder." in capsys.readouterr().err
