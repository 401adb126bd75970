"""Tabs of charts and tables: two charts at a time where there is room; tables are sorted and copied."""

from __future__ import annotations

import chart_samples as chart_hand
import pytest
from bench_runs import EVERYTHING, RUN, record
from controls_in_words import controls_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from guiapp.analysis.bench.report import measured_tables
from guiapp.analysis.bench.run_results import run_of
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.bench.results import (
    CALM,
    CHANGES,
    FIGURES,
    NOTHING_YET,
    PUBLISHED,
    ResultsView,
    Sheet,
    TablesView,
)

LEFT = Qt.MouseButton.LeftButton
SIX_LENGTHS = 128, 512, 2_048, 8_192, 32_768, 52_975
CALM_RUN = {"results": [row for row in RUN["results"] if row["scenario"] == "throughput"]}


@pytest.fixture
def page(shared_page):
    return shared_page


@pytest.fixture
def results(page):
    page.model.show_run(run_of(EVERYTHING))
    page.redraw()
    return page.results


def words_of(results, key: str) -> list[str]:
    return chart_hand.texts(results.chart(key))


def click(qtbot, results, key: str) -> tuple[str, ...]:
    """What is shown then."""
    qtbot.mouseClick(results.tabs[key], LEFT)
    checked = [key for key, tab in results.tabs.items() if tab.isVisible() and tab.isChecked()]
    assert results.shown == (CALM if checked == ["throughput"] else tuple(checked))
    assert all(part.isVisible() for part in results.shown_charts)
    return results.shown


def test_before_a_run_one_chart_lists_the_chosen_encoders(make_page):
    page = make_page()
    (chart,) = page.results.shown_charts
    assert tuple(row.name for row in chart.data.rows) == page.model.choice.contenders
    assert not any(row.parts for row in chart.data.rows)
    for name in page.model.choice.contenders:
        page.model.choice.set_contender(name, False)
    page.redraw()
    assert (chart.reason, chart.values) == (NOTHING_YET, [])


def test_a_click_on_a_tab_shows_its_chart_alone_and_throughput_with_exactness(qtbot, page, results):
    assert results.bar.isVisible()
    for key in ("scaling", "worst", FIGURES):
        assert click(qtbot, results, key) == (key,)
        assert click(qtbot, results, key) == (key,)
        assert [name for name, tab in results.tabs.items() if tab.isChecked()] == [key]
    assert results.tables.isVisible()
    assert click(qtbot, results, "throughput") == CALM
    assert not results.tables.isVisible()


@pytest.mark.parametrize("size", [(860, 800), (700, 480), (1280, 900)])
def test_tabs_do_not_move_when_one_is_clicked(qtbot, page, results, size):
    page.resize(*size)
    QApplication.processEvents()
    tabs = {key: tab for key, tab in results.tabs.items() if tab.isVisible()}
    before = {key: (tab.text(), tab.geometry()) for key, tab in tabs.items()}
    for key in (*tabs, "throughput"):
        click(qtbot, results, key)
        QApplication.processEvents()
        assert {key: (tab.text(), tab.geometry()) for key, tab in tabs.items()} == before, key
    assert results.shown == CALM


@pytest.mark.parametrize("chosen", [FIGURES, CHANGES, "worst"])
def test_a_run_without_what_was_chosen_before_shows_throughput_and_exactness(page, results, chosen):
    results.show_alone(chosen)
    for run in ({"results": []}, CALM_RUN):
        page.model.show_run(run_of(run))
        page.redraw()
    results.show_alone(CHANGES)
    assert results.shown == CALM
    assert all(chart.isVisible() for chart in results.shown_charts)


@pytest.mark.parametrize("width", [780, 900, 1280])
def test_where_charts_stand_depends_on_the_size_and_not_on_what_was_shown_before(page, results, width):
    heights = range(480, 1000, 20)
    page.setUpdatesEnabled(False)  # it is laid out, not painted

    def placed(height: int, first: str = "throughput") -> list[tuple[bool, bool]]:
        results.choose(first)
        page.resize(width, height)
        results.choose("throughput")
        for _ in range(3):
            QApplication.processEvents()
        return [(chart.x() == 0, chart.y() > 100) for chart in results.shown_charts]

    assert [placed(height) for height in heights] == [placed(height, "scaling") for height in heights]


def test_each_scenario_that_was_measured_has_a_tab_and_its_chart(qtbot, results):
    measured = {row["scenario"] for row in EVERYTHING["results"]}
    shown = [key for key, tab in results.tabs.items() if tab.isVisible()]
    assert set(shown) == {*measured, FIGURES}, "one tab is of throughput and exactness"
    for key in measured:
        click(qtbot, results, key)
        chart = results.chart(key)
        assert (bool(chart.values), chart.reason) == (True, ""), key
        assert chart.accessibleName() != "", "the finding"


