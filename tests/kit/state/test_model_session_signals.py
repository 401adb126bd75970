"""What the session tells, in which order, and what it leaves alone."""

import pytest
from fake_tokenizer import ENCODERS, FakeTokenizer
from told import told_by

import guiapp
from guiapp.analysis.editing.token_store import Options
from guiapp.core.encode.exactness import Exactness
from guiapp.errors import VocabError
from guiapp.kit.document.statistics import SelectionStatistics, TextStatistics
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession

ENCODED = ["tokens_changed", "statistics_changed"]


def load(name, pre, progress):
    if name == "broken.gguf":
        raise VocabError("broken.gguf is no GGUF file. Choose another one.")
    return FakeTokenizer(name)


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(b"one two three"), load=load)
    with qtbot.waitSignal(made.spans.encoded):
        made.loader.open("first.gguf")
    made.round_trip.wait()
    yield made
    made.close()


@pytest.fixture
def told(session):
    return told_by(session)


def test_a_session_without_a_model_has_nothing_to_offer(qtbot):
    session = ModelSession(TextSession(b"one"))
    told = told_by(session)
    assert (session.tokenizer, session.vocabulary, session.algorithm, session.exactness) == (None,) * 4
    assert (session.encoders, len(session.tokens), session.document.size) == ({}, 0, 3)
    assert session.options == Options()
    assert (session.selected_token, session.hovered_token, session.text.path) == (None, None, None)
    assert not session.text.is_modified
    session.set_add_special(False)
    assert told == ["options_changed"]
    assert not session.is_encoding
    assert session._comparing_round_trip() is session._comparing_encoders() is None
    session.document.select(0, 2)
    assert session.selection_statistics == SelectionStatistics(0, False, 2, 2)
    session.close()


def test_options_are_told_once_and_lead_to_other_tokens(session, told, qtbot):
    for change, given, options in (
        (session.set_add_special, False, Options(False, True, None)),
        (session.set_parse_special, False, Options(False, False, None)),
        (session.set_encoder, "slow", Options(False, False, "slow")),
    ):
        told.clear()
        with qtbot.waitSignal(session.spans.encoded):
            change(given)
            assert told == ["options_changed"]
            assert session.is_encoding
        assert session.options == options
        told.clear()
        change(given)
        assert told == []
    assert session.tokens.ids(0, 9).tolist() == [1, 6, 7, 6, 8]


def test_another_model_is_told_before_its_tokens(session, told, qtbot):
    session.select_token(2)
    session.hover_token(2)
    told.clear()
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("second.gguf")
    assert [name for name in told if name != "statistics_changed"] == [
        "vocabulary_changed",
        "options_changed",
        "hovered_token_changed",
        "tokens_changed",
        "selected_token_changed",
        "tokens_changed",
        "selected_token_changed",
    ]
    assert (session.hovered_token, session.selected_token) == (None, 2)


@pytest.mark.parametrize(("encoder", "left"), [("slow", None), ("fast", "fast"), (None, None)])
def test_an_encoder_that_the_next_model_lacks_is_given_up(qtbot, encoder, left):
    class Exact(FakeTokenizer):
        def __post_init__(self):
            super().__post_init__()
            self.encoders = {"fast": ENCODERS["fast"]}

    session = ModelSession(
        TextSession(b"one"), Options(encoder=encoder), lambda name, pre, progress: Exact(name)
    )
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("exact.gguf")
    assert session.options.encoder == left
    assert session.algorithm is ENCODERS["fast"]
    session.close()


def test_how_far_tokens_can_be_trusted(qtbot):
    session = ModelSession(TextSession(b""), load=load)
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("first.gguf")
    tokenizer = session.tokenizer
    assert session.exactness == Exactness("exact", "Every word is looked up.")
    session.set_encoder("slow")
    guess = "“Guess words” does not always give llama.cpp's tokens."
    assert (session.exactness.level, session.exactness.reason) == ("approximate", guess)
    session.document.insert(b"one")
    waits = " How many of its tokens are the same for this text is being found out."
    assert session.exactness.reason == guess + waits
    qtbot.waitUntil(lambda: session.encoder_check.result is not None)
    same = " On this text it gives exactly the tokens of the exact encoder."
    assert session.exactness.reason == guess + same
    tokenizer.exactness = Exactness("approximate", "Its file is odd.")
    assert session.exactness.reason == f"{guess}{same}\n\nIts file is odd."
    session.set_encoder(None)
    assert session.exactness == Exactness("approximate", "Its file is odd.")
    assert session.encoder_check.result is None
    session.close()


