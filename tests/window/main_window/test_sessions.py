"""Sessions in the real window: saved, opened in a new one exactly there, and refused without a loss."""

from dataclasses import replace

import pytest
from main_window_driver import CTRL, SHIFT, drop, press
from PySide6.QtCore import Qt

import guiapp
from guiapp.analysis.chat.messages import ChatSettings, conversation_of
from guiapp.analysis.sessions.session_file import load
from guiapp.analysis.trace.debugger import Granularity
from guiapp.core.demo import demo_model_path

pytestmark = pytest.mark.slow


LEFT = Qt.MouseButton.LeftButton
WHOLE = 'session = 1\nmodel = "demo:toy"\ntext = "abacb"\n'


def open_for_real(name, pre, progress):
    return guiapp.open_model(name, pre)


@pytest.fixture
def at_work(make_shell, qtbot, tmp_path):
    """A window in which somebody has stepped somewhere, with a model beside the place for the session."""
    model = tmp_path / "own.gguf"
    model.write_bytes(demo_model_path("bpe").read_bytes())
    shell = make_shell(b"How do lions sleep\xff?", None, open_for_real)
    shell.session.loader.open(str(model), "gpt-2")
    qtbot.waitUntil(lambda: shell.session.loader.loading_name is None)
    shell.window.actions_table["encoder:scan"].trigger()
    shell.window.actions_table["add_special"].trigger()
    shell.window.inspect_page.editor.setFocus()
    press(qtbot, shell, Qt.Key.Key_End)
    press(qtbot, shell, Qt.Key.Key_Left, CTRL | SHIFT)
    page = steps_of(shell, qtbot)
    page.model.breakpoints.add("operation merge if rank > 20")
    page.model.breakpoints.add('token "eep"')
    page.model.breakpoints.enable(1, False)
    page.model.add_watch("rank - 1")
    page.model.set_granularity(Granularity.PIECE)
    page.model.race.choose("heap")
    for _ in range(3):
        press(qtbot, shell, Qt.Key.Key_F5)
    assert page.model.position > 0
    return shell


def steps_of(shell, qtbot):
    """The Steps page, with its steps."""
    press(qtbot, shell, Qt.Key.Key_8, CTRL)
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready and page.model.recording.is_up_to_date, timeout=20_000)
    return page


def state(shell):
    session, document = shell.session, shell.session.document
    steps = shell.window.pages.pages["steps"].model
    return {
        "text": document.text(),
        "selection": (document.anchor, document.caret),
        "token": session.selected_token,
        "model": (session.loader.model.name, session.tokenizer.vocabulary.chosen_pre),
        "options": session.options,
        "breakpoints": steps.breakpoints.rows,
        "watches": steps.watches,
        "size of steps": steps.granularity,
        "race": steps.race.encoder,
        "place": (steps.debugger.trace.text, steps.debugger.trace.encoder, steps.position),
        "page": shell.window.pages.current_name,
    }


def leave(shell):
    """Nothing that settings remember comes back by itself."""
    shell.window.pages.pages["steps"].model.forget()
    shell.commands.files.sessions.notes.close()
    shell.window.hide()


def save(shell, qtbot, path):
    shell.window.questions.session = path
    with qtbot.waitSignal(shell.opener.saved):
        shell.window.actions_table["save_session"].trigger()


def open_(shell, qtbot, path):
    shell.window.questions.session = path
    with qtbot.waitSignal(shell.opener.taken_up, timeout=20_000):
        shell.window.actions_table["open_session"].trigger()


def test_a_new_window_opens_exactly_there(at_work, make_shell, qtbot, tmp_path):
    path = tmp_path / "work.session"
    at_work.window.actions_table["session_notes"].trigger()
    qtbot.keyClicks(at_work.commands.files.sessions.notes.editor, "Why is *eep* dear?")
    save(at_work, qtbot, path)
    assert str(at_work.window.questions.asked[-1]) == "own.session"
    assert 'model = "own.gguf"' in path.read_text()
    before = state(at_work)
    leave(at_work)
    other = make_shell(b"my own words", "demo:toy", open_for_real)
    open_(other, qtbot, path)
    page = other.window.pages.pages["steps"]
    qtbot.waitUntil(lambda: page.is_ready and page.model.recording.is_up_to_date, timeout=20_000)
    assert state(other) == before
    notes = other.commands.files.sessions.notes
    assert (notes.isVisible(), notes.notes) == (True, "Why is *eep* dear?")
    assert other.session.text.path is None
    for page_name in ("inspect", "tree"):
        other.window.actions_table[page_name].trigger()
        save(other, qtbot, tmp_path / "again.session")
        again = load(tmp_path / "again.session")
        assert again.page == page_name
        assert (again.step, again.breakpoints) == (load(path).step, load(path).breakpoints)


