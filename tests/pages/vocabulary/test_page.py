"""The Vocabulary page in the real window: what is listed, filtered and shown by clicks and keys."""

import pytest
from chart_samples import click, drag, hover
from controls_in_words import controls_of
from fitting import unreadable
from hands import wait_for_results
from menus import offered, take
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel
from vocabulary_pairs import HOSTILE, load

from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.analysis.vocabulary_list.filters import FLAGS
from guiapp.kit.token_table.histograms import HOW_TO
from guiapp.kit.token_table.table_view import FORMS
from guiapp.kit.widgets.labels import StyledText
from guiapp.pages.vocabulary.page import NO_MODEL

LEFT, CTRL, SHIFT = (
    Qt.MouseButton.LeftButton,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
LATIN = SCRIPT_NAMES.index("Latin")


@pytest.fixture
def open_page(open_in_shared, qtbot):
    """Shows the page with a model, as if it had just been opened."""

    def make(name, text=b"abacbb"):
        page = open_in_shared("vocabulary", name, text, load)
        qtbot.waitUntil(lambda: page.model.source is not None)
        page.model.end()
        page.model.sort_by("", False)
        page.list.view.clearSelection()
        wait_for_results(page, qtbot)
        page.bar.field.setFocus()
        return page

    return make


def listed(page, column=1):
    return [page.list.table.index(row, column).data() for row in range(page.list.table.rowCount())]


def row_place(page, row):
    return page.list.view.visualRect(page.list.table.index(row, 1)).center()


def click_row(page, qtbot, row, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.mouseClick(page.list.view.viewport(), LEFT, modifier, row_place(page, row))


def texts_by_name(page):
    return {each.accessibleName(): each.toPlainText() for each in page.card.findChildren(StyledText)}


def type_filter(page, qtbot, text):
    qtbot.keyClick(page.list.view, Qt.Key.Key_F, CTRL)
    assert page.bar.field.hasFocus()
    qtbot.keyClicks(page.bar.field, text)
    wait_for_results(page, qtbot)


def test_all_words_can_be_read_in_a_window_of_any_size(open_page, qtbot):
    page = open_page("demo:bpe")
    click_row(page, qtbot, 3)
    assert unreadable(page.window()) == []


def test_without_a_model_the_page_offers_to_open_one(make_shell, qtbot):
    window = make_shell(b"abacbb", None, load).window
    window.resize(1280, 800)
    window.actions_table["vocabulary"].trigger()
    page, asked = window.pages.current, []
    window.requests.model_wanted.disconnect()
    window.requests.model_wanted.connect(lambda widget, take: asked.append(take))
    assert page.contents.message.text() == NO_MODEL
    assert not page.bar.field.isEnabled()
    qtbot.waitUntil(page.window().isActiveWindow)
    qtbot.mouseClick(page.open, LEFT)
    with qtbot.waitSignal(page.model.session.vocabulary_changed):
        asked[0]("demo:toy", None)
    wait_for_results(page, qtbot)
    assert page.list.count.text() == "9 tokens"
    assert page.bar.field.hasFocus()


def test_the_list_is_filtered_as_the_user_types(open_page, qtbot):
    page = open_page("demo:toy")
    type_filter(page, qtbot, "b length:2")
    assert listed(page) == ["bb", "ab", "cb"]
    assert page.list.count.text() == "3 of 9 tokens"
    qtbot.keyClick(page.bar.field, Qt.Key.Key_Down)
    assert page.model.chosen == 6
    qtbot.keyClick(page.bar.field, Qt.Key.Key_Return)
    assert texts_by_name(page)["Token text"] == "ab"
    qtbot.keyClicks(page.bar.field, " nowhere")
    wait_for_results(page, qtbot)
    assert (listed(page), page.list.state.text()) == ([], "No matches.")
    qtbot.keyClicks(page.bar.field, " length:>")
    wait_for_results(page, qtbot)
    assert "length:>" in page.list.state.text()
    assert page.list.state.isVisible()
    qtbot.keyClick(page.bar.field, Qt.Key.Key_Escape)
    wait_for_results(page, qtbot)
    assert (len(listed(page)), page.bar.field.text()) == (9, "")


def test_what_is_there_only_in_another_case_is_listed_by_a_click(open_page, qtbot):
    page = open_page("demo:bpe")
    type_filter(page, qtbot, "THERE")
    assert len(listed(page)) == 0
    n_wider = page.model.shown.wider[1]
    page.list.wider.click()
    wait_for_results(page, qtbot)
    assert len(listed(page)) == n_wider > 0
    assert page.list.wider.isHidden()


def test_a_click_on_a_title_sorts_and_a_third_one_does_no_more(open_page, qtbot):
    page = open_page("demo:toy")
    header = page.list.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(2) + 20, header.height() // 2)  # length
    assert (header.sortIndicatorSection(), page.model.request.sort) == (-1, "")
    rows = ((["a", "acbb"], (0, -1), 2), (["acbb", "a"], (0, 6), 2), (["a", "acbb"], (0, -1), -1))
    for (expected, at, sorting), title in zip(
        rows, ("▴ length (bytes)", "▾ length (bytes)", "length (bytes)"), strict=True
    ):
        qtbot.mouseClick(header.viewport(), LEFT, pos=place)
        wait_for_results(page, qtbot)
        assert [listed(page)[row] for row in at] == expected
        assert page.list.table.headerData(2, Qt.Orientation.Horizontal) == title
        assert header.sortIndicatorSection() == sorting
    assert page.model.request.sort == ""


def test_a_filter_moves_neither_the_header_nor_the_bars(open_page, qtbot):
    page = open_page("demo:toy")
    room = page.list.view.geometry(), page.picture.scripts.area
    for query in ("zzz", "/(/", ""):
        page.model.set_query(query)
        wait_for_results(page, qtbot)
        assert (page.list.view.geometry(), page.picture.scripts.area) == room
        assert bool(page.list.state.text()) is bool(query)


def test_a_row_is_explained_and_selected_in_the_text(open_page, qtbot):
    page = open_page("demo:toy")
    click_row(page, qtbot, 8)
    assert texts_by_name(page)["Token text"] == "acbb"
    assert texts_by_name(page)["in this text"] == "once"
    assert page.model.session.selected_token == 1
    page.model.session.select_token(0)
    assert page.list.view.currentIndex().row() == 3
    page.list.view.setFocus()
    qtbot.keyClick(page.list.view, Qt.Key.Key_Down)
    assert (page.model.chosen, texts_by_name(page)["id"]) == (4, "4")


def test_the_use_count_is_updated_when_the_page_is_shown_again(open_page, qtbot):
    page = open_page("demo:toy")
    click_row(page, qtbot, 8)
    window, session = page.shell.window, page.model.session
    window.actions_table["inspect"].trigger()
    session.text.show(b"acbbacbb")
    qtbot.waitUntil(lambda: session.tokens.count(8) == 2)
    window.actions_table["vocabulary"].trigger()
    assert texts_by_name(page)["in this text"] == "2 times"


def test_selected_rows_light_up_in_the_tree(open_page, qtbot):
    page = open_page("demo:toy")
    click_row(page, qtbot, 4)
    click_row(page, qtbot, 6, SHIFT)
    click_row(page, qtbot, 8, CTRL)
    assert page.list.selected == [4, 5, 6, 8]
    page.bar.tree.trigger()
    window = page.shell.window
    assert window.pages.current_name == "tree"
    tree = window.pages.current
    qtbot.waitUntil(lambda: len(tree.search.result_nodes) == 4)
    assert [tree.model.picture.token(int(node)) for node in tree.search.result_nodes] == [4, 5, 6, 8]
    assert tree.search.title == "selected tokens"
    window.requests.left.emit()
    assert window.pages.current is page
    click_row(page, qtbot, 2)
    qtbot.mouseDClick(page.list.view.viewport(), LEFT, pos=row_place(page, 2))
    assert window.pages.current is tree
    qtbot.waitUntil(lambda: len(tree.search.result_nodes) == 1)
    assert tree.model.chosen_token == 2 or tree.model.picture.token(int(tree.search.result_nodes[0])) == 2


def test_all_that_is_listed_lights_up_where_nothing_is_selected(open_page, qtbot):
    page = open_page("demo:toy", b"")
    type_filter(page, qtbot, "length:2")
    page.bar.tree.trigger()
    tree = page.shell.window.pages.current
    qtbot.waitUntil(lambda: len(tree.search.result_nodes) == 4)
    assert tree.search.title == "length:2"


def test_rows_and_ids_are_copied(open_page, qtbot):
    page = open_page("demo:toy")
    click_row(page, qtbot, 0)
    click_row(page, qtbot, 3, CTRL)
    page.list.view.setFocus()
    qtbot.keyClick(page.list.view, Qt.Key.Key_C, CTRL)
    lines = QApplication.clipboard().text().splitlines()
    assert [line.split("\t")[:2] for line in lines] == [["id", "token"], ["0", "a"], ["3", "ab"]]
    page.list.copy_ids.trigger()
    assert QApplication.clipboard().text() == "0, 3"


def test_copied_rows_are_those_of_the_file_not_of_the_screen(open_page, qtbot):
    page = open_page("demo:bpe")
    vocabulary = page.shell.session.vocabulary
    token_id = next(i for i in range(1_000, len(vocabulary)) if vocabulary.token_bytes(i).startswith(b" "))
    page.list.view.go_to(token_id)
    page.list.view.setFocus()
    qtbot.keyClick(page.list.view, Qt.Key.Key_C, CTRL)
    row = QApplication.clipboard().text().splitlines()[1].split("\t")
    assert row[:2] == [str(token_id), vocabulary.token_bytes(token_id).decode()]


def test_bars_show_their_counts_and_filter(open_page, qtbot):
    page = open_page("demo:toy")
    bars, scripts = page.picture.lengths, page.picture.scripts
    two = bars.pixel(2, 1)
    hover(bars, two)
    assert "2 bytes: 4 listed, 0 others" in controls_of(page.picture)
    QApplication.sendEvent(bars, QEvent(QEvent.Type.Leave))
    assert HOW_TO in controls_of(page.picture)
    for query, n_listed, selected in (("length:2", 4, 2), ("", 9, None)):
        click(bars, two)
        wait_for_results(page, qtbot)
        assert (page.bar.field.text(), len(listed(page)), bars.selected) == (query, n_listed, selected)
    scripts.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(scripts, key)
    wait_for_results(page, qtbot)
    assert page.bar.field.text() == "script:Latin"
    assert (scripts.selected, scripts.values[0].key) == (LATIN, LATIN)


def test_a_line_is_dragged_to_the_least_length_that_is_listed(open_page, qtbot):
    page = open_page("demo:toy")
    bars = page.picture.lengths
    for start, end, query in ((0.5, 2.6, "length:>=3"), (2.5, 1.4, "length:>=2"), (1.5, 0.5, "")):
        drag(bars, *(bars.pixel(x, 1).toPoint() + QPoint(1, 0) for x in (start, (start + end) / 2, end)))
        wait_for_results(page, qtbot)
        assert page.bar.field.text() == query
    type_filter(page, qtbot, "b length:>=4")
    assert bars.data.least == 4


def test_a_click_on_a_bar_while_the_next_model_is_prepared_filters_by_what_is_drawn(
    open_page, qtbot, monkeypatch
):
    page = open_page("demo:toy")
    monkeypatch.setattr(page.model, "_source", None)
    click(page.picture.lengths, page.picture.lengths.pixel(2, 1))
    assert page.bar.field.text() == "length:2"


def test_menus_offer_filters_and_columns(open_page, qtbot):
    page = open_page("one")
    menu, columns = page.bar.terms.menu(), page.bar.columns.menu()
    flags = [f"{flag.about[0].upper()}{flag.about[1:]}" for flag in FLAGS.values()]
    flags[1] += " | off"  # nothing was read that tells
    assert offered(menu) == ["Kind", "Script", "", *flags]
    kinds, scripts = (action.menu() for action in menu.actions()[:2])
    assert offered(scripts) == ["Latin · 7", "Special tokens · 2"]
    assert offered(kinds) == ["control · 2", "normal · 7"]
    take(kinds, "control · 2")
    wait_for_results(page, qtbot)
    assert (page.bar.field.text(), listed(page)) == ("kind:control", ["<s>", "</s>"])
    offered(menu)
    assert offered(menu.actions()[0].menu()) == ["control · 2 | checked", "normal · 7"]
    take(menu, "Control, unknown")
    wait_for_results(page, qtbot)
    assert page.bar.field.text() == "kind:control is:special"
    assert [row for row in offered(menu) if "checked" in row] == [f"{flags[-1]} | checked"]
    take(columns, "bytes")
    assert listed(page, 2) == ["3C 73 3E", "3C 2F 73 3E"]
    shown = [row.partition(":")[0] for row in offered(columns) if row.endswith("| checked")]
    assert shown == [column.name for column in page.model.shown_columns]
    assert len(columns.actions()) == len(page.model.choices) > len(shown)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.title)
def test_what_is_listed_is_saved(open_page, qtbot, tmp_path, monkeypatch, form):
    page = open_page("demo:toy")
    type_filter(page, qtbot, "bb")
    path = (tmp_path / "saved").with_suffix(form.ending)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(path), ""))
    take(page.bar.export.menu(), f"Save: {form.title}")
    qtbot.waitUntil(lambda: page.saving.saved == path)
    assert path.read_bytes() == page.model.export(form.write)(lambda share: None)


