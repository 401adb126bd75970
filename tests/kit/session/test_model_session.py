"""The state that all pages share, through its signals."""

import json
import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import ENCODERS, FakeTokenizer
from instant_recorder import load_once

from guiapp.analysis.editing.token_store import Options
from guiapp.core.encode.exactness import Exactness
from guiapp.errors import VocabError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession


def load(name, pre, progress):
    progress(0.5)
    if name == "broken.gguf":
        raise VocabError("broken.gguf is no GGUF file. Choose another one.")
    return FakeTokenizer(name)


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(b"one two three"), load=load)
    with qtbot.waitSignal(made.spans.encoded):
        made.loader.open("first.gguf")
    yield made
    made.close()


def edit(qtbot, session, *change):
    session.document.replace(*change)
    qtbot.waitUntil(lambda: not session.is_encoding)


def test_opening_a_model_encodes_the_text(session):
    assert session.vocabulary.name == "first.gguf"
    assert session.tokens.ids(0, 9).tolist() == [0, 1, 3, 4]
    assert [session.tokens.span(index) for index in range(4)] == [(0, 0), (0, 3), (3, 7), (7, 13)]


def test_old_tokens_are_gone_when_vocabulary_changed_is_emitted(session, qtbot):
    left = []
    session.vocabulary_changed.connect(lambda: left.append(len(session.tokens)))
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("second.gguf")
    assert left == [0]


@pytest.mark.parametrize(("hovered", "left"), [(2, 2), (3, None)])
def test_a_token_is_pointed_at_as_long_as_there_are_so_many(session, hovered, left, qtbot):
    session.hover_token(hovered)
    edit(qtbot, session, 7, 13, b"")  # leaves three
    assert (len(session.tokens), session.hovered_token) == (3, left)


def test_the_old_model_serves_until_the_new_one_is_ready(qtbot):
    may_end = threading.Event()

    def slow_load(name, pre, progress):
        if name == "slow":
            may_end.wait(PATIENCE_S)
        return FakeTokenizer(name)

    session = ModelSession(TextSession(b"one"), load=slow_load)
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("first")
    session.loader.open("slow")
    assert session.loader.loading_name == "slow"
    edit(qtbot, session, 3, 3, b" two")
    assert session.tokens.ids(0, 9).tolist() == [0, 1, 3]
    with qtbot.waitSignal(session.vocabulary_changed):
        may_end.set()
    assert session.vocabulary.name == "slow"
    session.close()


def test_under_an_encoder_that_only_approximates_touched_tokens_are_counted(session, qtbot):
    with qtbot.waitSignal(session.spans.encoded):
        session.set_encoder("slow")
    session.document.select(2, 5)
    counts = session.selection_statistics
    assert (counts.n_tokens, counts.is_exact) == (3, False)


def test_the_round_trip_is_known_soon_after_the_tokens(session, qtbot):
    qtbot.waitUntil(lambda: session.round_trip.value is not None)
    assert session.round_trip.value.is_same
    session.document.replace(0, 3, b"four")
    assert session.round_trip.value is None
    qtbot.waitUntil(lambda: session.round_trip.value is not None)
    assert session.round_trip.value.offset == 0


def test_a_text_without_any_token_is_compared_too(qtbot):
    session = ModelSession(TextSession(b"unheard-of"), load=load_once)
    session.set_encoder("words")
    session.loader.open("demo:toy")
    qtbot.waitUntil(lambda: None not in (session.round_trip.value, session.encoder_check.value))
    assert len(session.tokens) == 0
    assert session.round_trip.value.offset == 0
    assert session.encoder_check.value.share == 0
    session.close()


def test_programs_that_give_other_ids_are_known_some_time_after_opening(qtbot, tmp_path):
    """Of another model, which has no configs, there are none."""
    model = {"type": "BPE", "vocab": {letter: row for row, letter in enumerate("<|>ab")}, "merges": []}
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "added_tokens_decoder": {"5": {"content": "<|a|>"}},
    }
    (tmp_path / "tokenizer.json").write_text(json.dumps({"added_tokens": [], "model": model}))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    session = ModelSession(TextSession(b"ab"))
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open(str(tmp_path))
    qtbot.waitUntil(lambda: session.readings.value is not None, timeout=PATIENCE_S * 1000)
    assert [(each.name, each.text) for each in session.readings.value] == [("transformers", b"<|a|>")]
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:toy")
    assert session.readings.value is None
    qtbot.waitUntil(lambda: session.readings.value == (), timeout=PATIENCE_S * 1000)
    session.close()


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
    assert session.exactness.level == "approximate"
    session.document.insert(b"one")
    waiting = session.exactness.reason
    qtbot.waitUntil(lambda: session.encoder_check.value is not None)
    assert session.exactness.reason != waiting
    tokenizer.exactness = Exactness("approximate", "Its file is odd.")
    assert session.exactness.reason.endswith("\n\nIts file is odd.")
    session.set_encoder(None)
    assert session.exactness == Exactness("approximate", "Its file is odd.")
    session.close()


def test_the_token_at_the_caret_stays_selected_while_touched(session):
    selected = []
    for caret in (0, 2, 3, 5, 7, 9, 7, 3, 13):
        session.document.set_caret(caret)
        selected.append(session.selected_token)
    assert selected == [1, 1, 1, 2, 2, 3, 3, 2, 3]


def test_selecting_a_token_moves_the_caret_where_it_begins_unless_it_touches_it(session):
    session.document.set_caret(0)
    carets = []
    for token in (3, 2, 1, None, 1, 0):
        session.select_token(token)
        carets.append((session.selected_token, session.document.caret))
    assert carets == [(3, 7), (2, 7), (1, 0), (None, 0), (1, 0), (0, 0)]


def test_selecting_a_span_selects_the_token_it_starts_in(session):
    for byte_range, token in (((0, 2), 1), ((3, 4), 2), ((7, 13), 3), ((6, 8), 2), ((13, 13), 3)):
        session.text.select(*byte_range)
        assert (session.document.selection, session.selected_token) == (byte_range, token)
    session.document.set_caret(1)
    assert session.selected_token == 1  # it follows the caret again