def test_the_chat_comes_with_its_template_variables_and_generation_box(make_shell, qtbot, tmp_path):
    shell = make_shell(b"", "demo:bpe", open_for_real)
    template, path = tmp_path / "own.jinja", tmp_path / "chat.session"
    template.write_text("{{ messages[0].content }}{{ n }}")
    model = shell.window.pages.show_page("chat").model
    model.edited.take(conversation_of([{"role": "user", "content": "Hi"}]))
    model.choose(ChatSettings(str(template), add_generation_prompt=False, variables={"n": 7}))
    qtbot.waitUntil(lambda: model.chat is not None and not model.is_outdated, timeout=20_000)
    save(shell, qtbot, path)
    template.unlink()
    shell.stop()
    other = make_shell(b"", "demo:toy", open_for_real)
    other.window.pages.show_page("chat").model.edited.take(conversation_of([{"role": "user"}]))
    open_(other, qtbot, path)
    again = other.window.pages.current.model
    qtbot.waitUntil(lambda: again.chat is not None and not again.is_outdated, timeout=20_000)
    assert again.chat.text == "Hi7"
    assert again.settings == replace(model.settings, template="{{ messages[0].content }}{{ n }}")
    assert again.edited.messages == ({"role": "user", "content": "Hi"},)


def test_what_was_there_comes_back(make_shell, qtbot, tmp_path):
    shell = make_shell(b"", "demo:bpe", open_for_real)
    shell.window.inspect_page.editor.setFocus()
    qtbot.keyClicks(shell.window.inspect_page.editor, "my own words")
    page = steps_of(shell, qtbot)
    page.model.breakpoints.add("rank < 5")
    path = tmp_path / "1.session"
    path.write_text(WHOLE + 'page = "inspect"\n')
    drop(shell.window, [path])
    qtbot.waitUntil(lambda: shell.session.document.text() == b"abacb")
    assert page.model.breakpoints.rows == ()
    menu = shell.window.actions_table.menus["File/Autosaved texts"]
    menu.aboutToShow.emit()
    assert any("my own words" in action.text() for action in menu.actions())
    shell.window.inspect_page.editor.setFocus()
    press(qtbot, shell, Qt.Key.Key_Z, CTRL)
    assert shell.session.document.text() == b"my own words"
    page.model.breakpoints.undo()
    assert [row.title for row in page.model.breakpoints.rows] == ["rank < 5"]


def test_a_place_on_another_page_waits_for_the_steps(at_work, make_shell, qtbot, tmp_path):
    path = tmp_path / "work.session"
    at_work.window.actions_table["tree"].trigger()
    step = at_work.window.pages.pages["steps"].model.position
    save(at_work, qtbot, path)
    leave(at_work)
    other = make_shell(b"", "demo:toy", open_for_real)
    open_(other, qtbot, path)
    assert other.window.pages.current_name == "tree"
    save(other, qtbot, tmp_path / "again.session")
    assert load(tmp_path / "again.session").step == step
    assert steps_of(other, qtbot).model.position == step


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("session = 1\n\nmodel = 3", "1.session, line 3: “model” must be a text in quotes"),
        (WHOLE + 'breakpoints = ["open(1)"]', "1.session, line 4: “breakpoints” has “open(1)”: "),
        (WHOLE.replace("demo:toy", "broken.gguf"), "broken.gguf is no GGUF file"),
    ],
)
def test_an_invalid_session_is_reported_and_changes_nothing(shell, qtbot, tmp_path, content, expected):
    path = tmp_path / "1.session"
    path.write_text(content)
    (tmp_path / "broken.gguf").touch()
    with qtbot.waitSignal(shell.opener.failed):
        drop(shell.window, [path])
    [notice] = shell.window.notices.notices
    assert notice.message.startswith(expected)
    assert shell.session.document.text() == b"one two three"
    assert shell.session.loader.model.name == "fake.gguf"


def answered(shell, qtbot, path, signal, **answers):
    """Open a session, answer what is asked, and wait for what comes of it."""
    for name, answer in answers.items():
        setattr(shell.window.questions, name, answer)
    shell.window.questions.asked.clear()
    with qtbot.waitSignal(signal):
        shell.commands.files.open_text_file(path)
    return shell.window.questions.asked


