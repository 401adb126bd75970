"""Columns that come and go: how they are added, what their menus tell, and what they say without a model."""

from main_window_driver import load
from menus import offered, take
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from guiapp.core.demo import sample_text
from guiapp.core.encode.catalogue import encoder_label
from guiapp.pages.compare import columns as column_menu

TEXT = sample_text("welcome")[:200]


def test_models_are_added_shown_once_more_and_removed(open_page, qtbot, monkeypatch):
    shell, page = open_page("demo:bpe", text=TEXT)
    callbacks = []
    shell.window.requests.model_wanted.connect(lambda under, take: callbacks.append(take))
    qtbot.mouseClick(page.bar.add_button, Qt.MouseButton.LeftButton)
    callbacks[0]("demo:spm", None)
    page.columns.columns[0].menu.again.trigger()
    assert [session.loader.loading_name for session in shell.compared.sessions] == [
        None,
        "demo:spm",
        "demo:bpe",
    ]
    qtbot.waitUntil(lambda: len(page.comparison.rows) == 3 and page.is_ready)
    names = [side.name for side in page.causes.sides]
    assert len(set(names)) == 3
    assert names == [column.state.name for column in page.columns.columns] == page.summary.summary.titles()
    menu = page.columns.columns[2].menu
    menu.aboutToShow.emit()
    greedy = next(action for action in menu.actions()[1].menu().actions() if "greedy" in action.text())
    greedy.trigger()
    qtbot.waitUntil(lambda: page.is_ready)
    assert shell.compared.sessions[2].algorithm.name == "greedy"
    assert shell.session.algorithm.name == "fast"
    page.columns.columns[1].menu.remove.trigger()
    qtbot.waitUntil(lambda: page.is_ready)
    assert {reason.title for reason in page.causes.counts} == {"Other encoder: greedy"}
    for name in ("demo:spm", "demo:unigram"):
        callbacks[0](name, None)
    assert not page.bar.add_button.isEnabled()
    callbacks[0]("demo:rwkv", None)
    assert len(page.columns.columns) == 4


def test_the_column_menu_shows_and_changes_encoding_options(open_page, qtbot):
    shell, page = open_page("demo:bpe", "demo:unigram", text=TEXT)
    first, second = (column.menu for column in page.columns.columns)
    chosen, asked = shell.compared.sessions[1], []
    switches = ["Add special tokens | checked", "Parse special tokens | checked"]
    rows = ["Other model…", "Encoder", "Pre-tokenizer… | off", *switches, "", "The same model again"]
    assert offered(second) == [*rows, "Remove"]
    assert offered(first) == [row.removesuffix(" | off") for row in rows], "but for the window's own"
    for name in chosen.encoders:
        chosen.set_encoder(name)
        offered(second)
        encoders = offered(second.actions()[1].menu())
        assert len(encoders) == len(chosen.encoders) > 1
        assert [row.partition(":")[0] for row in encoders if row.endswith(") | checked")] == [
            encoder_label(name)
        ]
    take(second, "Add special")
    take(second, "Parse special")
    assert offered(second)[3:5] == ["Add special tokens", "Parse special tokens"]
    take(second, "The same model again")
    again = shell.compared.sessions[2]
    assert not again.options.add_special
    assert not again.options.parse_special
    shell.window.requests.model_wanted.connect(lambda under, take: asked.append((under, take)))
    take(second, "Other model")
    ((under, open_model),) = asked
    assert under is page.columns.columns[1].head.name_button
    open_model("demo:spm", None)
    assert chosen.loader.loading_name == "demo:spm"
    assert offered(page.columns.columns[2].menu)[-2] == "The same model again | off", "until it is open"
    qtbot.waitUntil(lambda: page.is_ready)
    shell.compared.add("demo:rwkv")
    assert offered(second)[-2] == "The same model again | off", "there is no room"


def test_the_menu_of_a_column_goes_with_it(open_page):
    shell, page = open_page("demo:bpe", "demo:unigram", text=TEXT)
    menu = page.columns.columns[1].menu
    menu.popup(QPoint())
    shell.compared.remove(shell.compared.sessions[1])
    assert not menu.isVisible()


def test_a_model_that_does_not_open_shows_the_reason_and_a_fix(make_shell, qtbot, monkeypatch):
    shell = make_shell(b"one two three", "fake.gguf", load)
    before = shell.compared.add("odd.gguf")
    qtbot.waitUntil(lambda: before.loader.refused is not None)
    shell.window.actions_table["compare"].trigger()
    page = shell.window.pages.current
    shell.compared.add("broken.gguf")
    qtbot.waitUntil(lambda: all(each.loader.loading_name is None for each in shell.compared.sessions))
    odd, broken = page.columns.columns[1:]
    assert "broken.gguf is no GGUF file" in broken.state.problem
    assert broken.state.name == "broken"
    opened, choose = [], odd.notice.findChildren(QPushButton)[0]
    monkeypatch.setattr(column_menu.PrePicker, "open_under", lambda self, under: opened.append(self))
    qtbot.mouseClick(choose, Qt.MouseButton.LeftButton)
    opened[0].chosen.emit("llama-bpe")
    qtbot.waitUntil(lambda: odd.state.has_model)
    assert odd.editor.isVisible()
    qtbot.waitUntil(lambda: len(page.comparison.rows) == 2)
    odd.menu.choose_model()
    odd.state.session.loader.open("broken.gguf")
    qtbot.waitUntil(lambda: bool(odd.state.problem))
    assert odd.editor.isVisible(), "the model stays"


def test_the_switches_of_the_window_are_those_of_all_columns(open_page):
    shell, _ = open_page("demo:bpe", "demo:unigram", "demo:spm", text=TEXT)
    options = [lambda each=each: each.options for each in shell.compared.sessions]
    shell.window.actions_table["add_special"].trigger()
    assert [each().add_special for each in options] == [False] * 3
    shell.compared.sessions[1].set_add_special(True)  # as the menu of a column does
    shell.window.actions_table["parse_special"].trigger()
    assert [each().parse_special for each in options] == [False] * 3
    assert [each().add_special for each in options] == [False, True, False]
