"""Sessions are taken up whole or not at all, and written as they are."""

from dataclasses import replace

import pytest

import guiapp
from guiapp.analysis.editing.token_store import Options
from guiapp.analysis.sessions.session_file import Obstacle, SessionFile, load, save
from guiapp.core.demo import demo_model_path
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener
from guiapp.kit.session.text_session import TextSession

LEFT = SessionFile("demo:bpe", b"what was left", "notes", encoder="heap", add_special=False, selection=(9, 5))


@pytest.fixture
def session(qapp):
    made = ModelSession(TextSession(b"before"))
    yield made
    made.close()


@pytest.fixture
def opener(session):
    made = SessionOpener(session)
    yield made
    made.stop()


@pytest.fixture
def model_file():
    return demo_model_path("bpe")


@pytest.fixture
def left(tmp_path):
    """The path of a file of what was left but for some entries."""

    def write(**others):
        path = tmp_path / "1.session"
        save(replace(LEFT, **others), path)
        return path

    return write


def state(session):
    document, model = session.document, session.loader.model
    name = None if model is None else model.name
    return name, document.text(), session.options, (document.anchor, document.caret)


def test_a_session_is_taken_up_where_it_was_left(session, opener, left, qtbot):
    with qtbot.waitSignal(opener.taken_up) as caught:
        opener.open(left())
        assert state(session)[:2] == (None, b"before")
    (read,) = caught.args
    assert (read.path, read.opening.session) == (left(), LEFT)
    assert state(session) == ("demo:bpe", LEFT.text, Options(False, True, "heap"), (9, 5))
    session.document.undo()
    assert session.document.text() == b"before"


def test_an_encoder_that_the_model_does_not_have_is_left_out(session, opener, left, qtbot):
    with qtbot.waitSignal(opener.taken_up):
        opener.open(left(encoder="viterbi", parse_special=False, add_special=True))
    assert session.options == Options(True, False, None)


def test_what_cannot_be_read_changes_nothing(session, opener, left, tmp_path, qtbot):
    before = state(session)
    path = tmp_path / "2.session"
    path.write_text("session = 1")
    with qtbot.waitSignal(opener.failed) as caught:
        opener.open(path)
    assert caught.args[0].startswith("2.session")
    assert state(session) == before


def test_another_file_takes_the_place_of_a_missing_model(session, opener, left, model_file, tmp_path, qtbot):
    before = state(session)
    with qtbot.waitSignal(opener.obstructed) as caught:
        opener.open(left(model=str(tmp_path / "gone.gguf")))
    (read,) = caught.args
    assert (read.opening.obstacle, read.opening.tokenizer) == (Obstacle.MISSING, None)
    assert state(session) == before
    with qtbot.waitSignal(opener.taken_up):
        opener.use(read, model_file)
    assert state(session) == (str(model_file), LEFT.text, Options(False, True, "heap"), (9, 5))


def test_people_are_asked_about_a_model_that_is_another_file(session, opener, left, model_file, qtbot):
    with qtbot.waitSignal(opener.obstructed) as caught:
        opener.open(left(model=str(model_file), sha256="ab" * 32))
    (read,) = caught.args
    assert read.opening.obstacle is Obstacle.CHANGED
    assert session.loader.model is None
    opener.take_up(read)
    assert session.tokenizer is read.opening.tokenizer


def test_a_model_on_the_web_is_fetched_only_when_people_want_it(qtbot, left, qapp):
    asked = []

    def fetch(name, pre, progress):
        asked.append((name, pre))
        return guiapp.open_model("demo:bpe")

    session = ModelSession(TextSession(b"before"), load=fetch)
    opener = SessionOpener(session)
    with qtbot.waitSignal(opener.obstructed) as caught:
        opener.open(left(model="hf:nobody/nothing", pre="gpt-2"))
    (read,) = caught.args
    assert (read.opening.obstacle, asked) == (Obstacle.ON_WEB, [])
    with qtbot.waitSignal(opener.taken_up):
        opener.fetch(read)
    assert asked == [("hf:nobody/nothing", "gpt-2")]
    assert session.loader.model.name == "hf:nobody/nothing"
    opener.stop()
    session.close()


def test_what_there_is_comes_back_from_a_file(session, opener, model_file, tmp_path, qtbot):
    assert opener.captured("steps", "") is None
    with qtbot.waitSignal(session.tokens_changed):
        session.loader.open(str(model_file))
    session.document.select(5, 1)
    captured = opener.captured("steps", "Look here")
    assert captured == SessionFile(str(model_file), b"before", "Look here", page="steps", selection=(5, 1))
    session.set_options(Options(False, False, "scan"))
    assert opener.captured("no such page", "") == SessionFile(
        str(model_file), b"before", encoder="scan", add_special=False, parse_special=False, selection=(5, 1)
    )
    path = tmp_path / "1.session"
    with qtbot.waitSignal(opener.saved) as caught:
        opener.save(captured, path)
    assert caught.args == [path]
    loaded = load(path)
    assert len(loaded.sha256) == 64
    assert loaded == replace(captured, sha256=loaded.sha256)
    with qtbot.waitSignal(opener.failed):
        opener.save(captured, tmp_path / "nowhere" / "1.session")