def test_people_are_asked_where_the_model_is_and_whether_another_will_do(make_shell, qtbot, tmp_path):
    shell = make_shell(b"mine", "demo:bpe", open_for_real)
    opener = shell.opener
    path, other = tmp_path / "1.session", tmp_path / "other.gguf"
    path.write_text(WHOLE.replace("demo:toy", "gone.gguf") + 'sha256 = "00"')
    other.write_bytes(demo_model_path("toy").read_bytes())
    asked = answered(shell, qtbot, path, opener.obstructed)
    assert asked == [f"The model of this session was not found: {tmp_path / 'gone.gguf'}"]
    assert shell.session.document.text() == b"mine"
    asked = answered(shell, qtbot, path, opener.obstructed, instead=other)
    with qtbot.waitSignal(opener.obstructed):
        pass
    assert asked[1].startswith("other.gguf is not the file that this session was saved with")
    assert shell.session.document.text() == b"mine"
    asked = answered(shell, qtbot, path, opener.taken_up, opens_anyway=True)
    assert (len(asked), shell.session.loader.model.name) == (2, str(other))
    assert shell.session.document.text() == b"abacb"


def test_nothing_is_downloaded_without_consent(make_shell, qtbot, tmp_path):
    opened = []

    def load_noting(name, pre, progress):
        opened.append(name)
        return guiapp.open_model("demo:toy")

    shell = make_shell(b"mine", "demo:toy", load_noting)
    path = tmp_path / "1.session"
    path.write_text(WHOLE.replace("demo:toy", "hf:a/b"))
    opened.clear()
    asked = answered(shell, qtbot, path, shell.opener.obstructed)
    assert (asked, opened) == (["The model of this session is on the web: hf:a/b"], [])
    assert shell.session.document.text() == b"mine"
    answered(shell, qtbot, path, shell.opener.taken_up, fetches=True)
    assert opened[-1] == "hf:a/b"
    assert shell.session.loader.model.name == "hf:a/b"


def test_an_unknown_encoder_is_reported(make_shell, qtbot, tmp_path):
    shell = make_shell(b"mine", "demo:bpe", open_for_real)
    path = tmp_path / "1.session"
    path.write_text(WHOLE + 'encoder = "viterbi"')
    answered(shell, qtbot, path, shell.opener.taken_up)
    [notice] = shell.window.notices.notices
    assert notice.message == "This model has no encoder “viterbi”: fast is used instead."


def test_sessions_are_listed_among_recent_files_and_open_from_there(make_shell, qtbot, tmp_path):
    shell = make_shell(b"mine", "demo:bpe", open_for_real)
    path = tmp_path / "1.session"
    path.write_text(WHOLE + 'page = "tree"')
    answered(shell, qtbot, path, shell.opener.taken_up)
    menu = shell.window.actions_table.menus["File/Open recent"]
    menu.aboutToShow.emit()
    row = next(action for action in menu.actions() if action.text().startswith("1.session"))
    shell.session.text.show(b"other")
    with qtbot.waitSignal(shell.opener.taken_up, timeout=20_000):
        row.trigger()
    assert shell.session.document.text() == b"abacb"
    shell.window.actions_table["start"].trigger()
    start = shell.window.pages.current
    qtbot.waitUntil(lambda: start.texts.count() > 0)
    with qtbot.waitSignal(shell.opener.taken_up, timeout=20_000):
        qtbot.mouseClick(start.texts.itemAt(0).widget(), LEFT)
    assert shell.window.pages.current_name == "tree"


def test_other_notes_can_be_taken_back(make_shell, qtbot, tmp_path):
    shell = make_shell(b"mine", "demo:bpe", open_for_real)
    shell.window.actions_table["session_notes"].trigger()
    notes = shell.commands.files.sessions.notes
    qtbot.keyClicks(notes.editor, "my notes")
    path = tmp_path / "1.session"
    path.write_text(WHOLE + 'notes = "theirs <b>"')
    answered(shell, qtbot, path, shell.opener.taken_up)
    assert notes.notes == "theirs <b>"
    qtbot.keyClick(notes.editor, Qt.Key.Key_Z, CTRL)
    assert notes.notes == "my notes"


def test_notes_come_back_by_the_letter(make_shell, qtbot, tmp_path):
    shell = make_shell(b"mine", "demo:bpe", open_for_real)
    path, notes = tmp_path / "1.session", "no\u00a0break, \u2028 another line, \u202e\u200b hidden"
    path.write_text(f'{WHOLE}notes = """{notes}\nend"""')
    answered(shell, qtbot, path, shell.opener.taken_up)
    again = tmp_path / "2.session"
    save(shell, qtbot, again)
    assert load(again).notes == load(path).notes == f"{notes}\nend"
