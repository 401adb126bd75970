"""What the workspace tells, in which order, and what it leaves alone."""

import pytest
from fake_tokenizer import ENCODERS, FakeTokenizer
from told import told_by

import guiapp
from guiapp.core.editing.options import Options
from guiapp.core.errors import VocabError
from guiapp.core.explain.exactness import Exactness
from guiapp.viewmodels.text.statistics import SelectionStatistics, TextStatistics
from guiapp.viewmodels.workspace import Workspace

ENCODED = ["tokens_changed", "statistics_changed"]


def load(name, pre, progress):
    if name == "broken.gguf":
        raise VocabError("broken.gguf is no GGUF file. Choose another one.")
    return FakeTokenizer(name)


@pytest.fixture
def workspace(qtbot):
    made = Workspace(b"one two three", load=load)
    with qtbot.waitSignal(made.spans.encoded):
        made.loader.open("first.gguf")
    made.round_trip.wait()
    yield made
    made.close()


@pytest.fixture
def told(workspace):
    return told_by(workspace)


def test_a_workspace_without_a_model_has_nothing_to_offer(qtbot):
    workspace = Workspace(b"one")
    told = told_by(workspace)
    assert (workspace.tokenizer, workspace.vocabulary, workspace.algorithm, workspace.exactness) == (
        None,
    ) * 4
    assert (workspace.encoders, workspace.n_tokens, workspace.n_bytes) == ({}, 0, 3)
    assert workspace.options == Options()
    assert (workspace.selected_token, workspace.hovered_token, workspace.text_path) == (None, None, None)
    assert not workspace.is_modified
    workspace.set_add_special(False)
    assert told == ["options_changed"]
    assert not workspace.is_encoding
    assert workspace._round_trip_input() is workspace._encoder_check_input() is None
    workspace.document.select(0, 2)
    assert workspace.selection_statistics == SelectionStatistics(0, False, 2, 2)
    workspace.close()


def test_options_are_told_once_and_lead_to_other_tokens(workspace, told, qtbot):
    for change, given, options in (
        (workspace.set_add_special, False, Options(False, True, None)),
        (workspace.set_parse_special, False, Options(False, False, None)),
        (workspace.set_encoder, "slow", Options(False, False, "slow")),
    ):
        told.clear()
        with qtbot.waitSignal(workspace.spans.encoded):
            change(given)
            assert told == ["options_changed"]
            assert workspace.is_encoding
        assert workspace.options == options
        told.clear()
        change(given)
        assert told == []
    assert workspace.token_ids(0, 9).tolist() == [1, 6, 7, 6, 8]


def test_another_model_is_told_before_its_tokens(workspace, told, qtbot):
    workspace.select_token(2)
    workspace.hover_token(2)
    told.clear()
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.loader.open("second.gguf")
    assert [name for name in told if name != "statistics_changed"] == [
        "hovered_token_changed",
        "vocabulary_changed",
        "options_changed",
        "tokens_changed",
        "selected_token_changed",
        "tokens_changed",
        "selected_token_changed",
    ]
    assert (workspace.hovered_token, workspace.selected_token) == (None, 2)


@pytest.mark.parametrize(("encoder", "left"), [("slow", None), ("fast", "fast"), (None, None)])
def test_an_encoder_that_the_next_model_lacks_is_given_up(qtbot, encoder, left):
    class Exact(FakeTokenizer):
        def __post_init__(self):
            super().__post_init__()
            self.encoders = {"fast": ENCODERS["fast"]}

    workspace = Workspace(b"one", Options(encoder=encoder), lambda name, pre, progress: Exact(name))
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.loader.open("exact.gguf")
    assert workspace.options.encoder == left
    assert workspace.algorithm is ENCODERS["fast"]
    workspace.close()


