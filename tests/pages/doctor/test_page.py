"""The Doctor page in the real window: what is found, shown and done about it by clicks and keys."""

import json
from threading import Event

import pytest
from faults import Fault, all_of, template, write
from fitting import unreadable
from hands import wait_for_results
from instant_recorder import load_once
from planted import document, rename_token, set_key, set_part
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog
from small_files import bpe

import guiapp
from guiapp.analysis.doctor.doctor import doctor
from guiapp.pages.doctor.fixing import FixedDialog

LEFT = Qt.MouseButton.LeftButton
TEMPLATE = "{{ bos_token }}\n{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}"


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A model that splits text by another family's rules, with a template that writes BOS and a marker."""
    changes = set_part(pre="qwen2"), template(TEMPLATE), set_key(add_bos_token=True)
    return str(write(Fault("", "demo:bpe", all_of(*changes)), tmp_path_factory.mktemp("faulty")))


@pytest.fixture
def open_page(show_page, qtbot):
    """Shows the page of the shared window with a model that was opened just now, once it is examined."""

    def make(name):
        page = show_page("doctor", None, b"abc")
        with qtbot.waitSignal(page.shell.session.vocabulary_changed):
            page.shell.session.loader.open(name)
        wait_for_results(page, qtbot)
        return page

    return make


def codes(page):
    return [finding.code for finding in page.model.findings]


def choose(page, qtbot, code):
    """By a click on its row."""
    place = page.list.row_at(codes(page).index(code)).center()
    qtbot.mouseClick(page.list.viewport(), LEFT, pos=place)
    assert page.model.finding.code == code


def test_all_words_can_be_read_in_a_window_of_any_size(open_page, faulty):
    assert unreadable(open_page(faulty).window()) == []


def test_findings_are_those_of_the_command_and_a_click_shows_one(open_page, qtbot, faulty):
    page = open_page(faulty)
    assert page.model.findings == doctor(faulty).findings
    assert page.list.hasFocus()
    choose(page, qtbot, "bos_twice")
    assert "twice" in page.panel.reason.toPlainText()
    assert "1  {{ bos_token }}" in page.panel.template.toPlainText()
    assert page.panel.grid.layouts[0].tokens is not None
    for key in ("Down", "Up", "PgDown", "PgUp", "End", "Home"):
        qtbot.keySequence(page.list, key)
    assert page.model.walk.current == 0
    qtbot.mouseClick(page.panel.next, LEFT)
    assert page.model.walk.current == 1
    assert page.list.accessibleDescription().endswith(page.model.finding.what)


def test_one_click_tries_the_pre_tokenizer_that_is_likelier(open_page, qtbot, faulty):
    page = open_page(faulty)
    choose(page, qtbot, "pre_of_other_family")
    suggested = page.model.finding.pre
    assert page.panel.try_button.text() == f"Try {suggested}"
    qtbot.mouseClick(page.panel.try_button, LEFT)
    qtbot.waitUntil(lambda: page.shell.session.vocabulary.chosen_pre == suggested)
    wait_for_results(page, qtbot)
    assert page.isVisible()
    choose(page, qtbot, "pre_of_other_family")  # the file is as it was
    assert page.panel.try_button.text() == f"{suggested} is in use"
    assert not page.panel.try_button.isEnabled()
    assert page.model.finding.changes is not None


def test_the_text_that_shows_it_is_one_click_away_and_undo_brings_the_old_one_back(open_page, qtbot, faulty):
    page = open_page(faulty)
    choose(page, qtbot, "pre_of_other_family")
    text = page.model.finding.changes.text
    qtbot.mouseClick(page.panel.text_button, LEFT)
    session = page.shell.session
    assert page.shell.window.pages.current_name == "inspect"
    assert session.document.text() == text.encode()
    qtbot.waitUntil(lambda: not session.is_encoding)
    before, after = session.n_affixes
    ids = session.tokens.ids(before, len(session.tokens) - after).tolist()
    assert ids == list(page.model.finding.changes.before.ids)
    page.shell.window.actions_table["undo"].trigger()
    assert session.document.text() == b"abc"


def test_a_token_is_shown_in_the_tree_and_back_leads_here(open_page, qtbot, faulty):
    page = open_page(faulty)
    choose(page, qtbot, "bos_twice")
    qtbot.mouseClick(page.panel.tree_button, LEFT)
    assert page.shell.window.pages.current_name == "tree"
    assert page.shell.window.pages.current.bar.query.text() == f"#{page.model.finding.tokens[0]}"
    page.shell.window.requests.left.emit()
    assert page.shell.window.pages.current is page
    qtbot.mouseClick(page.panel.chat_button, LEFT)
    assert page.shell.window.pages.current_name == "chat"
    chat = page.shell.window.pages.current
    qtbot.waitUntil(lambda: chat.template.view.asked_line == page.model.finding.line.number)
    assert chat.model.result.template.name == page.model.finding.line.template


