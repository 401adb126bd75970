"""Reading embeddings on the Vocabulary page: by clicks and keys, in the real window."""

import threading

import numpy as np
import pytest
from chart_samples import click, hover
from embedded_models import rows_with_dead, write_model
from gguf import GGMLQuantizationType
from hands import turn_wheel, wait_for_results
from instant_recorder import load_once
from menus import offered, take
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from guiapp.analysis.tree.trials import TrialError
from guiapp.analysis.vocabulary_list import embeddings as measures
from guiapp.pages.vocabulary import embeddings as module
from guiapp.pages.vocabulary import embeddings_panel as words

LEFT = Qt.MouseButton.LeftButton
DEAD, KNOWN = range(50, 80), range(50, 60)
N_TOKENS = 400


@pytest.fixture
def open_page(open_in_shared, qtbot, tmp_path, monkeypatch):
    """Shows the panel with a model, whose tokens text reaches but one."""
    monkeypatch.setattr(
        "guiapp.kit.token_table.vocabulary.unreached_apart", lambda *_: np.array([61], np.int32)
    )

    def make(name=None, known=KNOWN):
        path = written(tmp_path, known)
        page = open_in_shared("vocabulary", str(path) if name is None else name, b"", load_once)
        page.bar.embeddings.setChecked(False)
        page.model.end()
        page.model.sort_by("", False)
        qtbot.waitUntil(lambda: page.model.source is not None)
        wait_for_results(page, qtbot)
        qtbot.mouseClick(page.bar.embeddings, LEFT)
        return page

    return make


def written(folder, known=KNOWN):
    rows = rows_with_dead(N_TOKENS, 64, DEAD, 0.1)
    tensors = {"token_embd.weight": (GGMLQuantizationType.F32, rows.view(np.uint8))}
    return write_model(folder / "x.gguf", tensors, N_TOKENS, known)


@pytest.fixture
def read_page(open_page, qtbot):
    """Shows what was read."""
    page = open_page()
    qtbot.mouseClick(page.embeddings_panel.read, LEFT)
    wait_for_results(page, qtbot)
    return page


def listed(page):
    return {int(page.list.table.index(row, 0).data()) for row in range(page.list.table.rowCount())}


def test_a_click_reads_embeddings_and_counts_untrained_tokens(read_page):
    panel = read_page.embeddings_panel
    assert (panel.count.text(), panel.unreached.text()) == ("■ 20 tokens", "□ Text does not reach 1")
    assert panel.known.text() == "○ Compared with 10 tokens named or marked as unused or reserved."
    assert panel.limit.text().startswith("Cosine distance to the known unused rows up to 0.")
    assert panel.notes.isHidden()
    assert {"norm", "cosine"} <= {column.name for column in read_page.model.shown_columns}


def test_why_this_model_is_to_be_doubted_stands_with_its_figures(open_page, qtbot):
    page = open_page(known=range(200, 210))
    qtbot.mouseClick(page.embeddings_panel.read, LEFT)
    wait_for_results(page, qtbot)
    assert "look like other tokens" in page.embeddings_panel.notes.text()
    assert page.embeddings_panel.notes.isVisible()


def test_a_failed_search_for_unreached_tokens_is_reported(open_page, qtbot, monkeypatch):
    def fail(tokenizer, progress):
        raise TrialError("It cannot be tried.")

    monkeypatch.setattr("guiapp.kit.token_table.vocabulary.unreached_apart", fail)
    page = open_page()
    qtbot.mouseClick(page.embeddings_panel.read, LEFT)
    wait_for_results(page, qtbot)
    assert page.embeddings_panel.unreached.text() == "It cannot be tried."


def test_reading_embeddings_does_not_reset_the_chosen_columns(open_page, qtbot):
    page = open_page()
    before = page.model.columns
    for name in {*before} - {"id", "token"}:
        page.model.show_column(name, False)
    qtbot.mouseClick(page.embeddings_panel.read, LEFT)
    wait_for_results(page, qtbot)
    assert page.model.columns == ["id", "token", "norm", "cosine"]
    page.model.show_column("norm", False)
    assert page.model.columns == ["id", "token", "cosine"]
    with qtbot.waitSignal(page.model.session.vocabulary_changed):
        page.model.session.loader.open("demo:toy")
    wait_for_results(page, qtbot)
    assert page.model.columns == ["id", "token"]
    for name in before:
        page.model.show_column(name, True)


def test_suspects_are_listed_the_worst_first_and_all_again(read_page, qtbot):
    panel = read_page.embeddings_panel
    qtbot.mouseClick(panel.list, LEFT)
    wait_for_results(read_page, qtbot)
    assert listed(read_page) == {*DEAD} - {*KNOWN}
    assert [*read_page.model.shown.rows] == [*read_page.embeddings.indicators.suspects]
    assert panel.list.isChecked()
    qtbot.mouseClick(panel.list, LEFT)
    wait_for_results(read_page, qtbot)
    assert len(listed(read_page)) == N_TOKENS
    assert not panel.list.isChecked()


