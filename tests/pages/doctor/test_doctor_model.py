"""What the doctor says of the session's model: when it looks, at what, and what it offers."""

import json

import pytest
from small_files import bpe

from guiapp.analysis.doctor.doctor import doctor
from guiapp.kit.session.doctor_model import DoctorModel


def progress(share):
    pass


@pytest.fixture
def session(make_session):
    return make_session(b"abc")


@pytest.fixture
def model(session):
    made = DoctorModel(session)
    yield made
    made.close()


def opened(model, qtbot, name):
    with qtbot.waitSignal(model.session.vocabulary_changed):
        model.session.loader.open(name)


def test_a_model_is_examined_later_or_at_once_on_an_active_page(model, qtbot):
    opened(model, qtbot, "demo:spm")
    assert model.examined.is_busy
    qtbot.wait(200)
    assert model.diagnosis is None
    model.set_active(True)
    qtbot.waitUntil(lambda: model.diagnosis is not None)
    assert model.findings == doctor("demo:spm").findings
    assert model.worst == (), "hints are not counted"
    assert model.is_of_open_model
    opened(model, qtbot, "demo:wordpiece")
    assert model.findings == (), "those of another model are gone at once"
    assert model.examined.is_busy


def test_the_examination_ends_when_the_file_is_left(model, qtbot, tmp_path):
    with qtbot.waitSignal(model.session.loader.failed):
        model.session.loader.open(str(tmp_path / "m.gguf"))
    assert (model.title, model.examined.is_busy) == ("m", True)
    model.leave_file()
    assert (model.name, model.examined.is_busy) == ("", False)


def test_an_index_outside_the_findings_is_ignored(model, qtbot):
    model.set_active(True)
    opened(model, qtbot, "demo:toy")
    qtbot.waitUntil(lambda: len(model.findings) > 1)
    for index, chosen in ((1, 1), (len(model.findings), 1), (-1, 1), (0, 0)):
        model.walk.go_to(index)
        assert model.walk.current == chosen
    assert model.finding is model.findings[0]


def test_an_original_is_forgotten_with_its_model_but_not_with_its_pre_tokenizer(model, qtbot):
    model.set_active(True)
    opened(model, qtbot, "demo:bpe")
    model.set_original("demo:spm")
    qtbot.waitUntil(lambda: any(each.code == "original_ids" for each in model.findings))
    with qtbot.waitSignal(model.session.vocabulary_changed):
        model.session.loader.open("demo:bpe", "llama-bpe")
    assert model.original == "demo:spm"
    opened(model, qtbot, "demo:wordpiece")
    assert model.original == ""


def test_a_file_that_does_not_open_is_examined_until_another_opens(model, qtbot, tmp_path):
    broken = tmp_path / "m.gguf"
    broken.write_bytes(bpe().to_bytes()[:-100])
    model.set_active(True)
    with qtbot.waitSignal(model.session.loader.failed):
        model.session.loader.open(str(broken))
    qtbot.waitUntil(lambda: bool(model.findings))
    assert (model.title, model.is_of_open_model, model.is_of_failed_file) == ("m", False, False)
    opened(model, qtbot, "demo:wordpiece")
    assert model.name == "demo:wordpiece"
    with qtbot.waitSignal(model.session.loader.failed):
        model.session.loader.open(str(broken))
    assert model.name == "demo:wordpiece", "it is open still"
    model.examine_file(str(broken))
    qtbot.waitUntil(lambda: bool(model.findings))
    assert model.is_of_failed_file
    model.leave_file()
    assert model.name == "demo:wordpiece"


def test_the_text_of_a_finding_becomes_the_sessions(model, qtbot):
    model.set_active(True)
    opened(model, qtbot, "demo:spm")
    qtbot.waitUntil(lambda: bool(model.findings))
    model.show_text()
    assert model.session.document.text() == model.finding.changes.text.encode()


def test_exports_contain_the_findings(model, qtbot):
    model.set_active(True)
    opened(model, qtbot, "demo:spm")
    qtbot.waitUntil(lambda: bool(model.findings))
    assert json.loads(model.export("json")(progress))["findings"][0]["code"] == model.findings[0].code
    assert model.findings[0].code in model.export("markdown")(progress).decode()
