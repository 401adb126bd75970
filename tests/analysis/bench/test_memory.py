"""The memory of this process, as the system tells it."""

import pytest

from guiapp.analysis.bench import worker as memory


@pytest.fixture
def system(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "STATUS", tmp_path / "status")
    monkeypatch.setattr(memory, "CLEAR_REFS", tmp_path / "clear")
    (tmp_path / "status").write_text("Name:\tpython\nVmHWM:\t  300 kB\nVmRSS:\t  200 kB\nVmRSSX: 1 kB\n")
    return tmp_path


def test_what_is_held_now_and_the_most_of_it_are_told_in_bytes(system):
    assert memory.held_bytes() == 200 * 1024
    called = []
    assert memory.peak_bytes_during(lambda: called.append((system / "clear").read_text())) == 300 * 1024
    assert called == ["5"]


def test_garbage_is_not_held(system):
    class Circle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            gone.append(True)

    gone: list[bool] = []
    Circle()
    memory.held_bytes()
    assert gone == [True]
