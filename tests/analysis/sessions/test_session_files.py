"""Session files: what is saved is read again, and what cannot be used is told with its line."""

import re
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guiapp import open_model
from guiapp.analysis.sessions import session_file as opening
from guiapp.analysis.sessions.session_file import (
    ENTRIES,
    MOST_FILE_BYTES,
    Obstacle,
    SessionFile,
    load,
    opened,
    save,
    with_model,
    written,
)
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import Granularity
from guiapp.core.demo import demo_model_path
from guiapp.core.manual import chapter_text
from guiapp.core.sources.files import file_hash
from guiapp.core.text.outside_json import FaultyFileError
from guiapp.errors import TokenloupeError, VocabError

HEAD = 'session = 1\nmodel = "demo:toy"\n'
WHOLE = HEAD + 'text = "abacb"\n'
LISTED = ", ".join(ENTRIES)
FAULTS = {
    "": ["1: this is not a session: the line session = 1 is missing."],
    'session = "1"': ["1: this is not a session: the line session = 1 is missing."],
    "a = 1\nsession = 2": ["2: this session has version 2; Tokenloupe reads version 1."],
    "session = 1": [
        '1: there is no model. Add a line such as model = "demo:bpe".',
        "1: there must be one entry “text”, or “text_base64” for bytes that are not UTF-8.",
    ],
    WHOLE + 'text_base64 = "YQ=="': ["3: there must be one entry “text”, or “text_base64” for bytes that "],
    WHOLE + "colour = 1": [f"4: there is an unknown entry “colour”. Known entries: {LISTED}."],
    WHOLE + "step = true": ["4: “step” must be a whole number, such as 3."],
    WHOLE + "step = -1": ["4: “step” must not be negative."],
    WHOLE + "selection = [1]": ["4: “selection” must be two whole numbers, such as [0, 12]."],
    WHOLE + "recorded = [0, 1.5]": ["4: “recorded” must be two whole numbers, such as [0, 12]."],
    WHOLE + f'notes = "{"a" * 50_001}"': ["4: “notes” may have 50,000 characters."],
    WHOLE + 'page = "moon"': ["4: “page” names an unknown page. Known pages: text, "],
    WHOLE + 'chat = "[1]"': ["4: “chat” does not contain messages: Message 1 is not an object such as "],
    WHOLE + """chat = '{"messages": [{"role": "user"}], "chat_template": 1}'""": [
        "4: “chat” does not contain messages: “chat_template” in the request must be of type str."
    ],
    WHOLE + """chat = '{"messages": [{"role": "user"}], "chat_template": "/etc/{a}"}'""": [
        "4: “chat” names a template file. Give its text instead."
    ],
    WHOLE + """chat = '{"messages": [{"role": "user"}], "chat_template": "/etc/a"}'""": [
        "4: “chat” names a template file. Give its text instead."
    ],
    WHOLE + 'step_size = "mile"': ["4: “step_size” must be one of decision, piece, stage."],
    WHOLE + "watches = [3]": ['4: “watches” must be a list of texts, such as ["a", "b"].'],
    WHOLE + 'watches = ["__import__"]': ["4: “watches” has “__import__”: "],
    WHOLE + 'breakpoints = [\n"rank < 5",\n"off a == 3"]': ["4: “breakpoints” has “a == 3”: There is no "],
    WHOLE + 'breakpoints = ["(\'a\' * 9**9) == 1"]': ["4: “breakpoints” has "],
    WHOLE + f"watches = {['rank'] * 201}": ["4: “watches” has 201 rows. The limit is 200."],
    HEAD + 'text_base64 = "%"': ["3: “text_base64” is not base64."],
    WHOLE + "a" + ".a" * 99_999 + " = 1": ["4: this has too many dots for a session."],
    WHOLE + "step = " + "9" * 5000: ["1: this is not a session: a number is too long, or lists are"],
    WHOLE + 'text = "b"': ["4: this is not valid TOML: Cannot overwrite a value."],
}  # fmt: skip
FULL = SessionFile(
    "demo:toy", b"abacb\r\n", "Look\nhere ", "ab12", "llama-bpe", "scan", False, False, "steps", (4, 1),
    (
        parse_breakpoint('token "ab" if piece > 0 hit 2 log {rank} here'),
        replace(parse_breakpoint("rank 0..500 once"), is_enabled=False),
    ),
    ("rank - 1",), Granularity.PIECE, (0, 5), 3, "heap",
)  # fmt: skip


@pytest.fixture
def session_file(tmp_path):
    def write(text):
        path = tmp_path / "1.session"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.mark.parametrize("text", FAULTS, ids=lambda text: text[-40:])
def test_each_fault_is_reported_with_its_line(session_file, text):
    began = perf_counter()
    with pytest.raises(FaultyFileError) as caught:
        load(session_file(text))
    result = [f"{fault.line}: {fault.reason}" for fault in caught.value.faults]
    assert len(result) == len(FAULTS[text]), result
    for explanation, begins in zip(result, FAULTS[text], strict=True):
        assert explanation.startswith(begins), explanation
    assert str(caught.value).startswith("1.session, line ")
    assert perf_counter() - began < 2


def test_what_is_saved_is_read_again(tmp_path):
    for session in (FULL, SessionFile("demo:toy", b"")):
        save(session, tmp_path / "1.session")
        assert load(tmp_path / "1.session") == session


def test_the_session_in_the_manual_can_be_read(session_file):
    example = re.search(r"```toml\n(.*?)```", chapter_text("sessions"), re.DOTALL)[1]
    session = load(str(session_file(example)))
    assert [row.title for row in session.breakpoints] == ["rank < 50", "token 12"]
    assert (session.text, session.recorded) == (b"How do lions sleep?", (0, 19))


