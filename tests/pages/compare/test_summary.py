"""Counts of any number of models over the text of the window or a folder, with prices and a context."""

import threading
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest
from conftest import PATIENCE_S
from summaries import TEXT, Opened, close, compared_models

import guiapp
from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.compare.texts import compare_texts
from guiapp.analysis.compare.texts_report import Terms
from guiapp.cli.main import run
from guiapp.core.demo import demo_model_path
from guiapp.core.formats import table
from guiapp.core.formats.table import Glance
from guiapp.core.sources.installed import Installed
from guiapp.errors import VocabError
from guiapp.kit.state import recent as installed
from guiapp.kit.state.background import SupersededError
from guiapp.kit.state.settings import Settings
from guiapp.pages.compare import summary as summary_module
from guiapp.pages.compare.summary import SummaryModel, SummaryTerms, context_in, price_in

OTHERS = ("demo:wordpiece", "demo:unigram", "demo:rwkv", "demo:toy")


@pytest.fixture
def make(qtbot, tmp_path, monkeypatch):
    """Makes a summary of columns and other models, and waits until all have counted."""
    monkeypatch.setattr(summary_module, "PAUSE_MS", 0)
    made = []

    def make(columns=("demo:bpe", "demo:spm"), others=(), text=TEXT, load=None):
        compared = compared_models(qtbot, columns, text)
        summary = SummaryModel(compared, Settings(tmp_path / "settings.ini"), load or Opened())
        made.append((summary, compared))
        summary.compared = compared
        summary.watch(True)
        summary.add_all((name, None) for name in others)
        qtbot.waitUntil(lambda: not summary.is_counting)
        return summary

    yield make
    for summary, compared in made:
        summary.stop()
        close(compared)


def same(actual, expected):
    """Whether two Counts have the same figures."""
    assert list(actual.file_types) == list(expected.file_types)
    for tally, other in zip(actual.file_types.values(), expected.file_types.values(), strict=True):
        assert (tally.n_tokens, tally.n_bytes, tally.n_characters) == (
            *(other.n_tokens, other.n_bytes, other.n_characters),
        )
        assert np.array_equal(tally.n_words, other.n_words)
        assert np.array_equal(tally.n_word_tokens, other.n_word_tokens)
    return actual.context_length == expected.context_length


def expected(names, texts, **options):
    return compare_texts(
        [ModelSide(name, guiapp.open_model(name), **options) for name in names], texts, 0
    ).counts


def test_rows_are_what_the_command_counts_in_columns_and_other_models(make):
    summary = make(others=OTHERS)
    names = "demo:bpe", "demo:spm", *OTHERS
    assert [row.name for row in summary.rows] == list(names)
    for row, counts in zip(summary.rows, expected(names, [("", TEXT)]), strict=True):
        assert same(row.counts, counts)
    assert [counts.name for _, counts in summary.counted] == summary.titles()


def test_an_edit_and_changed_options_are_counted_again(make, qtbot):
    summary = make(others=OTHERS[:1])
    first, second = summary.compared.sessions
    first.document.insert(b"More of it. ")
    assert all(map(summary.is_due, summary.rows))
    second.set_encoder("greedy")
    first.set_add_special(False)
    qtbot.waitUntil(lambda: not summary.is_counting)
    text = [("", first.document.text())]
    counts = [
        *expected(["demo:bpe"], text, add_special=False),
        *expected(["demo:spm"], text, encoder="greedy"),
        *expected(["demo:wordpiece"], text, add_special=False),
    ]
    assert all(same(row.counts, each) for row, each in zip(summary.rows, counts, strict=True))
    assert summary.titles()[1].endswith("(greedy)")


@pytest.fixture
def folder(tmp_path):
    """Two texts, one that is none, and one that is hidden."""
    texts = {"a.py": b"x = 1\n", "deep/b.txt": TEXT, "c.bin": b"\0\1\2", ".git/d.txt": b"hidden"}
    for name, text in texts.items():
        (tmp_path / "docs" / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / "docs" / name).write_bytes(text)
    return tmp_path / "docs"