def test_the_same_filter_lists_two_vocabularies(open_page, qtbot):
    page = open_page("one")
    type_filter(page, qtbot, "ab length:3")
    page.shell.compared.add("other")
    page.bar.compare.trigger()
    pair = page.shell.window.pages.current
    qtbot.waitUntil(lambda: pair.is_ready and pair.model.comparison is not None)
    assert pair.list.field.text() == "ab length:3"
    assert [pair.list.table.index(row, 0).data() for row in range(pair.list.table.rowCount())] == [
        "abc",
        "abd",
    ]


def test_another_model_is_listed_by_the_same_filter(open_page, qtbot):
    page = open_page("demo:toy")
    type_filter(page, qtbot, "length:2")
    page.model.session.loader.open("spm")
    qtbot.waitUntil(lambda: page.model.source is not None and len(page.model.source) == 3)
    wait_for_results(page, qtbot)
    assert listed(page) == ["zz"]


def test_hostile_texts_are_shown_as_they_are_and_never_as_markup(open_page, qtbot):
    page = open_page("hostile")
    for row in range(len(HOSTILE) + 1):
        page.list.view.selectRow(row)
        text = page.list.table.index(row, 1).data()
        assert texts_by_name(page)["Token text"][:50] == text[:50]
    assert "<b>x</b>" in listed(page)
    for label in page.findChildren(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText or "<" not in label.text()


def test_f6_goes_through_all_parts_and_a_narrow_page_shows_charts_in_place_of_the_card(open_page, qtbot):
    page = open_page("demo:toy")
    assert page.panels == [page.list.view, page.bar.field, page.picture.scripts, page.card]
    page.shell.window.resize(860, 600)
    QApplication.processEvents()
    assert page.panels == [page.list.view, page.bar.field, page.card]
    qtbot.mouseClick(page.bar.charts, Qt.MouseButton.LeftButton)
    assert page.panels == [page.list.view, page.bar.field, page.picture.scripts]
    page.shell.window.resize(1280, 800)
    QApplication.processEvents()
    assert page.panels == [page.list.view, page.bar.field, page.picture.scripts, page.card]


def test_the_card_is_of_a_token_that_is_listed(open_page, qtbot):
    page = open_page("demo:toy")
    click_row(page, qtbot, 4)
    assert texts_by_name(page)["id"] == "4"
    type_filter(page, qtbot, "length:1")
    assert (page.model.chosen, page.details.details, page.list.selected) == (None, None, [])
    click_row(page, qtbot, 0)
    assert texts_by_name(page)["id"] == listed(page, 0)[0]
    page.model.session.select_token(1)  # of the text, which no filter concerns
    assert page.model.chosen == page.model.session.selected_id == page.details.details.token_id
