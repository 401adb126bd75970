"""All that the Compare page tells of several models, and of the difference that is walked to."""

import pytest
from controls_in_words import controls_of, painted_of
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

import guiapp
from guiapp.pages.compare.details import LEGEND

MODELS = {"demo:bpe": "byte-level BPE", "demo:unigram": "Unigram"}
TEXT = b"How do lions sleep in New York?\nWell 1984 or not."


@pytest.fixture
def page(make_shell, qtbot):
    first, second = MODELS
    shell = make_shell(TEXT, first, lambda name, pre, progress: guiapp.open_model(name, pre))
    shell.compared.add(second)
    shell.window.resize(1600, 900)
    shell.window.actions_table["compare"].trigger()
    page = shell.window.pages.current
    page.shell = shell
    qtbot.waitUntil(lambda: all(session.tokenizer for session in shell.compared.sessions))
    qtbot.waitUntil(lambda: page.is_ready)
    QApplication.processEvents()
    return page


CAUSES = {
    "Other id": 6,
    "Normalised otherwise: the space in front": 4,
    "Tokens around": 2,
    "Token": 2,
    "Normalised otherwise: spaces": 1,
}
TOLD_LEGEND = "LEGEND | Legend", *(entry.meaning for entry in LEGEND)


def by_cause():
    for name, count in CAUSES.items():
        differences = "1 difference" if count == 1 else f"{count} differences"
        yield f"{name} | {name}: {differences} | {name}: walk through these only"


def test_all_that_is_told_of_two_models_and_a_difference(page, qtbot):
    causes = ["ALL 15 BY CAUSE | By cause", "Differences by cause", *by_cause()]
    below = [*causes, *TOLD_LEGEND]
    assert controls_of(page.details) == [
        *("Differences", "15 DIFFERENCES | Differences"),
        *("F8 goes from difference to difference, Shift+F8 back.", *below),
    ]
    assert controls_of(page.summary) == [
        *("SUMMARY | Summary", "2 models, this text · tokens a word by script", "+ Model"),
        "Folder… | Count all texts of a folder | Count all texts of a folder",
        "Cost… | Prices, and how many tokens fit | Prices, and how many tokens fit",
        *("Export", "Summary"),
    ]
    themes = page.shell.theme_source
    qtbot.keyClick(page.columns.columns[0].editor, Qt.Key.Key_F8)
    qtbot.waitUntil(lambda: not any(line.startswith("Looking") for line in controls_of(page.details)))
    first, second = (f"Tokenloupe demo: {name}" for name in MODELS.values())
    assert controls_of(page.details) == [
        *("Differences", "DIFFERENCE 1 OF 15 · LINE 1 | Differences", "Tokens of each model here"),
        f"{first} puts 2549 before a text and nothing behind it and {second} puts nothing before a text"
        " and 1 behind it.\nTokens around · each text | Why",
        *("Step through both", "Copy | Copy as Markdown", *below),
    ]
    assert painted_of(page.details, themes)["Tokens of each model here"] == [
        *("?", "Toke… BPE dim", "span0", "<|begin…_text|> text", "1 dim", "2549 dim"),
        *("?", "Tok…ram dim", "no token dim", "0 dim"),
    ]


def test_what_is_to_be_done_is_told_while_there_is_no_difference(page, qtbot):
    compared, themes = page.shell.compared, page.shell.theme_source
    page.shell.session.document.set_text(b"")
    qtbot.waitUntil(lambda: page.is_ready)
    qtbot.waitUntil(lambda: page.walk.n_all == 0)
    assert controls_of(page.details) == [
        *("Differences", "DIFFERENCES | Differences", "All models cut this text alike."),
        *TOLD_LEGEND,
    ]
    compared.remove(compared.sessions[1])
    qtbot.waitUntil(lambda: page.is_ready)
    assert controls_of(page.details) == [
        *("Differences", "DIFFERENCES | Differences"),
        *("Add a model to compare with: the same text, cut by each, side by side.", "Add model…"),
    ]
    assert [line.partition(" | ")[0] for line in controls_of(page.tools)] == ["Details", "+ Add model"]
    (column,) = page.columns.columns
    assert "+" not in str(painted_of(column, themes))


COLUMNS = {
    "byte-level BPE": (
        "22 tokens, +1 · 1.00×",
        "BPE · llama-bpe · 2,560",
        *(["accent", "?", "22 text", "BPE · llama-bpe · 2,560 dim", "+1 · 1.00× warning"], ["warning"]),
        ["1 dim", "+1 warning", " 12 text", "warning", "9 dim"],
    ),
    "Unigram": (
        "21 tokens, fewest · 0.95×",
        "UGM · 3,000",
        *(["?", "21 text", "UGM · 3,000 dim", "fewest · 0.95× good"], []),
        ["0 dim", "11 dim", "9 dim"],
    ),
}


def test_each_column_tells_its_model_its_tokens_and_those_of_each_line(page):
    themes = page.shell.theme_source
    for number, (column, title) in enumerate(zip(page.columns.columns, COLUMNS, strict=True), 1):
        counted, about, words, surplus, lines = COLUMNS[title]
        name = f"Tokenloupe demo: {title}"
        assert controls_of(column) == [
            f"{name}: {counted}",
            f"{name} | Model {number}: {name} | {name} · {about}",
            f"Text with the tokens of {name}",
            "Tokens of each line",
        ]
        assert painted_of(column, themes) == {
            f"{name}: {counted}": [*words, "faint", *surplus, "line"],
            "Tokens of each line": lines,
        }
