"""The debugger behind the Steps page: recording in a process of its own, moving, breakpoints, memory."""

from __future__ import annotations

import sys

import pytest

import guiapp
from guiapp.core.errors import TokenloupeError
from guiapp.core.trace.debugger import Granularity
from guiapp.core.trace.operations import OPERATIONS
from guiapp.core.trace.recorder import record
from guiapp.viewmodels import step_pictures
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.step_pictures import Part, Role, flow, lattice, made_so_far, stack
from guiapp.viewmodels.steps_model import StepsModel
from guiapp.viewmodels.trace_recorder import TraceRecorder
from guiapp.viewmodels.workspace import Workspace

TEXT = b"How do lions sleep in New York?"


class InstantRecorder(TraceRecorder):
    """Records at once, in this process."""

    def record(self, tokenizer, text, encoder, add_special, parse_special):
        try:
            self.recorded.emit(record(tokenizer, text, encoder, add_special, parse_special))
        except TokenloupeError as error:
            self.failed.emit(str(error))


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def make_model(qtbot, settings):
    made = []

    def make(name="bpe", text=TEXT, encoder=None, recorder=None):
        workspace = Workspace(text, load=lambda model, pre, progress: guiapp.open_model(model))
        with qtbot.waitSignal(workspace.encoding_changed, timeout=20_000):
            workspace.loader.open(f"demo:{name}")
        workspace.set_encoder(encoder)
        model = StepsModel(workspace, settings, recorder or InstantRecorder())
        made.append((model, workspace))
        with qtbot.waitSignal(model.recording.changed, timeout=20_000):
            model.watch(True)
        return model

    yield make
    for model, workspace in made:
        model.stop()
        workspace.close()


def test_a_process_of_its_own_records_the_text(make_model, qtbot):
    model = make_model(recorder=TraceRecorder())
    qtbot.waitUntil(lambda: model.debugger is not None, timeout=30_000)
    assert model.debugger.trace.text == TEXT
    assert model.debugger.trace.encoder == "fast"
    assert not model.recording.is_busy


def test_a_recording_can_be_cancelled_and_done_again(make_model, qtbot):
    model = make_model("spm", b"lions and sheep " * 6000, recorder=TraceRecorder())
    qtbot.waitUntil(lambda: model.recording.progress > 0, timeout=30_000)
    model.recording.cancel()
    assert not model.recording.is_busy
    assert "cancelled" in model.recording.failure
    model._workspace.document.replace(0, model._workspace.document.size, b"lions")
    model.recording.record_all()
    qtbot.waitUntil(lambda: model.debugger is not None, timeout=30_000)
    assert model.debugger.trace.text == b"lions"


def test_a_process_that_dies_is_told(make_model, qtbot):
    command = (sys.executable, "-c", "import sys; sys.exit('no room')")
    model = make_model(recorder=TraceRecorder(command))
    qtbot.waitUntil(lambda: bool(model.recording.failure), timeout=20_000)
    assert "no room" in model.recording.failure


def test_a_long_text_is_not_recorded_before_someone_agrees(make_model):
    model = make_model("bpe", b"lions " * 40_000)
    assert model.debugger is None
    assert model.recording.cost.n_steps > 100_000
    model._workspace.document.select(0, 600)
    model.recording.record_selection()
    assert model.debugger.trace.text == b"lions " * 100


def test_steps_move_and_runs_stop(make_model, qtbot):
    model = make_model()
    model.go_to(0)
    with qtbot.waitSignal(model.position_changed):
        model.step()
    model.set_granularity(Granularity.STAGE)
    model.step()
    assert model.debugger.trace.stage(model.position) == "encode"
    model.add_breakpoint("operation merge")
    model.run()
    assert model.debugger.trace.operation(model.position) == "merge"
    assert model.hit_counts()[0] > 3
    model.to_end()
    assert model.title == "the end"
    model.reverse()
    assert model.debugger.trace.operation(model.position) == "merge"


