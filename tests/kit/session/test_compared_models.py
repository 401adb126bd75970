"""Models are put beside the window's own, over its text, and away again."""

import gc
import weakref

import pytest
from summaries import compared_over

from guiapp.analysis.editing.token_store import Options
from guiapp.kit.session.model_session import MOST_COMPARED


@pytest.fixture
def compared(qapp):
    with compared_over(b"1024 cats", options=Options(add_special=False)) as made:
        yield made


def test_an_added_model_shares_the_text_and_the_options(compared, qtbot):
    with qtbot.waitSignal(compared.sessions_changed):
        added = compared.add("demo:bpe", "qwen2")
    assert compared.sessions == [compared.sessions[0], added]
    qtbot.waitUntil(lambda: len(added.tokens) > 0)
    assert added.document is compared.sessions[0].document
    assert added.options == Options(add_special=False)
    assert added.vocabulary.chosen_pre == "qwen2"


def test_there_is_room_for_some_only(compared):
    for _ in range(MOST_COMPARED - 1):
        assert compared.can_add
        compared.add("demo:bpe")
    assert not compared.can_add


def test_a_removed_model_no_longer_follows_edits(compared, qtbot):
    added = compared.add("demo:bpe")
    qtbot.waitUntil(lambda: len(added.tokens) > 0)
    emitted = []
    added.tokens_changed.connect(lambda edit, tokens: emitted.append(edit))
    compared.remove(added)
    assert compared.sessions == [compared.sessions[0]]
    compared.sessions[0].document.insert(b"two ")
    assert not emitted


def test_the_tokenizer_of_a_removed_model_is_freed(compared, qtbot):
    added = compared.add("demo:bpe")
    qtbot.waitUntil(lambda: len(added.tokens) > 0)
    tokenizer = weakref.ref(added.tokenizer)
    added.select_token(1)
    compared.remove(added)
    qtbot.wait(0)
    gc.collect()
    assert tokenizer() is None
    assert added.tokenizer is None
    assert added.selected_token is None, "an editor that goes soon would look for it"