def test_only_an_encoder_that_approximates_is_compared(session, qtbot):
    qtbot.waitUntil(lambda: not session.spans.job.is_busy)
    session.document.insert(b"one ")
    assert session.round_trip._pause.isActive()
    assert not session.encoder_check._pause.isActive()
    with qtbot.waitSignal(session.spans.encoded):
        session.set_encoder("slow")
    assert session.encoder_check._pause.isActive()
    qtbot.waitUntil(lambda: session.encoder_check.result is not None)
    session.document.insert(b"one ")
    assert session.encoder_check.result is None


@pytest.mark.parametrize(("add_special", "ids"), [(True, [1, 3, 4]), (False, [1, 3, 4])])
def test_the_round_trip_leaves_out_what_stands_around_the_text(session, qtbot, add_special, ids):
    if not add_special:
        with qtbot.waitSignal(session.spans.encoded):
            session.set_add_special(False)
    tokenizer, text, token_ids, _ = session._comparing_round_trip().args
    assert (tokenizer, text, token_ids.tolist()) == (session.tokenizer, b"one two three", ids)
    given = session._comparing_encoders().args
    assert given == (session.tokenizer, b"one two three", session.options)
    session.document.set_text(b"")
    assert (session._comparing_round_trip() is None) is (not add_special)
    assert (session._comparing_encoders() is None) is (not add_special)


def test_what_is_selected_around_a_special_token_at_the_end_is_decoded_too(qtbot):
    session = ModelSession(TextSession(b"a"), load=lambda name, pre, progress: guiapp.open_model(name))
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("demo:wordpiece")
    assert len(session.tokens) == 3
    assert session._comparing_round_trip().args[2].tolist() == session.tokens.ids(1, 2).tolist()
    session.close()


def test_the_token_at_the_caret_stays_selected_while_the_caret_touches_it(session, told):
    selected = []
    for caret in (0, 2, 3, 5, 7, 9, 7, 3, 13):
        session.document.set_caret(caret)
        selected.append(session.selected_token)
    assert selected == [1, 1, 1, 2, 2, 3, 3, 2, 3]
    told.clear()
    session.document.set_caret(12)
    assert told == ["statistics_changed"]


def test_selecting_a_token_moves_the_caret_where_it_begins_unless_it_touches_it(session, told):
    session.document.set_caret(0)
    carets = []
    for token in (3, 2, 1, None, 1, 0):
        session.select_token(token)
        carets.append((session.selected_token, session.document.caret))
    assert carets == [(3, 7), (2, 7), (1, 0), (None, 0), (1, 0), (0, 0)]
    told.clear()
    session.select_token(0)
    assert told == []
    session.select_token(3)
    assert told == ["statistics_changed", "selected_token_changed"]


def test_a_stretch_is_selected_with_the_token_that_it_begins_in(session, told):
    for stretch, token in (((0, 2), 1), ((3, 4), 2), ((7, 13), 3), ((6, 8), 2), ((13, 13), 3)):
        session.text.select(*stretch)
        assert (session.document.selection, session.selected_token) == (stretch, token)
    told.clear()
    session.text.select(13, 13)
    assert told == []
    session.document.set_caret(1)
    assert session.selected_token == 1  # it follows the caret again


def test_hovering_tells_and_changes_nothing_else(session, told):
    session.hover_token(2)
    session.hover_token(None)
    session.hover_token(None)
    assert told == ["hovered_token_changed"] * 2
    assert session.hovered_token is None


def test_counts_of_the_text_and_of_what_is_selected(session):
    assert session.statistics == TextStatistics(4, 13, 13, session.statistics.elapsed_ns, 13)
    assert session.tokens_of_selected_text is None
    session.document.select(5, 2)
    assert session.selection_statistics == SelectionStatistics(2, True, 3, 3)
    assert session.tokens_of_selected_text == (1, 3)
    assert [session.tokens.count(token) for token in (0, 1, 3, 4, 8)] == [1, 1, 1, 1, 0]
    assert session.document.slice(8, 99) == b"three"
    assert session.document.slice(0, 3) == b"one"
    assert session.document.n_characters_before(5) == 5
    assert session.tokens.between(1, 4).tints.tolist() == session.tokens.between(1, 4).tints.tolist()
    assert len(session.tokens.between(1, 4).tints) == 3


def test_closing_stops_each_kind_of_work(session, monkeypatch):
    session.document.insert(b"one")
    session.encoder_check.check(lambda: None)
    session.close()
    assert not session.round_trip._pause.isActive()
    assert not session.encoder_check._pause.isActive()
    assert not session.spans.timing._pause.isActive()
