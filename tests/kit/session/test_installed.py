"""The models of a machine: first their names, then what they are, without the window waiting."""

import shutil

import pytest
from installed_models import fill_home, move_home, put

from guiapp.core.demo import demo_model_path
from guiapp.core.formats import table
from guiapp.core.formats.table import Glance
from guiapp.core.processes import ApartError
from guiapp.core.sources import cached
from guiapp.core.sources.installed import add_folder
from guiapp.kit.state.recent import InstalledModels

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    return move_home(tmp_path / "home", monkeypatch)


@pytest.fixture
def models():
    made = InstalledModels()
    yield made
    made.close()


def scanned(models, qtbot):
    """Everything that is said until nothing more is to be found out."""
    updates = []
    models.changed.connect(lambda: updates.append([row.glance for row in models.rows]))
    models.scan()
    qtbot.waitUntil(lambda: not models.is_looking, timeout=30_000)
    return updates


def test_names_come_first_and_then_kinds(models, qtbot, home):
    expected = fill_home(home)
    names, kinds = scanned(models, qtbot)
    assert {row.model.name for row in models.rows} == {*expected}
    assert names == [None] * 12
    by_name = {row.model.name: row.glance for row in models.rows}
    assert by_name["ollama:llama3.2"] == Glance("GGUF", "BPE", "llama-bpe", 2560)
    assert by_name["gpt4all:wordpiece.gguf"] == Glance("GGUF", "WPM", "", 2672)
    assert kinds == [row.glance for row in models.rows]


def test_only_changed_files_are_examined_again(models, qtbot, home, monkeypatch):
    one, two = (put(home / f".cache/llama.cpp/{name}.gguf", b"GGUF") for name in "ab")
    scanned(models, qtbot)
    asked = []
    monkeypatch.setattr(
        table, "glances_apart", lambda paths, _progress: asked.append(paths) or [Glance("new")] * len(paths)
    )
    assert scanned(models, qtbot) == []
    shutil.copy(demo_model_path("toy"), two)
    scanned(models, qtbot)
    assert asked == [(two,)]
    assert [row.glance.format for row in models.rows] == ["GGUF", "new"]
    one.unlink()
    scanned(models, qtbot)
    assert [row.model.path for row in models.rows] == [two]


def test_custom_folders_are_listed_even_if_the_process_fails(models, qtbot, tmp_path, monkeypatch):
    put(tmp_path / "own/x.gguf", b"GGUF")
    add_folder(tmp_path / "own")
    tries = []

    def fail(*_arguments):
        tries.append(1)
        raise ApartError

    monkeypatch.setattr("guiapp.core.processes.answer_of", fail)
    for _ in range(2):
        scanned(models, qtbot)
        assert [(row.model.source, row.glance) for row in models.rows] == [
            (f"Folder {tmp_path}/own", Glance(""))
        ]
    assert tries == [1]


def test_what_was_fetched_is_counted_and_deleted(models, qtbot):
    put(cached.folder() / "0/m.gguf", bytes(1000))
    scanned(models, qtbot)
    assert models.downloaded_bytes == 1000
    models.delete_downloads()
    qtbot.waitUntil(lambda: models.downloaded_bytes == 0)
    assert cached.size_bytes() == 0