@given(text=st.one_of(st.binary(), st.text().map(str.encode), st.text('"\\ \t\r\n\0a\u202e').map(str.encode)))
@example(b'"""" \\\n ""\t')
@example(" \u2028\x85\x7f\U000e0041\ufeff👩‍👩‍👧".encode())
def test_every_text_and_note_comes_back_byte_for_byte(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("session") / "1.session"
    session = SessionFile("demo:toy", text, text.decode("utf-8", "replace"))
    save(session, path)
    assert load(path) == session


def test_a_session_can_be_read_and_compared_line_by_line(tmp_path):
    session = SessionFile("demo:toy", 'one "two"\n\tth\\ree \nfour\u202e é 汉\n'.encode())
    lines = written(session, tmp_path).splitlines()
    text = lines[lines.index('text = """') + 1 :]
    assert text == [
        'one "two"',
        "\tth\\\\ree\\u0020",
        "four\\u202e é 汉",
        '"""',
    ]


def test_long_lines_of_nothing_are_written_and_read_in_no_time(session_file, tmp_path):
    began = perf_counter()
    save(SessionFile("demo:toy", b" " * 100_000 + b"x" + b'"' * 100_000), tmp_path / "1.session")
    load(tmp_path / "1.session")
    assert perf_counter() - began < 5


def test_a_session_that_is_too_long_is_refused(tmp_path):
    with pytest.raises(TokenloupeError, match=r"^The session would have .* Save the text separately"):
        save(SessionFile("demo:toy", b"a" * MOST_FILE_BYTES), tmp_path / "1.session")
    with pytest.raises(TokenloupeError, match=r"^Notes can have at most 50,000 characters\. Shorten them\.$"):
        save(SessionFile("demo:toy", b"", "a" * 50_001), tmp_path / "1.session")
    with pytest.raises(
        TokenloupeError, match=r"^A session can have at most 200 watches, but this one has 201\.$"
    ):
        save(SessionFile("demo:toy", b"", watches=("rank",) * 201), tmp_path / "1.session")
    assert not (tmp_path / "1.session").exists()
    with pytest.raises(TokenloupeError, match="cannot be written"):
        save(FULL, tmp_path / "none" / "1.session")


@pytest.mark.parametrize(
    ("model", "stands"),
    [("s/own.gguf", "own.gguf"), ("s/deep/own.gguf", "deep/own.gguf"), ("own.gguf", "../own.gguf"),
     ("other/own.gguf", "../other/own.gguf"), ("/elsewhere/own.gguf", "/elsewhere/own.gguf"),
     ("demo:bpe", "demo:bpe"), ("ollama:x", "ollama:x"), ("hf:a/b", "hf:a/b")],
)  # fmt: skip
def test_a_model_near_the_session_is_named_from_there(tmp_path, model, stands):
    folder = tmp_path / "s"
    folder.mkdir()
    name = model if ":" in model else str(tmp_path / model)
    save(SessionFile(name, b""), folder / "1.session")
    assert f'model = "{stands}"' in (folder / "1.session").read_text()
    read = load(folder / "1.session").model
    assert read == name if ":" in model else Path(read).resolve() == Path(name).resolve()


def test_a_missing_or_changed_model_is_reported(tmp_path):
    path, other = tmp_path / "own.gguf", tmp_path / "other.gguf"
    session = SessionFile(str(path), b"", sha256=file_hash(demo_model_path("toy")))
    result = opened(session)
    assert (result.obstacle, result.tokenizer) == (Obstacle.MISSING, None)
    assert result.explanation == f"The model of this session was not found: {path}"
    path.write_bytes(demo_model_path("toy").read_bytes())
    assert opened(session).obstacle is None
    other.write_bytes(demo_model_path("bpe").read_bytes())
    result = opened(with_model(session, other))
    assert (result.obstacle, len(result.tokenizer.vocabulary)) == (Obstacle.CHANGED, 2560)
    assert result.explanation == (
        "other.gguf is not the file that this session was saved with: tokens may differ."
    )
    for name in ("a\0b", "a" * 5000):
        assert opened(SessionFile(f"/{name}", b"")).obstacle is Obstacle.MISSING
    path.write_bytes(b"GGUF")
    with pytest.raises(VocabError):
        opened(session)


@pytest.mark.parametrize("model", ["hf:a/b", "https://a.b/c.gguf", "http://a.b/c.gguf", "HTTPS://a.b/c"])
def test_no_server_is_contacted_without_permission(model):
    asked = []

    def open_(name, pre):
        asked.append(name)
        raise VocabError("Nothing is kept.")

    result = opened(SessionFile(model, b""), open_=open_)
    assert (result.obstacle, result.explanation) == (
        Obstacle.ON_WEB,
        f"The model of this session is on the web: {model}",
    )
    with pytest.raises(VocabError):
        opened(SessionFile(model, b""), may_fetch=True, open_=open_)
    assert asked == [model]


def test_what_was_fetched_is_opened_as_it_was_then(monkeypatch):
    tokenizer, asked = open_model("demo:toy"), []

    def open_(name, pre):
        asked.append((name, pre))
        return tokenizer

    monkeypatch.setattr(opening, "is_cached", lambda name: True)
    session = SessionFile("hf:a/b", b"", sha256="ab", pre="gpt-2", encoder="heap")
    result = opened(session, open_=open_)
    assert (result.session, result.tokenizer, result.obstacle, result.explanation) == (
        session,
        tokenizer,
        None,
        "",
    )
    opened(replace(session, pre=""), may_fetch=True, open_=open_)
    assert asked == [("kept:hf:a/b", "gpt-2"), ("hf:a/b", None)]
