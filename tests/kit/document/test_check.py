"""What is found out about a text once typing has paused: asked late, forgotten early, told once."""

import pytest
from PySide6.QtWidgets import QApplication
from told import told_by

from guiapp.errors import TokenloupeError
from guiapp.kit.document.live_spans import TextCheck


def half_of(number):
    """The job that finds out half of a number."""

    def half(progress):
        progress(0.5)
        if number == 13:
            raise TokenloupeError("No luck.")
        return number // 2

    return half


@pytest.fixture
def check(qapp):
    made = TextCheck()
    made._pause.setInterval(1)
    yield made
    made.wait()


@pytest.fixture
def told(check):
    return told_by(check)


def settle(check, qtbot):
    qtbot.waitUntil(lambda: not check._pause.isActive() and not check._job.is_busy)


def test_it_is_asked_for_the_newest_only_and_told_once(check, told, qtbot):
    assert check.result is None
    asked = []
    for number in (8, 10):
        check.check(lambda number=number: asked.append(number) or half_of(number))
    assert asked == []
    settle(check, qtbot)
    assert (asked, check.result, told) == ([10], 5, ["changed"])
    check.check(lambda: half_of(11))  # which gives the same
    settle(check, qtbot)
    assert (check.result, told) == (5, ["changed"])


def test_nothing_is_found_out_where_there_is_nothing_to_look_at(check, told, qtbot):
    check._start()
    check.check(lambda: None)
    settle(check, qtbot)
    assert (check.result, told) == (None, [])


def test_what_is_forgotten_is_told_and_neither_begins_nor_arrives(check, told, qtbot):
    check.check(lambda: half_of(8))
    settle(check, qtbot)
    check.forget()
    check.forget()
    assert (check.result, told) == (None, ["changed", "changed"])
    check.check(lambda: half_of(8))
    check.forget()
    check._start()
    check.forget()
    settle(check, qtbot)
    QApplication.processEvents()
    assert (check.result, len(told)) == (None, 2)


def test_what_cannot_be_found_out_is_told(check, qtbot):
    with qtbot.waitSignal(check.failed) as failed:
        check.check(lambda: half_of(13))
    assert failed.args == ["No luck."]
    assert check.result is None


def test_it_waits_for_a_pause_once(qapp):
    check = TextCheck()
    assert (check._pause.isSingleShot(), check._pause.interval()) == (True, 150)
    check.check(lambda: half_of(8))
    check.wait()
    assert not check._pause.isActive()