def position_of(chart, token):
    (at,) = (point for point in range(N_TOKENS) if chart.token_of(point) == token)
    return chart.pixel(chart.data.x[at], chart.data.y[at])


def test_a_point_is_selected_by_clicking_and_described_on_hover(read_page, qtbot):
    chart, panel = read_page.embeddings_panel.chart, read_page.embeddings_panel
    for angle in (0, 240):  # also where it is zoomed
        turn_wheel(chart.view.viewport(), position_of(chart, 200).toPoint(), angle)
        QApplication.processEvents()
        place = position_of(chart, 200)
        expected = chart.token_of(chart.key_at(place))
        hover(chart, place)
        assert panel.pointed.text().startswith(f"{expected}   t{expected}   norm ")
        read_page.model.choose(0)
        click(chart, place)
        assert read_page.model.chosen == expected
    assert chart.is_zoomed
    hover(chart, QPoint(1, 1))
    click(chart, QPoint(1, 1))
    assert read_page.model.chosen == expected
    assert panel.pointed.text().startswith(f"{expected}   t{expected}   norm "), "while none is pointed at"
    assert read_page.panels == [
        *(read_page.list.view, read_page.bar.field, chart, read_page.picture.scripts, read_page.card)
    ]
    qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert not chart.is_zoomed


def test_arrow_keys_step_through_untrained_tokens(read_page, qtbot):
    chart, suspects = read_page.embeddings_panel.chart, [*read_page.embeddings.indicators.suspects]
    chart.setFocus()
    for key, expected in (
        (Qt.Key.Key_Right, 0),
        (Qt.Key.Key_Down, 1),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_Up, -1),
    ):
        qtbot.keyClick(chart, key)
        assert read_page.model.chosen == suspects[expected]


def test_selected_rows_can_be_compared_with(read_page, qtbot):
    read_page.list.view.selectRow(60)
    read_page.list.view.selectionModel().select(
        read_page.list.table.index(61, 0),
        read_page.list.view.selectionModel().SelectionFlag.Select
        | read_page.list.view.selectionModel().SelectionFlag.Rows,
    )
    menu, named = read_page.embeddings_panel.compare.menu(), "10 tokens named or marked as unused or reserved"
    assert offered(menu) == [f"{named} | checked", "", "The selected tokens in the list (2)"]
    take(menu, "The selected tokens")
    wait_for_results(read_page, qtbot)
    assert read_page.embeddings_panel.known.text() == "○ Compared with 2 chosen rows."
    read_page.list.view.selectRow(60)
    assert offered(menu)[-1] == "The selected tokens in the list (1) | off"


def test_a_prompt_is_copied_and_checked_for_the_token(read_page, qtbot):
    panel = read_page.embeddings_panel
    assert not panel.ask.isEnabled()
    read_page.model.choose(70)
    qtbot.mouseClick(panel.ask, LEFT)
    assert QGuiApplication.clipboard().text().count("«t70»") == 17
    assert panel.asked.text() in (words.COPIED, words.NOT_HELD)


def test_reading_is_given_up_by_a_click(open_page, qtbot, monkeypatch):
    gate, survey = threading.Event(), measures._survey

    def held(matrix, progress):
        progress(0.4)
        gate.wait(10)
        return survey(matrix, progress)

    monkeypatch.setattr(measures, "_survey", held)
    page = open_page()
    panel = page.embeddings_panel
    qtbot.mouseClick(panel.read, LEFT)
    qtbot.waitUntil(lambda: panel.progress.value() == 200)
    qtbot.mouseClick(panel.cancel, LEFT)
    assert panel.read.isVisible()
    gate.set()
    wait_for_results(page, qtbot)
    assert page.embeddings.indicators is None


def test_what_was_read_is_forgotten_with_its_model(read_page, qtbot):
    with qtbot.waitSignal(read_page.model.session.vocabulary_changed):
        read_page.model.session.loader.open("demo:toy")
    wait_for_results(read_page, qtbot)
    assert read_page.embeddings.picture is None
    assert module.UNTRAINED not in read_page.model.query


def test_embeddings_are_offered_where_the_file_has_some(open_page, qtbot, tmp_path):
    page = open_page("demo:toy")
    wait_for_results(page, qtbot)
    assert not page.bar.embeddings.isEnabled()
    assert "no embeddings" in page.bar.embeddings.toolTip()
    with qtbot.waitSignal(page.model.session.vocabulary_changed):
        page.model.session.loader.open(str(written(tmp_path)))
    wait_for_results(page, qtbot)
    assert page.bar.embeddings.isEnabled()