def test_how_far_tokens_can_be_trusted(qtbot):
    workspace = Workspace(b"", load=load)
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.loader.open("first.gguf")
    tokenizer = workspace.tokenizer
    assert workspace.exactness == Exactness("exact", "Every word is looked up.")
    workspace.set_encoder("slow")
    guess = "“Guess words” does not always give llama.cpp's tokens."
    assert (workspace.exactness.level, workspace.exactness.reason) == ("approximate", guess)
    workspace.document.insert(b"one")
    waits = " How many of its tokens are the same for this text is being found out."
    assert workspace.exactness.reason == guess + waits
    qtbot.waitUntil(lambda: workspace.encoder_check.result is not None)
    same = " On this text it gives exactly the tokens of the exact encoder."
    assert workspace.exactness.reason == guess + same
    tokenizer.exactness = Exactness("approximate", "Its file is odd.")
    assert workspace.exactness.reason == f"{guess}{same}\n\nIts file is odd."
    workspace.set_encoder(None)
    assert workspace.exactness == Exactness("approximate", "Its file is odd.")
    assert workspace.encoder_check.result is None
    workspace.close()


def test_only_an_encoder_that_approximates_is_compared(workspace, qtbot):
    qtbot.waitUntil(lambda: not workspace.spans.job.is_busy)
    workspace.document.insert(b"one ")
    assert workspace.round_trip._pause.isActive()
    assert not workspace.encoder_check._pause.isActive()
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.set_encoder("slow")
    assert workspace.encoder_check._pause.isActive()
    qtbot.waitUntil(lambda: workspace.encoder_check.result is not None)
    workspace.document.insert(b"one ")
    assert workspace.encoder_check.result is None


@pytest.mark.parametrize(("add_special", "ids"), [(True, [1, 3, 4]), (False, [1, 3, 4])])
def test_the_round_trip_leaves_out_what_stands_around_the_text(workspace, qtbot, add_special, ids):
    if not add_special:
        with qtbot.waitSignal(workspace.spans.encoded):
            workspace.set_add_special(False)
    given = workspace._round_trip_input()
    assert (given.tokenizer, given.text) == (workspace.tokenizer, b"one two three")
    assert given.token_ids.tolist() == ids
    encoder = workspace._encoder_check_input()
    assert encoder == (workspace.tokenizer, b"one two three", workspace.options)
    workspace.document.set_text(b"")
    assert (workspace._round_trip_input() is None) is (not add_special)
    assert (workspace._encoder_check_input() is None) is (not add_special)


def test_what_is_selected_around_a_special_token_at_the_end_is_decoded_too(qtbot):
    workspace = Workspace(b"a", load=lambda name, pre, progress: guiapp.open_model(name))
    with qtbot.waitSignal(workspace.spans.encoded):
        workspace.loader.open("demo:wordpiece")
    assert workspace.n_tokens == 3
    assert workspace._round_trip_input().token_ids.tolist() == workspace.token_ids(1, 2).tolist()
    workspace.close()


def test_the_token_at_the_caret_stays_selected_while_the_caret_touches_it(workspace, told):
    selected = []
    for caret in (0, 2, 3, 5, 7, 9, 7, 3, 13):
        workspace.document.set_caret(caret)
        selected.append(workspace.selected_token)
    assert selected == [1, 1, 1, 2, 2, 3, 3, 2, 3]
    told.clear()
    workspace.document.set_caret(12)
    assert told == ["statistics_changed"]


def test_selecting_a_token_moves_the_caret_where_it_begins_unless_it_touches_it(workspace, told):
    workspace.document.set_caret(0)
    carets = []
    for token in (3, 2, 1, None, 1, 0):
        workspace.select_token(token)
        carets.append((workspace.selected_token, workspace.document.caret))
    assert carets == [(3, 7), (2, 7), (1, 0), (None, 0), (1, 0), (0, 0)]
    told.clear()
    workspace.select_token(0)
    assert told == []
    workspace.select_token(3)
    assert told == ["statistics_changed", "selected_token_changed"]


def test_a_stretch_is_selected_with_the_token_that_it_begins_in(workspace, told):
    for stretch, token in (((0, 2), 1), ((3, 4), 2), ((7, 13), 3), ((6, 8), 2), ((13, 13), 3)):
        workspace.select_stretch(*stretch)
        assert (workspace.document.selection, workspace.selected_token) == (stretch, token)
    told.clear()
    workspace.select_stretch(13, 13)
    assert told == []
    workspace.document.set_caret(1)
    assert workspace.selected_token == 1  # it follows the caret again