def test_a_remedy_is_copied_as_it_is(open_page, qtbot, faulty):
    page = open_page(faulty)
    choose(page, qtbot, "pre_of_other_family")
    qtbot.mouseClick(page.panel.copy_button, LEFT)
    assert QGuiApplication.clipboard().text() == page.model.finding.remedy
    assert page.model.finding.remedy.startswith("tokenloupe doctor ")


def test_the_rail_counts_the_worst_and_leads_here(make_shell, qtbot, faulty):
    shell = make_shell(b"abc", faulty, load_once)
    entry = shell.window.rail.entries["Doctor"]
    assert entry.accessibleName() == "Doctor", "what is found comes later"
    qtbot.waitUntil(lambda: not shell.window.doctor.examined.is_busy)
    findings, n_worst = shell.window.doctor.findings, len(shell.window.doctor.worst)
    assert n_worst == sum(each.severity == "warning" for each in findings) > 0
    assert entry.accessibleName() == f"Doctor, {n_worst} warning in {shell.window.doctor.title}"
    qtbot.mouseClick(entry, LEFT)
    assert shell.window.pages.current_name == "doctor"


def test_an_original_is_chosen_compared_with_and_dropped(open_page, qtbot, tmp_path):
    (tmp_path / "tokenizer.json").write_text(json.dumps(document("demo:bpe")))
    page = open_page(str(write(Fault("", "demo:bpe", rename_token("Ġthe".encode(), b"zqx")), tmp_path)))
    asked = []
    page.shell.window.requests.model_wanted.connect(lambda widget, take: asked.append(take))
    qtbot.mouseClick(page.head.original, LEFT)
    asked[0](str(tmp_path / "tokenizer.json"), None)
    wait_for_results(page, qtbot)
    assert "original_tokens" in codes(page)
    assert page.head.original.text() == "Original: tokenizer"
    n_of_original = sum(code.startswith("original_") for code in codes(page))
    assert f"{n_of_original} difference" in page.head.about.text()
    qtbot.mouseClick(page.head.drop, LEFT)
    wait_for_results(page, qtbot)
    assert "original_tokens" not in codes(page)
    asked[0](str(tmp_path / "nothing.json"), None)
    wait_for_results(page, qtbot)
    assert "nothing.json" in page.head.about.text()
    assert codes(page) == []


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_all_findings_are_saved(open_page, qtbot, faulty, tmp_path, monkeypatch, form):
    page = open_page(faulty)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(tmp_path / "found"), ""))
    titles = {"json": "JSON…", "markdown": "Markdown…"}
    [action] = [each for each in page.head.export.menu().actions() if each.text() == titles[form]]
    action.trigger()
    qtbot.waitUntil(lambda: page.saving.saved is not None and page.saving.saved.parent == tmp_path)
    text = page.saving.saved.read_text()
    if form == "json":
        assert [each["code"] for each in json.loads(text)["findings"]] == codes(page)
    else:
        assert all(f"(`{code}`)" in text for code in codes(page))
        assert text.startswith("# Findings about ")


def test_a_model_that_waits_for_a_pre_tokenizer_is_examined_too(make_shell, qtbot, tmp_path):
    path = write(Fault("", "demo:bpe", set_part(pre="gpt-9000")), tmp_path)
    shell = make_shell(b"abc", None, load_once)
    shell.window.actions_table["doctor"].trigger()
    page = shell.window.pages.current
    page.shell = shell
    assert page.head.verdict.text() == "No model"
    shell.session.loader.open(str(path))
    qtbot.waitUntil(lambda: bool(page.model.findings))
    page.model.set_original("demo:spm")
    qtbot.waitUntil(lambda: "original_ids" in codes(page))
    page.model.set_original("")
    wait_for_results(page, qtbot)
    choose(page, qtbot, "pre_unknown")
    suggested = page.model.finding.pre
    qtbot.mouseClick(page.panel.try_button, LEFT)
    qtbot.waitUntil(lambda: shell.session.tokenizer is not None)
    assert shell.session.vocabulary.chosen_pre == suggested


def test_a_file_that_does_not_open_is_examined_from_its_notice_and_left_again(open_page, qtbot, tmp_path):
    page = open_page("demo:wordpiece")
    shell, path = page.shell, tmp_path / "cut.gguf"
    path.write_bytes(bpe().to_bytes()[:-100])
    shell.window.actions_table["inspect"].trigger()
    for name, is_offered in ((tmp_path / "nothing.gguf", False), (path, True)):
        with qtbot.waitSignal(shell.session.loader.failed):
            shell.session.loader.open(str(name))
        [notice] = shell.window.notices.notices
        assert notice.remedy_button.isVisible() is is_offered
    qtbot.mouseClick(notice.remedy_button, LEFT)
    assert page.isVisible()
    wait_for_results(page, qtbot)
    assert page.model.findings == doctor(path).findings
    assert page.head.about.text() == "cut"
    assert not shell.window.notices.notices
    assert not page.head.original.isEnabled(), "there is nothing to compare"
    qtbot.mouseClick(page.head.leave, LEFT)
    wait_for_results(page, qtbot)
    assert page.head.verdict.text() == "No findings"
    assert not page.head.leave.isVisible()