def test_figures_begin_with_the_chosen_text(page, results):
    rows = []
    for text in ("english", "code"):
        rows.append(record("throughput", "heap", 100, 1e-4, corpus=text))
        rows.append(record("throughput", "words", 100, 2e-4, 0.3, corpus=text, n_tokens=9000))
    page.model.show_run(run_of({"results": rows}))
    results.choose(FIGURES)
    results.texts.setCurrentIndex(1)
    results.texts.activated.emit(1)
    shown = results.tables.toPlainText().splitlines()
    assert [line.split(",")[0] for line in shown if line.startswith("Throughput")] == [
        "Throughput: code",
        "Throughput: english",
    ]


def test_figures_keep_the_order_of_the_chosen_encoders_as_columns_come(page, results):
    names = ["words", "heap", "scan"]
    rows = [
        record("scaling", name, size, size * 1e-6 * (1 + (at + size) % 3))
        for size in (128, 512, 2048)
        for at, name in enumerate(reversed(names))
    ]
    results.choose(FIGURES)
    for count in (3, 6, 9):
        page.model.show_run(run_of({"results": rows[:count], "plan": {"contenders": names}}))
        page.redraw()
        text = results.tables.toPlainText()
        assert sorted(names, key=lambda name: text.index(f"  {name}")) == names
        assert not {*"↑↓"} & {*text}, "nobody chose a column"


def test_published_figures_are_there_where_the_run_has_some_to_compare(qtbot, page):
    page.model.show_run(run_of({"results": [record("scaling", "greedy", 1 << 22, 0.1, 0.95)]}))
    page.redraw()
    click(qtbot, page.results, PUBLISHED)
    text = page.results.tables.toPlainText()
    for words in ("TokenTree, 2026", "335.9 ms for 4,194,304 B", "Intel Core Ultra 7"):
        assert words in text
    page.model.show_run(run_of({"results": [record("scaling", "greedy", 1 << 20, 0.1, 0.95, corpus="mine")]}))
    page.redraw()
    assert not page.results.tabs[PUBLISHED].isVisible()


def test_tables_keep_their_place_and_show_names_as_they_are(page):
    page.model.show_run(run_of({"results": [*EVERYTHING["results"], record("decode", "<b>x", 10, 1e-4)]}))
    page.redraw()
    page.results.show_alone(FIGURES)
    place = page.results.tables.verticalScrollBar()
    place.setValue(50)
    page.redraw()
    assert place.value() == 50
    assert "<b>x" in page.results.tables.toPlainText()


def test_text_baseline_and_unit_are_chosen_by_keys_and_drawn_at_once(qtbot, page):
    again = [{**row, "corpus": "second"} for row in CALM_RUN["results"][:2]]
    page.model.show_run(run_of({"results": [*EVERYTHING["results"], *again]}))
    page.redraw()
    results = page.results
    results.show_alone("throughput")
    for box in (results.texts, results.baselines, results.units):
        before = words_of(results, "throughput")
        assert box.isVisible()
        qtbot.keyClick(box, Qt.Key.Key_Down)
        assert words_of(results, "throughput") != before, box.accessibleName()
    results.show_alone("worst")
    assert results.own_texts.isVisible()
    results.show_alone("latency")
    assert not results.own_texts.isVisible()
    assert not results.units.isVisible()
    assert not results.baselines.isVisible()


def test_one_contender_is_pointed_at_in_all_charts_also_in_those_that_are_made_later(qtbot, page, results):
    def faded() -> set[bool]:
        return {chart.is_faded("heap") for chart in results.charts.values()}

    chart = results.chart("throughput")
    chart_hand.click(chart, chart_hand.position_of(chart, 1))
    assert page.model.isolated == chart.values[1].key == "Tokenloupe"
    click(qtbot, results, "scaling")
    assert faded() == {True}
    assert not any(chart.is_faded("Tokenloupe") for chart in results.charts.values())
    again = results.chart("scaling")
    chart_hand.click(again, chart_hand.middle_of(again, "Tokenloupe"))
    assert (page.model.isolated, faded()) == ("", {False})
    page.model.isolate("heap")
    chart_hand.click(again, again.area.topLeft())
    assert page.model.isolated == "", "a click beside everything brings all back"
    page.model.isolate("heap")
    qtbot.keyClick(again, Qt.Key.Key_Escape)
    assert page.model.isolated == ""


def test_the_unit_is_saved_in_the_settings(page, theme_source, qtbot, tmp_path):
    settings = Settings(tmp_path / "settings.ini")
    for unit, words in (("tokens_per_s", "25.0 M"), ("mb_per_s", "100")):
        results = ResultsView(page.model, theme_source, Sheet(), settings)
        qtbot.addWidget(results)
        page.model.show_run(run_of(RUN))
        results.redraw()
        assert (results.units.currentData(), settings.bench_unit) == (unit, unit)
        assert words in words_of(results, "throughput"), "the main figure"
        qtbot.keyClick(results.units, Qt.Key.Key_Down)
    assert Settings(tmp_path / "settings.ini").bench_unit == "mb_per_s"


