"""The Vocabularies page in the real window: what is said, listed and shown by clicks and keys."""

import json

import chart_samples as charts
import pytest
from controls_in_words import controls_of
from fitting import unreadable
from hands import wait_for_results
from menus import take
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QToolButton
from vocabulary_pairs import HOSTILE, load

from guiapp.analysis.compare.vocabularies import LONGEST_COUNTED
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.kit.widgets.labels import StyledText
from guiapp.pages.compare import vocabularies
from guiapp.pages.compare.vocabularies_page import NO_MODEL, NO_SECOND

LEFT = Qt.MouseButton.LeftButton
LATIN = SCRIPT_NAMES.index("Latin")


@pytest.fixture
def open_page(show_page, qtbot):
    """Shows the page of the shared window with some models."""

    def make(first, *others):
        page = show_page("compare_vocabularies", first, b"abc", load, compared=others)
        if others:
            qtbot.waitUntil(lambda: page.model.comparison is not None)
        page.model.end()
        wait_for_results(page, qtbot)
        return page

    return make


def chip(page, text):
    chips = (each for each in page.head.findChildren(QToolButton) if each.isVisible())
    return next(each for each in chips if text in each.text())


def click(page, qtbot, widget, place=None):
    qtbot.mouseClick(widget, LEFT, pos=place or widget.rect().center())
    wait_for_results(page, qtbot)


def row_place(page, row):
    return page.list.view.visualRect(page.list.table.index(row, 0)).center()


def shown(page):
    return [page.list.table.index(row, 0).data() for row in range(page.list.table.rowCount())]


def texts_by_name(details):
    return {each.accessibleName(): each.toPlainText() for each in details.findChildren(StyledText)}


def label_texts(widget):
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def test_all_words_can_be_read_in_a_window_of_any_size(open_page):
    assert unreadable(open_page("demo:bpe", "demo:spm").window()) == []


def test_without_two_models_the_page_asks_for_them(make_shell, qtbot):
    window, asked = make_shell(b"abc", None, load).window, []
    window.actions_table["compare_vocabularies"].trigger()
    page = window.pages.current
    window.requests.model_wanted.disconnect()
    window.requests.model_wanted.connect(lambda widget, take: asked.append((widget, take)))
    assert page.contents.message.text() == NO_MODEL
    click(page, qtbot, page.add)
    [(widget, take)] = asked
    assert widget is page.add
    with qtbot.waitSignal(page.model.first.vocabulary_changed):
        take("one", None)
    assert page.contents.message.text() == NO_SECOND
    assert not page.head.isVisible()
    click(page, qtbot, page.add)
    asked[-1][1]("other", None)
    qtbot.waitUntil(lambda: page.model.comparison is not None)
    wait_for_results(page, qtbot)
    assert page.list.view.hasFocus()
    assert page.model.chosen is None


def test_a_model_that_cannot_be_opened_is_reported(open_page, qtbot):
    page = open_page("one")
    page.shell.compared.add("broken")
    qtbot.waitUntil(lambda: page.contents.message.text() == "broken is no model. Choose another one.")
    assert page.add.isVisible()


def test_identical_vocabularies_are_called_so(open_page):
    page = open_page("one", "same")
    texts = label_texts(page.head)
    assert "Identical" in texts
    assert texts.count("✓") == 5
    assert chip(page, "all 9 are the same").isChecked() is False
    assert page.groups.text() == "All tokens · 9"


def test_a_click_on_a_count_lists_what_was_counted(open_page, qtbot):
    page = open_page("one", "other")
    assert "Not identical" in label_texts(page.head)
    assert shown(page) == ["abc"]
    assert chip(page, "1 only in A").isChecked()
    click(page, qtbot, chip(page, "2 with different ids"))
    assert shown(page) == ["a", "b"]
    assert chip(page, "2 with different ids").isChecked()
    assert not chip(page, "1 only in A").isChecked()
    click(page, qtbot, chip(page, "2 only in A"))
    assert shown(page) == ["ab + c", "a + bc"]
    click(page, qtbot, chip(page, "2 special tokens"))
    assert shown(page) == ["<s>", "</s>"]


def test_roles_and_rules_have_panels(open_page, qtbot):
    page = open_page("one", "ruled")
    assert page.side.stack.currentWidget() is page.side.rules
    *verdicts, rules = page.side.rules.text.toPlainText().split("\n\n")[:4]
    heads = [verdict.partition("\n")[0] for verdict in verdicts]
    assert heads == ["?  llama.cpp: not known", "✓  vLLM: yes", "✓  SGLang: yes"]
    assert rules == "≠  clean spaces\nA  False\nB  True"
    click(page, qtbot, chip(page, "2 roles"))
    assert page.side.stack.currentWidget() is page.side.roles
    assert page.side.roles.text.toPlainText().startswith("✓  BOS\nA  <s>  id 7\nB  <s>  id 7")


