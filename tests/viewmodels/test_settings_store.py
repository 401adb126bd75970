"""The file behind the settings: what is read from it, written to it, and left alone."""

import json
import os
import threading

import pytest
from conftest import PATIENCE_S

from guiapp.viewmodels import settings_store
from guiapp.viewmodels.settings_store import SettingsStore

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "settings.json"


def test_values_are_written_as_json_and_read_again(path):
    store = SettingsStore(path)
    assert (store.value("a"), store.set_aside) == (None, None)
    store.set_value("a", "text")
    store.set_value("b", b"\x00\xff")
    store.set_value("gone", "x")
    store.set_value("gone", None)
    store.save()
    assert path.read_text() == '{\n "a": "text",\n "b": {\n  "base64": "AP8="\n }\n}'
    again = SettingsStore(path)
    assert [again.value(name) for name in ("a", "b", "gone")] == ["text", b"\x00\xff", None]


def test_a_value_that_is_there_is_not_written_again(path):
    store = SettingsStore(path)
    store.set_value("a", "text")
    store.save()
    path.unlink()
    store.set_value("a", "text")
    store.set_value("never set", None)
    store.save()
    assert not path.exists()
    store.set_value("b", "more")
    store.save()
    assert json.loads(path.read_text()) == {"b": "more"}


def test_many_changes_are_written_at_once(path, monkeypatch):
    gate, written, write = threading.Event(), [], settings_store._write

    def slow(place, values):
        written.append(dict(values))
        gate.wait(PATIENCE_S)
        write(place, values)

    monkeypatch.setattr(settings_store, "_write", slow)
    store = SettingsStore(path)
    store.set_value("a", "0")
    while not written:
        pass
    for number in range(1, 5):
        store.set_value("a", str(number))
    store.set_value("b", "5")
    gate.set()
    store.save()
    assert written == [{"a": "0"}, {"a": "4", "b": "5"}]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ('"text"', "text"),
        ('{"base64": "AP8="}', b"\x00\xff"),
        ('{"base64": "A!P8="}', None),
        ('{"base64": 3}', None),
        ('{"other": "AP8="}', None),
        ("3", None),
        ("true", None),
        ("null", None),
        ("[]", None),
    ],
)
def test_what_is_neither_text_nor_bytes_is_not_there(path, written, value):
    path.parent.mkdir()
    path.write_text(f'{{"a": {written}, "b": "kept"}}')
    store = SettingsStore(path)
    assert (store.value("a"), store.value("b"), store.set_aside) == (value, "kept", None)


def test_a_file_that_is_none_of_ours_is_set_aside_under_its_name(path):
    path.parent.mkdir()
    path.write_text("[1]")
    store = SettingsStore(path)
    assert store.set_aside == path.with_name("settings.json.spoiled")
    assert (store.set_aside.read_text(), path.exists()) == ("[1]", False)


def test_what_cannot_be_set_aside_stays(path, monkeypatch):
    path.mkdir(parents=True)
    monkeypatch.setattr(type(path), "replace", lambda *given: os.stat("/no such place"))
    assert SettingsStore(path).set_aside is None
    assert path.is_dir()


def test_a_failure_says_where_and_why_and_the_next_change_is_tried(path, qtbot):
    path.parent.write_bytes(b"in the way")
    store = SettingsStore(path)
    with qtbot.waitSignal(store.failed) as failed:
        store.set_value("a", "1")
    assert failed.args == [f"The settings cannot be written to {path}: Not a directory."] or failed.args == [
        f"The settings cannot be written to {path}: File exists."
    ]
    store.save()
    path.parent.unlink()
    store.set_value("b", "2")
    store.save()
    assert json.loads(path.read_text()) == {"b": "2"}


def test_the_file_is_for_its_owner_only(path):
    store = SettingsStore(path)
    store.set_value("a", "1")
    store.save()
    assert path.stat().st_mode & 0o077 == 0
