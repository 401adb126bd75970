"""A process of the program's own: what it tells, in which order, and that it ends."""

import sys

import pytest

from guiapp.kit.state import background as processes
from guiapp.kit.state.background import LineProcess

ECHO = "import sys\nfor line in sys.stdin: print('said', line, end='', flush=True)"
MANY = "for number in range(250): print(number)"
DIES = "import sys; print('one', flush=True); sys.stderr.write('odd\\nno room\\n'); sys.exit(3)"
SILENT = "import sys; sys.exit(3)"
HANGS = "import sys, time; sys.stdin.read(); time.sleep(600)"


@pytest.fixture
def make(qapp):
    made = []

    def make_one(code):
        process = LineProcess((sys.executable, "-u", "-c", code))
        process.told_all = []
        process.told.connect(lambda lines: process.told_all.append([line.decode() for line in lines]))
        process.ended.connect(process.told_all.append)
        made.append(process)
        return process

    yield make_one
    for process in made:
        process.end()


def test_both_sides_talk_in_lines(make, qtbot):
    process = make(ECHO)
    assert not process.is_running
    process.send(b"to nobody\n")
    process.start()
    assert process.is_running
    process.send(b"a\n")
    qtbot.waitUntil(lambda: process.told_all == [["said a\n"]])
    process.send(b"b\n")
    qtbot.waitUntil(lambda: process.told_all == [["said a\n"], ["said b\n"]])
    process.end()
    assert not process.is_running
    process.end()


def test_many_lines_come_some_at_a_time_and_the_end_after_all(make, qtbot):
    process = make(MANY)
    process.start()
    with qtbot.waitSignal(process.ended) as ended:
        pass
    assert ended.args == ["exit code 0"]
    lines = [line for some in process.told_all[:-1] for line in some]
    assert lines == [f"{number}\n" for number in range(250)]
    assert max(len(some) for some in process.told_all[:-1]) <= processes.LINES_A_TURN
    assert (process.told_all[-1], process.is_running) == ("exit code 0", False)


@pytest.mark.parametrize(("code", "expected"), [(DIES, [["one\n"], "no room"]), (SILENT, ["exit code 3"])])
def test_the_reason_for_ending_is_reported_last(make, qtbot, code, expected):
    process = make(code)
    with qtbot.waitSignal(process.ended):
        process.start()
    assert process.told_all == expected


def test_a_failed_start_is_reported(qapp, qtbot):
    process = LineProcess(("/no/such/program",))
    with qtbot.waitSignal(process.ended) as ended:
        process.start()
    assert ended.args[0].startswith("it could not be started: ")
    assert not process.is_running


def test_restarting_ends_the_previous_process_silently(make, qtbot):
    process = make(ECHO)
    process.start()
    process.send(b"old\n")
    process.start()
    process.send(b"new\n")
    qtbot.waitUntil(lambda: bool(process.told_all))
    assert process.told_all == [["said new\n"]]


def test_a_listener_may_end_the_process(make, qtbot):
    process = make(MANY)
    process.told.connect(lambda lines: process.end())
    process.start()
    qtbot.waitUntil(lambda: not process.is_running)
    qtbot.wait(20)
    assert len(process.told_all) == 1


def test_to_leave_gives_it_time_to_end_by_itself(make, qtbot, tmp_path):
    place = tmp_path / "written"
    process = make(f"import sys; sys.stdin.read(); open({str(place)!r}, 'w').write('all')")
    process.start()
    process.leave(60_000)
    assert (place.read_text(), process.is_running) == ("all", False)
    process.leave(60_000)
    hanging = make(HANGS)
    hanging.start()
    hanging.leave(10)
    assert not hanging.is_running