def test_a_folder_is_counted_and_left_again(make, folder, qtbot):
    summary = make(others=OTHERS[:1])
    names = "demo:bpe", "demo:spm", OTHERS[0]
    summary.count_folder(folder)
    qtbot.waitUntil(lambda: summary.folder == folder and not summary.is_counting)
    assert (summary.texts.n_texts, summary.texts.n_others) == (2, 1)
    texts = [(str(path), path.read_bytes()) for path in (folder / "a.py", folder / "deep/b.txt")]
    for row, counts in zip(summary.rows, expected(names, texts), strict=True):
        assert same(row.counts, counts)
    summary.compared.sessions[0].document.insert(b"x")
    assert not summary.is_counting
    summary.count_text()
    qtbot.waitUntil(lambda: not summary.is_counting)
    assert summary.folder is None
    assert summary.rows[0].counts.whole.n_bytes == len(TEXT) + 1


def test_a_folder_without_texts_is_reported_and_old_counts_remain(make, tmp_path, qtbot):
    summary = make()
    (tmp_path / "empty").mkdir()
    with qtbot.waitSignal(summary.changed, check_params_cb=lambda: bool(summary.failure)):
        summary.count_folder(tmp_path / "empty")
    assert "has no text files" in summary.failure
    assert summary.folder is None
    assert len(summary.counted) == 2


@pytest.mark.parametrize("what", ["text", "folder"])
def test_files_have_the_bytes_that_the_command_line_writes(make, folder, tmp_path, capsysbinary, what, qtbot):
    models = []
    for name in ("bpe", "spm", "wordpiece"):
        title = guiapp.open_model(f"demo:{name}").vocabulary.name.removeprefix("Tokenloupe demo: ")
        models.append(str(tmp_path / f"{title}.gguf"))
        Path(models[-1]).write_bytes(demo_model_path(name).read_bytes())
    summary = make(models[:2], models[2:])
    source = ["-f", str(folder)]
    if what == "folder":
        summary.count_folder(folder)
        qtbot.waitUntil(lambda: summary.folder is not None and not summary.is_counting)
    else:
        source = ["--text", TEXT.decode()]
    summary.terms.set_own_price(models[1], 3.0)
    summary.terms.set_price(2.5)
    summary.terms.set_context(1000)
    terms = ["--price", "2.5,3,2.5", "--context", "1000"]
    for ending, form in ((".csv", "--csv"), (".svg", "--svg"), (".md", "--markdown")):
        capsysbinary.readouterr()
        assert run(["compare", *models, *source, *terms, form]) == 0
        printed = capsysbinary.readouterr().out
        if ending == ".md":  # what follows needs all models at once
            printed = printed.partition(b"\n## Spans")[0]
        assert summary.report(ending) == printed
    assert b"cost" in summary.report(".csv")


def test_a_model_that_does_not_open_is_reported_and_others_continue(make, tmp_path):
    hostile = tmp_path / "a\u202e<b>\nx.gguf"
    hostile.write_bytes(b"GGUF")
    summary = make(others=[str(hostile), OTHERS[0], "no/such/file.gguf"])
    _, _, broken, other, missing = summary.rows
    assert summary.state_of(broken) == broken.failure != ""
    assert "\u202e" not in summary.titles()[2] + broken.failure
    assert "\n" not in summary.titles()[2] + broken.failure
    assert summary.state_of(other) == ""
    assert "file.gguf cannot be opened" in summary.state_of(missing)
    assert [row for row, _ in summary.counted] == [*summary.rows[:2], other]
    assert not summary.can_become_column(broken)
    assert summary.report(".csv").count(b",all,") == 3


def test_a_text_that_cannot_be_encoded_is_reported_in_its_row(make):
    load = Opened()

    class Refusing:
        def __init__(self, tokenizer):
            self.vocabulary = tokenizer.vocabulary

        def encode(self, *given):
            raise VocabError("This text has a word too many.")

    summary = make(others=["demo:toy"], load=lambda *given: Refusing(load(*given)))
    assert summary.state_of(summary.rows[2]) == "This text has a word too many."


def test_an_edit_gives_up_what_is_at_work(make, qtbot):
    begun, given_up, go_on = threading.Event(), threading.Event(), threading.Event()
    load = Opened()

    def slow(name, pre, progress):
        begun.set()
        while not go_on.wait(0.01):
            try:
                progress(0.5)
            except SupersededError:
                given_up.set()
                raise
        return load(name, pre, progress)

    summary = make(load=slow)
    summary.add(OTHERS[0])
    assert begun.wait(PATIENCE_S)
    qtbot.waitUntil(lambda: summary.state_of(summary.rows[2]) == "Counting: 25 %")
    summary.compared.sessions[0].document.insert(b"word ")
    assert given_up.wait(PATIENCE_S)
    go_on.set()
    qtbot.waitUntil(lambda: not summary.is_counting)
    assert load.times[OTHERS[0]] == 1