def test_curves_show_speeds_or_times_in_all_charts(qtbot, results):
    for key in ("scaling", "worst"):
        results.show_alone(key)
        assert results.quantities.isVisible()
        seen = [results.chart(key).scales[1].label]
        qtbot.keyClick(results.quantities, Qt.Key.Key_Down)
        seen.append(results.chart(key).scales[1].label)
        qtbot.keyClick(results.quantities, Qt.Key.Key_Up)
        assert seen == ["tokens/s, log scale", "time, log scale"]
    results.show_alone("throughput")
    assert not results.quantities.isVisible()


def test_who_could_not_be_opened_keeps_a_row_with_the_reason(page):
    names, lost = (
        ["Tokenloupe", "gone"],
        {"scenario": None, "operation": None, "corpus": None, "size_bytes": None},
    )
    left_out = [
        {**lost, "contender": name, "reason": f"{name} crashed."} for name in ("gone", "not asked for")
    ]
    page.model.show_run(run_of({**CALM_RUN, "plan": {"contenders": names}, "left_out": left_out}))
    page.redraw()
    words = words_of(page.results, "throughput")
    assert {"gone", "gone crashed."} <= set(words)
    assert "not asked for" not in words


def test_who_has_no_figure_for_this_text_keeps_a_row_with_the_reason(page):
    page.model.show_run(run_of(CALM_RUN))
    page.redraw()
    lost = {"scenario": "throughput", "operation": "encode", "size_bytes": 1000}
    left_out = [
        {**lost, "contender": name, "corpus": corpus, "reason": f"{name} takes too long."}
        for name, corpus in (("slow", page.results.text), ("slow elsewhere", "another text"))
    ]
    page.model.show_run(run_of({**CALM_RUN, "left_out": left_out}))
    page.redraw()
    words = words_of(page.results, "throughput")
    assert {"slow", "slow takes too long."} <= set(words)
    assert "slow elsewhere" not in words


@pytest.fixture
def view(qtbot) -> TablesView:
    theme_source = ThemeSource(QApplication.instance(), "dark", dresses_later=True)
    view = TablesView(theme_source)
    theme_source.dress(view)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show_tables("", list(measured_tables(run_of(EVERYTHING).results, "Tokenloupe")))
    view.show()
    return view


def click_link(view: TablesView, link: str, qtbot) -> None:
    """On the place where the link is drawn, whatever is there."""
    for y in range(view.viewport().height()):
        for x in range(0, view.viewport().width(), 4):
            if view.anchorAt(QPoint(x, y)) == link:
                qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x + 2, y + 2))
                return
    pytest.fail(f"{link} is not on screen")


def test_no_word_of_a_table_is_cut_where_there_is_little_room(view):
    view.resize(300, 400)
    document, whole = view.document(), set(view.toPlainText().split())
    lines = set[str]()
    block = document.begin()
    while block.isValid():
        for number in range(block.layout().lineCount()):
            line = block.layout().lineAt(number)
            lines |= {*block.text()[line.textStart() : line.textStart() + line.textLength()].split()}
        block = block.next()
    assert lines == whole
    assert view.horizontalScrollBar().maximum() > 0


def test_a_table_of_six_lengths_fits_without_scrolling(view):
    rows = [record("scaling", "Tokenloupe", size, 1e-4 + size * 1e-9) for size in SIX_LENGTHS]
    view.show_tables("", list(measured_tables(run_of({"results": rows}).results, "Tokenloupe")))
    view.resize(710, 400)
    QApplication.processEvents()
    assert view.horizontalScrollBar().maximum() == 0


def copied(view: TablesView, kind: str, qtbot) -> list[str]:
    click_link(view, f"{kind}:0", qtbot)
    return QGuiApplication.clipboard().text().splitlines()


def test_a_table_is_copied_in_both_formats_with_a_confirmation(view, qtbot):
    head, *rows = copied(view, "csv", qtbot)
    assert head.startswith("encoder,tokens/s,MB/s,± %,of Tokenloupe,ids")
    assert "Copied the table as CSV" in controls_of(view)
    markdown = copied(view, "markdown", qtbot)
    assert markdown[0].startswith("| encoder | tokens/s | MB/s | ± % | of Tokenloupe | ids |")
    assert [line.split(" | ")[0].strip("| ") for line in markdown[2:]] == [row.split(",")[0] for row in rows]


def test_a_click_on_a_head_sorts_and_another_turns_the_order(view, qtbot):
    best = [row.split(",")[0] for row in copied(view, "csv", qtbot)[1:]]
    for column, falls in ((1, True), (2, True), (2, False)):
        click_link(view, f"sort:0:{column}", qtbot)
        cells = [row.split(",")[column] for row in copied(view, "csv", qtbot)[1:]]
        speeds = [float(cell.removesuffix(" M")) for cell in cells if cell != "–"]
        assert speeds == sorted(speeds, reverse=falls)
    click_link(view, "sort:0:0", qtbot)
    names = [row.split(",")[0] for row in copied(view, "csv", qtbot)[1:]]
    assert names == sorted(best)
    assert "encoder ↑" in view.toPlainText()
    view.show_tables("", list(measured_tables(run_of(EVERYTHING).results, "heap")))
    assert [row.split(",")[0] for row in copied(view, "csv", qtbot)[1:]] == names, "the order stays"