def test_where_no_model_is_open_a_file_that_does_not_open_is_examined_at_once(make_shell, qtbot, tmp_path):
    (tmp_path / "cut.gguf").write_bytes(bpe().to_bytes()[:-100])
    shell = make_shell(b"abc", None, load_once)
    shell.session.loader.open(str(tmp_path / "cut.gguf"))
    shell.window.actions_table["doctor"].trigger()
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: bool(page.model.findings))
    assert page.head.verdict.text() == "1 error"
    assert not page.head.leave.isVisible()
    assert shell.window.rail.entries["Doctor"].accessibleName() == "Doctor, 1 error in cut"


def test_examining_is_cancelled_and_begun_again(open_page, qtbot, monkeypatch):
    page, examined = open_page("demo:wordpiece"), Event()

    def until_cancelled(*given):
        while not examined.wait(0.01):
            given[-1](0.5)

    with monkeypatch.context() as patched:
        patched.setattr("guiapp.kit.session.doctor_model._examine", until_cancelled)
        page.shell.session.loader.open("demo:spm")
        qtbot.waitUntil(lambda: page.head.cancel.isVisible() and page.head.bar.value() > 0)
        qtbot.mouseClick(page.head.cancel, LEFT)
    assert page.head.verdict.text() == "Not examined"
    qtbot.mouseClick(page.head.again, LEFT)
    wait_for_results(page, qtbot)
    assert codes(page) == ["bos_twice"]
    examined.set()


def test_a_model_without_faults_is_called_so(open_page):
    page = open_page("demo:wordpiece")
    assert page.head.verdict.text() == "No findings"
    assert page.contents.message.isVisible()


def test_strings_of_a_hostile_file_are_shown_as_plain_text(open_page, qtbot, tmp_path):
    evil = ["<|\x1b[31m\u202e<b>|>", "<unk>", "<s>", "</s>", "a", "b", "ab"]
    model = bpe(
        tokens=evil, types=[3, 2, 3, 3, 1, 1, 1], keys={"tokenizer.chat_template": "<|<b>|>\u202e" * 9}
    )
    page = open_page(str(model.write(tmp_path / "<b>m.gguf")))
    assert len(page.model.findings) > 1
    for row, finding in enumerate(page.model.findings):
        page.model.walk.go_to(row)
        shown = (
            page.panel.reason.toPlainText()
            + page.panel.template.toPlainText()
            + page.panel.remedy.toPlainText()
        )
        assert "\u202e" not in shown
        assert "\x1b" not in shown
        assert finding.what.replace("“", "").replace("”", "") in shown.translate({0x2068: None, 0x2069: None})


def test_a_copy_with_chosen_fixes_is_saved_compared_and_opened(
    open_page, qtbot, faulty, tmp_path, monkeypatch
):
    page, out, dialogs = open_page(faulty), tmp_path / "fixed.gguf", []
    before = guiapp.open_model(faulty).encode("a cat").token_ids.tolist()

    def choose_all(dialog):
        dialogs.append(dialog)
        for box in dialog.choices.values():
            box.setCurrentIndex(1)
        return dialog.save_button.isEnabled()

    monkeypatch.setattr("guiapp.pages.doctor.fixing.FixDialog.exec", choose_all)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(out), ""))
    qtbot.mouseClick(page.head.fix, LEFT)
    assert set(dialogs[0].boxes) | set(dialogs[0].choices) == {each.code for each in page.model.fixes}
    qtbot.waitUntil(lambda: page.model.fixing.saved is not None, timeout=60_000)
    fixed = page.model.fixing.saved
    assert {"pre_of_other_family", "bos_twice"} <= set(fixed.fixed)
    assert fixed.hunt is not None
    assert page.fix_bar.open_button.isVisible()
    qtbot.mouseClick(page.fix_bar.changes_button, LEFT)
    [shown] = page.fix_bar.findChildren(FixedDialog)
    assert "tokenizer.ggml.pre" in shown.text.toPlainText()
    shown.accept()
    assert guiapp.open_model(faulty).encode("a cat").token_ids.tolist() == before
    qtbot.mouseClick(page.fix_bar.open_button, LEFT)
    qtbot.waitUntil(lambda: page.shell.session.loader.model.name == str(out))
    qtbot.waitUntil(lambda: not page.fix_bar.isVisible())


def test_a_single_fix_shows_its_error_until_it_is_dismissed(open_page, qtbot, faulty, tmp_path, monkeypatch):
    page = open_page(faulty)
    choose(page, qtbot, "bos_twice")
    chosen = []
    monkeypatch.setattr(
        "guiapp.pages.doctor.fixing.FixDialog.exec", lambda dialog: chosen.append(dialog.names) or 1
    )
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (faulty, ""))
    qtbot.mouseClick(page.panel.fix_button, LEFT)
    assert chosen == [["bos_twice=no_bos"]]
    qtbot.waitUntil(lambda: bool(page.model.fixing.failure))
    assert "stays as it is" in page.fix_bar.message.text()
    qtbot.mouseClick(page.fix_bar.button, LEFT)
    assert not page.fix_bar.isVisible()