def test_each_program_reports_whether_b_can_draft_for_a(open_page, qtbot):
    page = open_page("one", "other")
    assert "✗" in label_texts(page.head)
    part = chip(page, "SGLang: no, id 0 differs")
    assert "Id 0 is “a” and “b”" in part.toolTip()
    click(page, qtbot, part)
    assert "✗  SGLang: no\nId 0 is “a” and “b”" in page.side.rules.text.toPlainText()


def test_a_row_shows_the_details_of_its_token_and_opens_the_tree(open_page, qtbot):
    page = open_page("one", "other")
    requested = []
    page.shell.window.requests.token_wanted.connect(requested.append)
    click(page, qtbot, chip(page, "8 in both"))
    click(page, qtbot, page.list.view.viewport(), row_place(page, 1))
    details = page.side.details
    assert page.side.stack.currentWidget() is details
    texts = texts_by_name(details)
    assert texts["Token text"] == "b"
    assert (texts["in"], texts["id"], texts["type"]) == ("both", "A  1\nB  0", "normal")
    click(page, qtbot, page.side.tree)
    assert requested == [1]
    page.shell.window.actions_table["compare_vocabularies"].trigger()
    details.setFocus()
    qtbot.keyClick(details, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert "id\tA  1; B  0" in QApplication.clipboard().text().splitlines()
    page.list.view.setFocus()
    qtbot.keyClick(page.list.view, Qt.Key.Key_Down)
    assert page.model.chosen == 2
    qtbot.keyClick(page.list.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().splitlines()[1].split("\t")[:3] == ["c", "2", "2"]


def test_a_token_that_only_b_has_is_shown_once_b_is_the_windows_model(open_page, qtbot):
    page = open_page("one", "other")
    click(page, qtbot, chip(page, "1 only in B"))
    click(page, qtbot, page.list.view.viewport(), row_place(page, 0))
    assert page.side.tree.text() == "Open B and show in tree"
    click(page, qtbot, page.side.tree)
    assert page.shell.window.pages.current_name == "tree"
    assert page.model.first.loader.model.name == "other"
    tree = page.shell.window.pages.current
    qtbot.waitUntil(lambda: tree.model.picture is not None and len(tree.search.result_nodes) == 1)
    assert tree.model.picture.token(int(tree.search.result_nodes[0])) == 5


def test_bars_show_their_counts_and_list_their_tokens(open_page, qtbot):
    page = open_page("one", "other")
    scripts, lengths = page.picture.scripts, page.picture.lengths
    [latin] = [value for value in scripts.values if value.key == LATIN]

    def click_on(bars, place):
        charts.click(bars, place)
        wait_for_results(page, qtbot)

    charts.hover(scripts, scripts.pixel(0.5, latin.y))
    assert "Latin: 6 in both, 1 only in A, 1 only in B" in controls_of(page.picture)
    for share, rows in ((0.4, 6), (0.8, 1), (0.95, 1)):
        click_on(scripts, scripts.pixel(share, latin.y))
        assert (len(shown(page)), scripts.selected) == (rows, LATIN)
    assert page.list.field.text() == "script:Latin"
    click_on(scripts, scripts.pixel(0.95, latin.y))
    assert page.list.field.text() == "", "a second click shows all again"
    click(page, qtbot, chip(page, "2 only in A"))
    click_on(scripts, QPointF(4, scripts.pixel(0, latin.y).y()))
    assert (page.groups.text(), len(shown(page)), page.model.query) == ("All tokens · 10", 8, "script:Latin")
    click_on(lengths, QPointF(lengths.pixel(2, 0).x(), 2))
    assert sorted(shown(page)) == ["ab", "bc", "·a"]
    page.model.end()
    wait_for_results(page, qtbot)
    assert len(shown(page)) == 10


def test_keys_go_through_the_bars(open_page, qtbot):
    page = open_page("one", "other")
    for bars in (page.picture.scripts, page.picture.lengths):
        bars.setFocus()
        for key, at in (("Right", 0), ("Right", 1), ("Up", 0), ("Up", 0), ("Return", 0)):
            qtbot.keyClick(bars, Qt.Key[f"Key_{key}"])
            assert bars.accessibleDescription() == bars.values[at].tip
        wait_for_results(page, qtbot)
    assert page.model.query == "script:Latin length:1"
    assert f"{LONGEST_COUNTED} bytes or more" in page.picture.lengths.values[-1].tip


def test_a_search_narrows_the_list_and_goes_through_it(open_page, qtbot):
    page = open_page("one", "other")
    page.groups.menu().actions()[0].trigger()
    wait_for_results(page, qtbot)
    assert len(shown(page)) == 10
    qtbot.keyClick(page.list.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    assert page.list.field.hasFocus()
    qtbot.keyClicks(page.list.field, "ab")
    wait_for_results(page, qtbot)
    assert shown(page) == ["ab", "abc", "abd"]
    qtbot.keyClick(page.list.field, Qt.Key.Key_Return)
    qtbot.keyClick(page.list.field, Qt.Key.Key_Down)
    assert page.list.view.currentIndex().row() == 1
    assert page.model.source.text(page.model.chosen) == b"abc"
    qtbot.keyClicks(page.list.field, "q")
    wait_for_results(page, qtbot)
    assert "No matches." in label_texts(page)
    qtbot.keyClick(page.list.field, Qt.Key.Key_Escape)
    wait_for_results(page, qtbot)
    assert page.list.field.text() == ""
    qtbot.keyClicks(page.list.field, "/(/")
    wait_for_results(page, qtbot)
    assert any(text.startswith("The regular expression is not valid") for text in label_texts(page))


def test_b_is_chosen_among_the_columns(open_page, qtbot):
    page = open_page("one", "other", "same")
    page.head.second.menu().aboutToShow.emit()
    actions = page.head.second.menu().actions()
    assert [action.isChecked() for action in actions[:2]] == [True, False]
    actions[1].trigger()
    qtbot.waitUntil(lambda: page.model.comparison is not None and page.model.comparison.is_identical)
    asked = []
    page.shell.window.requests.model_wanted.connect(lambda widget, take: asked.append((widget, take)))
    page.head.second.menu().aboutToShow.emit()
    page.head.second.menu().actions()[-1].trigger()
    assert asked[0][0] is page.head.second
    asked[0][1]("swapped", None)
    qtbot.waitUntil(lambda: page.model.comparison is not None and page.model.request.group == "moved")
    page.head.second.menu().aboutToShow.emit()
    assert not page.head.second.menu().actions()[-1].isEnabled(), "no room for a fifth"


@pytest.mark.parametrize("form", vocabularies.FORMS)
def test_what_is_exported_is_saved(open_page, qtbot, tmp_path, monkeypatch, form):
    page = open_page("one", "other")
    path = tmp_path / "saved"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(path), ""))
    title = {"markdown": "Markdown"}.get(form, form.upper())
    take(page.list.export.menu(), f"Save: {title} of all differences")
    path = path.with_suffix({"markdown": ".md"}.get(form, f".{form}"))
    qtbot.waitUntil(lambda: page.saving.saved == path)
    assert path.read_text() == "".join(page.model.write_all(form, page.model.comparison))


def test_what_is_listed_is_sorted_and_saved(open_page, qtbot, tmp_path, monkeypatch):
    page, path = open_page("one", "other"), tmp_path / "saved.json"
    click(page, qtbot, chip(page, "8 in both"))
    qtbot.keyClicks(page.list.field, "b")
    wait_for_results(page, qtbot)
    page.list.view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    wait_for_results(page, qtbot)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(path), ""))
    take(page.list.export.menu(), "Save: JSON…")
    qtbot.waitUntil(lambda: page.saving.saved == path)
    record = json.loads(path.read_text())
    assert (record["filter"], record["count"]) == ("b", 3)
    assert [row["id in A"] for row in record["tokens"]] == [4, 3, 1]


def test_hostile_texts_are_shown_as_they_are_and_never_as_markup(open_page, qtbot):
    page = open_page("hostile", "one")
    click(page, qtbot, chip(page, f"{len(HOSTILE)} only in A"))
    for row in range(page.list.table.rowCount()):
        page.list.view.selectRow(row)
        text = page.list.table.index(row, 0).data()
        assert texts_by_name(page.side.details)["Token text"][:50] == text[:50]
    assert "<b>x</b>" in shown(page)
    for label in page.findChildren(QLabel):
        assert label.textFormat() is Qt.TextFormat.PlainText or "<" not in label.text()


def test_f6_goes_through_all_parts(open_page, qtbot):
    page = open_page("one", "other")
    page.list.view.setFocus()
    reached = []
    for _ in page.panels[1:]:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_F6)
        reached.append(QApplication.focusWidget())
    assert reached == [page.list.field, page.head.second, page.picture.scripts, page.side.details]