def test_a_stretch_that_people_are_to_see_is_only_told(workspace, qtbot):
    with qtbot.waitSignal(workspace.pointed_out) as pointed:
        workspace.point_out(4, 7)
    assert pointed.args == [4, 7]
    assert workspace.document.selection == (0, 0)


def test_hovering_tells_and_changes_nothing_else(workspace, told):
    workspace.hover_token(2)
    workspace.hover_token(None)
    workspace.hover_token(None)
    assert told == ["hovered_token_changed"] * 2
    assert workspace.hovered_token is None


def test_counts_of_the_text_and_of_what_is_selected(workspace):
    assert workspace.statistics == TextStatistics(4, 13, 13, workspace.statistics.elapsed_ns, 13)
    assert workspace.tokens_of_selected_text is None
    workspace.document.select(5, 2)
    assert workspace.selection_statistics == SelectionStatistics(2, True, 3, 3)
    assert workspace.tokens_of_selected_text == (1, 3)
    assert [workspace.n_times(token) for token in (0, 1, 3, 4, 8)] == [1, 1, 1, 1, 0]
    assert workspace.text_slice(8, 99) == b"three"
    assert workspace.text_slice(0, 3) == b"one"
    assert workspace.n_characters_before(5) == 5
    assert workspace.tints(1, 4).tolist() == workspace.tokens.between(1, 4).tints.tolist()
    assert len(workspace.tints(1, 4)) == 3


def test_files_are_told_where_path_or_state_is_new(workspace, told, qtbot, tmp_path):
    path = tmp_path / "text.txt"
    document = workspace.document

    def file_signals():
        names = [name for name in told if name.startswith("text_")]
        told.clear()
        return names, workspace.text_path, workspace.is_modified

    document.insert(b"one ")
    document.insert(b"one ")
    assert file_signals() == (["text_file_changed"], None, True)
    assert workspace.save_text(path)
    assert path.read_bytes() == b"one one one two three"
    assert file_signals() == (["text_file_changed"], path, False)
    assert workspace.save_text(path)
    assert file_signals() == ([], path, False)
    path.write_bytes(b"two")
    with qtbot.waitSignal(workspace.text_job.done):
        workspace.open_text(path)
    assert file_signals() == (["text_left"], path, False)
    assert (document.text(), document.caret) == (b"two", 0)
    workspace.show_text(b"three")
    assert file_signals() == (["text_left", "text_file_changed"], None, False)
    workspace.show_kept_text(b"one", path)
    assert file_signals() == (["text_left", "text_file_changed"], path, True)
    workspace.show_kept_text(b"", None)
    assert file_signals() == (["text_left", "text_file_changed"], None, False)
    workspace.show_kept_text(b"", None)
    assert file_signals() == (["text_left"], None, False)
    document.undo()
    assert (document.text(), file_signals()) == (b"one", (["text_file_changed"], path, True))
    workspace.restore_text(b"two", None)
    assert (document.text(), document.can_undo) == (b"two", False)
    assert file_signals() == (["text_file_changed"], None, True)


def test_an_empty_text_in_place_of_an_empty_one_is_no_step(qtbot, tmp_path):
    workspace = Workspace(b"")
    path = tmp_path / "empty.txt"
    path.touch()
    with qtbot.waitSignal(workspace.text_file_changed):
        workspace.open_text(path)
    assert (workspace.text_path, workspace.is_modified, workspace.document.can_undo) == (path, False, False)
    workspace.document.insert(b"x")
    workspace.document.undo()
    assert (workspace.text_path, workspace.is_modified) == (path, False)
    workspace.close()


def test_saving_ends_a_step_of_undo(workspace, tmp_path):
    workspace.document.insert(b"a")
    workspace.save_text(tmp_path / "text.txt")
    workspace.document.insert(b"b")
    workspace.document.undo()
    assert workspace.document.text() == b"aone two three"


def test_closing_stops_each_kind_of_work(workspace, monkeypatch):
    workspace.document.insert(b"one")
    workspace.encoder_check.check(lambda: None)
    workspace.close()
    assert not workspace.round_trip._pause.isActive()
    assert not workspace.encoder_check._pause.isActive()
    assert not workspace.spans.timing._pause.isActive()
