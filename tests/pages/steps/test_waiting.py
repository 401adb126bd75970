"""What stands in place of the steps while there are none."""

from PySide6.QtCore import Qt

from guiapp.pages.steps.recording import Recording

LEFT = Qt.MouseButton.LeftButton


def test_a_recording_is_told_cancelled_and_begun_again(make_steps_page, qtbot, monkeypatch):
    page = make_steps_page(text=b"lions " * 40_000)
    panel, recording = page.trace.waiting, page.model.recording
    document, loader = page.kept_session.document, page.kept_session.loader
    buttons = panel.cancel, panel.part, panel.selection, panel.everything

    def shown():
        return [button.isVisible() for button in buttons]

    page.model.show(None)
    assert panel.isVisible()
    assert not page.trace.timeline.isVisible()
    recording.changed.emit()
    assert panel.message.text() == "Preparing …"
    assert shown() == [False] * 4
    assert not panel.bar.isVisible()
    with monkeypatch.context() as patch:
        patch.setattr(Recording, "is_busy", True)
        patch.setattr(Recording, "progress", 0.25)
        recording.changed.emit()
        assert shown() == [True, False, False, False]
        assert panel.bar.isVisible()
        assert panel.bar.value() == 0.25 * panel.bar.maximum()
        assert "25" in panel.message.text()
    qtbot.mouseClick(panel.cancel, LEFT)
    assert panel.message.text() == recording.failure == "Recording was cancelled."
    assert shown() == [False, True, True, True]
    assert not panel.selection.isEnabled()
    document.select(60_000, 60_600)
    assert panel.selection.isEnabled()
    begun = []
    monkeypatch.setattr(Recording, "_record", lambda recording, *part: begun.append(part))
    for button in buttons[1:]:
        qtbot.mouseClick(button, LEFT)
    assert begun == [(60_000, 60_600), (60_000, 60_600), (0, 240_000)]
    begun.clear()
    page.trace.part_bar.everything.click()
    assert begun == [(0, 240_000)]
    recording.failure = ""
    monkeypatch.setattr(type(page.kept_session), "tokenizer", None)
    loader.loading_changed.emit()
    assert panel.message.text().startswith("Open a model")
    recording.failure = "No."
    document.select_all()
    document.insert(b"lions")
    recording.failure = "No."
    recording.changed.emit()
    assert shown() == [False, False, False, True]