def test_playing_steps_until_a_breakpoint(make_model, qtbot):
    model = make_model()
    model.restart()
    model.add_breakpoint("operation done hit 2")
    model.set_speed(30)
    model.play()
    assert model.is_playing
    qtbot.waitUntil(lambda: not model.is_playing, timeout=20_000)
    assert model.debugger.trace.operation(model.position) == "done"


def test_breakpoints_are_toggled_changed_and_refused(make_model):
    model = make_model()
    token_id = int(model.debugger.trace.columns.result[model.position])
    model.toggle_breakpoint()
    assert [row.title for row in model.breakpoints] == [f"token {token_id}"]
    model.change_breakpoint(0, "rank < 100")
    model.enable_breakpoint(0, False)
    assert model.hit_counts() == [0]
    for nonsense in ("rank <", "1 / depth > 3", "colour == 2"):
        with pytest.raises(TokenloupeError):
            model.change_breakpoint(0, nonsense) if nonsense != "1 / depth > 3" else model.add_breakpoint(
                nonsense
            )
    assert [row.title for row in model.breakpoints] == ["rank < 100"]
    model.remove_breakpoint(0)
    assert model.breakpoints == ()


def test_breakpoints_and_watches_are_kept_for_the_next_session(make_model, settings):
    first = make_model()
    first.add_breakpoint("token 99999999")
    first.add_breakpoint("rank < 100 once")
    first.add_watch("end - position")
    second = make_model()
    assert [row.title for row in second.breakpoints] == ["token 99999999", "rank < 100 once"]
    assert second.hit_counts()[0] == 0
    assert second.watch_values() == ["2"]


def test_a_breakpoint_that_makes_no_sense_in_another_text_is_switched_off(make_model):
    model = make_model()
    model.add_breakpoint("10 / (length - 99) < 0")
    model._workspace.document.replace(0, model._workspace.document.size, b"a" * 99)
    model.recording.record_all()
    assert not any(row.is_enabled for row in model.breakpoints) or model.hit_counts()


def test_the_first_difference_from_another_encoder_stops_the_run(make_model, qtbot):
    model = make_model("toy", b"abacb", "heap")
    others = [name for name in model._workspace.encoders if name == "greedy"]
    model.add_breakpoint("difference greedy")
    qtbot.waitUntil(lambda: not model._others.is_busy, timeout=20_000)
    model.restart()
    model.run()
    assert (model.position < model.n_steps) == bool(others)


@pytest.mark.parametrize("name", ["bpe", "spm", "wordpiece", "unigram", "rwkv", "toy"])
def test_there_is_something_to_draw_at_every_step(make_model, name):
    model = make_model(name, "New York 😍 unbelievable\nlions".encode())
    seen = set()
    for position in range(model.n_steps + 1):
        model.go_to(position)
        shown = flow(model.debugger)
        assert shown.elements
        places = [(element.start, element.end) for element in shown.elements]
        assert places == sorted(places)
        seen |= {element.role for element in shown.elements}
        lattice(model.debugger)
        stack(model.debugger)
        assert len(made_so_far(model.debugger, 5)) <= 5
        assert model.title
    assert seen & {Role.LEFT, Role.OVER}


def test_a_merge_shows_its_two_parts_and_what_they_become(make_model):
    model = make_model(text=b"lions")
    assert model.debugger.trace.operation(model.position) == "merge"
    shown = flow(model.debugger)
    roles = [element.role for element in shown.elements if element.part is Part.TOKEN]
    assert roles.count(Role.LEFT) == roles.count(Role.RIGHT) == 1
    left, right = (element.text for element in shown.elements if element.role is not Role.NONE)
    assert shown.made == left + right


def test_boxes_do_not_grow_with_the_text(make_model):
    model = make_model("spm", b"lions and sheep " * 300)
    model.go_to(model.n_steps // 2)
    assert len(flow(model.debugger).elements) < 8 * step_pictures.TOKENS_AROUND
    assert {OPERATIONS[number].name for number in model.debugger.trace.columns.operation} >= {"merge", "push"}