def test_a_row_becomes_a_column_and_a_column_goes(make, qtbot):
    summary = make(others=OTHERS)
    assert not summary.can_remove(summary.rows[0])
    summary.make_column(summary.rows[2])
    summary.make_column(summary.rows[4])
    names = ["demo:bpe", "demo:spm", OTHERS[0], OTHERS[2], OTHERS[1], OTHERS[3]]
    qtbot.waitUntil(lambda: [row.name for row in summary.rows] == names)
    qtbot.waitUntil(lambda: not summary.is_counting)
    assert len(summary.compared.sessions) == 4
    assert not summary.can_become_column(summary.rows[4])
    summary.remove(summary.rows[1])
    assert [row.name for row in summary.rows] == [*names[:1], *names[2:]]
    assert [each.loader.model.name for each in summary.compared.sessions] == [names[0], *names[2:4]]
    assert len(summary.counted) == 5


def test_a_model_has_one_row_unless_it_is_split_otherwise(make, qtbot):
    summary = make(others=[*OTHERS, "demo:toy", "demo:bpe"])
    assert len(summary.rows) == 6
    summary.add("demo:bpe", "qwen2")
    summary.add("demo:bpe", "qwen2")
    qtbot.waitUntil(lambda: not summary.is_counting)
    assert len(summary.rows) == 7
    assert summary.titles()[6] == f"{summary.titles()[0]} (qwen2)"


def test_all_that_is_installed_is_added_but_for_what_cannot_be_opened(make, monkeypatch, qtbot):
    summary = make(others=OTHERS[:1])
    actual = [*OTHERS, "demo:spm", "demo:broken"]
    models = [Installed(name, "test", Path(name), 1) for name in actual]
    glances = [Glance("GGUF", problem="" if name != actual[-1] else "Broken.") for name in actual]
    monkeypatch.setattr(installed, "installed_models", lambda folders: models)
    monkeypatch.setattr(installed, "file_state", lambda path: path)
    monkeypatch.setattr(table, "glances_apart", lambda paths, progress: glances)
    summary.add_installed()
    qtbot.waitUntil(lambda: not summary.installed.is_looking)
    assert [row.name for row in summary.rows] == ["demo:bpe", "demo:spm", *OTHERS]
    qtbot.waitUntil(lambda: not summary.is_counting)
    assert list(map(attrgetter("failure"), summary.rows)) == [""] * 6


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


def test_terms_are_there_at_the_next_start(settings):
    terms = SummaryTerms(settings)
    assert terms.for_models(["demo:bpe"]) == Terms()
    terms.set_own_price("demo:spm", 0.5)
    assert terms.for_models(["demo:bpe", "demo:spm"]) == Terms(None, (None, 0.5))
    terms.set_price(2.0)
    terms.set_context(4096)
    again = SummaryTerms(settings)
    assert again.for_models(["demo:bpe", "demo:spm"]) == Terms(4096, (2.0, 0.5))
    again.set_own_price("demo:spm", None)
    assert SummaryTerms(settings).own_price("demo:spm") is None


@pytest.mark.parametrize(
    "saved",
    [
        *("", "x", "[]", "{}", '{"price": -1, "own": [], "context": 0}', f'{{"price": {10**400}}}'),
        *('{"price": NaN}', '{"own": {"a": "1", "b": true}, "context": 1.5}', '{"price": true}'),
        f'{{"context": {1 << 60}}}',
    ],
)
def test_spoiled_settings_are_none(settings, saved):
    settings.compare_terms = saved
    assert SummaryTerms(settings).for_models(["a", "b"]) == Terms()


@pytest.mark.parametrize(
    ("typed", "price"), [("2.5", 2.5), (" 0 ", 0.0), ("", None), ("-1", None), ("1,5", None), ("nan", None)]
)
def test_prices_are_numbers(typed, price):
    assert price_in(typed) == price


@pytest.mark.parametrize(
    ("typed", "context"),
    [
        ("4096", 4096),
        ("131,072", 131072),
        ("1 000", 1000),
        ("0", None),
        ("1.5", None),
        ("9" * 20, None),
        ("²", None),
    ],
)
def test_a_context_is_a_number_of_tokens_perhaps_grouped(typed, context):
    assert context_in(typed) == context
