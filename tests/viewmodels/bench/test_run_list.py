"""Kept runs as rows in which they are renamed."""

from fake_engine import fake_engine, run_to_its_end, whole_run
from PySide6.QtCore import Qt

from guiapp.viewmodels.bench.history import RunHistory
from guiapp.viewmodels.bench.run_list import RunList

EDIT, TOOL_TIP = Qt.ItemDataRole.EditRole, Qt.ItemDataRole.ToolTipRole


def test_rows_tell_runs_and_take_names(qtbot, make_model, tmp_path, qtmodeltester):
    model = make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs"))
    run_to_its_end(qtbot, model)
    runs = RunList(model.kept)
    qtbot.waitUntil(lambda: runs.rowCount() == 1)
    index = runs.index(0)
    assert runs.rowCount(index) == 0
    assert [index.data(), index.data(EDIT)] == ["2026-01-01 00:00, model", ""]
    assert index.data(TOOL_TIP) == str(runs.run_at(index).path)
    assert index.data(Qt.ItemDataRole.DecorationRole) is None
    assert runs.flags(index) & Qt.ItemFlag.ItemIsEditable
    assert runs.is_shown(index)
    assert not runs.is_shown(runs.index(5))
    with qtbot.assertNotEmitted(model.kept.changed, wait=50):
        assert not runs.setData(index, "")
        assert not runs.setData(index, "before", TOOL_TIP)
    with qtbot.assertNotEmitted(runs.modelReset), qtbot.waitSignal(runs.dataChanged) as changed:
        assert runs.setData(index, "before")
    assert [at.row() for at in changed.args[:2]] == [0, 0]
    assert [index.data(), index.data(EDIT)] == ["before · 2026-01-01 00:00, model", "before"]
    path = runs.run_at(index).path
    path.with_stem("2").write_bytes(path.read_bytes())
    with qtbot.waitSignal(runs.modelReset):
        model.kept.refresh()
    assert runs.rowCount() == 2
    with qtbot.waitSignal(runs.failed) as failed:
        model.kept.failed.emit("It cannot be written.")
    assert failed.args == ["It cannot be written."]
