"""The Data page in the real window: records that are dropped, filtered, masked, explained and exported."""

import json
import threading

import numpy as np
import pytest
from chart_samples import click, drag
from fitting import unreadable
from hands import drop, files, wait_for_results
from instant_recorder import load_once
from menus import take
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QFrame, QToolButton, QToolTip

import guiapp
from guiapp.analysis.chat.templates import CHATML
from guiapp.analysis.data.examined import DataOptions
from guiapp.core.demo import demo_model_path
from guiapp.native.checkpoint import checkpoint
from guiapp.pages.data import model as data_model
from guiapp.pages.data.overview import LengthMark, label_positions

Key, Left = Qt.Key, Qt.MouseButton.LeftButton
END = "<|im_end|>"


def chat(question="How so?", answer="Well, so.", **more):
    chat_messages = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
    return {"messages": chat_messages, **more}


RECORDS = [
    chat(),
    chat(answer=f"It ends {END} here."),
    chat(answer="A very long answer. " * 30),
    {"messages": [{"role": "user", "content": "Nobody answers."}]},
    chat("refund of order 7"),
]


@pytest.fixture
def write(tmp_path):
    def write(records=RECORDS, name="train.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(each) + "\n" for each in records), "utf-8")
        return path

    return write


@pytest.fixture
def open_page(show_page, qtbot):
    """Shows the page of the shared window with the first options, and with a file where one is given."""

    def make(path=None, model="demo:bpe"):
        page = show_page("data", model, size=(1400, 900))
        page.model.set_batch_size(data_model.USUAL_BATCH)
        page.model.set_options(DataOptions())
        page.panels_below.turn_to("Findings")
        if path is not None:
            page.model.open(path)
        wait_for_results(page, qtbot)
        return page

    return make


def listed(page):
    return [int(row) + 1 for row in page.model.shown.rows]


def test_a_file_of_records_that_is_dropped_is_shown_as_training_sees_it(show_page, write, qtbot):
    window = show_page("inspect", "demo:bpe").window()
    drop(window, QPoint(200, 200), files(write()))
    qtbot.waitUntil(lambda: window.pages.current_name == "data")
    page = window.pages.current
    wait_for_results(page, qtbot)
    expected = guiapp.data("demo:bpe", RECORDS)
    assert page.model.data.lengths.tolist() == expected.lengths.tolist()
    assert page.model.data.trained.tolist() == expected.trained.tolist()
    assert {each.code for each in page.findings.findings} == {each.code for each in expected.findings}
    record = page.record_model.record
    assert record.number == 1
    assert np.array_equal(record.is_trained, expected.records[0].is_trained)


@pytest.mark.parametrize(
    ("name", "content", "page"),
    [
        ("texts.jsonl", '{"text": "Hi"}\n', "data"),
        ("array.json", json.dumps(RECORDS), "data"),
        ("talk.json", json.dumps(RECORDS[0]["messages"]), "chat"),
        ("other.jsonl", '{"title": "Hi"}\n', "inspect"),
        ("broken.jsonl", "no json at all\n", "inspect"),
    ],
)
def test_files_open_where_they_belong(show_page, tmp_path, name, content, page, qtbot):
    window = show_page("tree", "demo:bpe").window()
    (tmp_path / name).write_text(content)
    drop(window, QPoint(200, 200), files(tmp_path / name))
    qtbot.waitUntil(lambda: window.pages.current_name == page)


def test_a_click_on_a_finding_lists_its_records_and_shows_the_token(open_page, write, qtbot):
    page = open_page(write())
    row = [each.code for each in page.findings.findings].index("content_became_control")
    place = page.findings.row_at(row).center()
    qtbot.mouseClick(page.findings.viewport(), Left, pos=place)
    wait_for_results(page, qtbot)
    assert listed(page) == [2]
    token = page.record_model.selected_token
    record = page.record_model.record
    assert record.number == 2
    assert page.record.spans.label_of(int(record.token_ids[token])) == END
    qtbot.mouseClick(page.findings.viewport(), Left, pos=place)
    wait_for_results(page, qtbot)
    assert listed(page) == [1, 2, 3, 4, 5]


def test_tokens_are_described_as_trained_or_not_trained(open_page, write, qtbot):
    page = open_page(write())
    record, view = page.record_model.record, page.record.view
    ends = np.flatnonzero(record.token_ids == record.setting.tokenizer.special_tokens.names[END])
    first, last = int(ends[0]), int(ends[-1])
    assert view.words_of(last)[0][0].startswith("Trained")
    assert view.words_of(first)[0][0].startswith("Not trained")
    page.record.view.setFocus()
    qtbot.keyClick(view, Key.Key_End)
    assert page.record_model.selected_token == len(record.token_ids) - 1
    spot = view.rects_of(last, last + 1)[0].center()
    assert "Trained: " in view.tip(QPointF(spot))


def test_the_line_in_the_chart_cuts_records(open_page, write, qtbot):
    page = open_page(write())
    chart = page.chart
    line, target = chart.data.least - 0.5, chart.data.first + 1.5
    places = (
        chart.pixel(x, 1).toPoint() + QPoint(-1 if x == line else 0, 0) for x in (line, target + 1, target)
    )
    drag(chart, *places)
    wait_for_results(page, qtbot)
    most = page.model.options.max_length
    assert most is not None
    assert page.head.most.text() == f"{most:,}"
    assert "cut_off" in {each.code for each in page.findings.findings}
    page.head.most.clear()
    qtbot.keyClick(page.head.most, Key.Key_Return)
    wait_for_results(page, qtbot)
    assert page.model.options.max_length is None


def test_a_bar_lists_its_records(open_page, write, qtbot):
    page = open_page(write())
    column = int(np.flatnonzero(page.chart.data.counts.sum(axis=0))[-1])
    click(page.chart, page.chart.pixel(column, 0.5))
    wait_for_results(page, qtbot)
    assert listed(page) == [3]


def test_a_filter_that_is_typed_leaves_records(open_page, write, qtbot):
    page = open_page(write())
    qtbot.keyClicks(page.list.field, "REFUND trained:>0")
    wait_for_results(page, qtbot)
    assert listed(page) == [5]
    qtbot.keyClick(page.list.field, Key.Key_Return)
    wait_for_results(page, qtbot)
    assert page.record_model.record.number == 5
    page.list.field.setText("finding:nonsense")
    wait_for_results(page, qtbot)
    assert "nonsense" in page.list.state.text()


def test_another_mask_trains_other_tokens(open_page, write, qtbot):
    page = open_page(write())
    before = page.model.data.tokens["trained"]
    take(page.head.mask_choice.menu(), "all")
    wait_for_results(page, qtbot)
    assert page.model.data.tokens["trained"] == page.model.data.tokens["total"] > before
    take(page.head.mask_choice.menu(), "between markers")
    assert page.head.first.isVisible()
    for field, text in ((page.head.first, "assistant\\n"), (page.head.last, END)):
        qtbot.keyClicks(field, text)
        qtbot.keyClick(field, Key.Key_Return)
    wait_for_results(page, qtbot)
    expected = guiapp.data("demo:bpe", RECORDS, mask=f"marker:assistant\n…{END}")
    assert page.model.data.trained.tolist() == expected.trained.tolist()


def test_a_model_without_a_template_is_reported_and_takes_chatml(open_page, write, qtbot):
    page = open_page(write(), "demo:unigram")
    assert "template" in page.model.problem
    assert page.head.example.isVisible()
    page.head.example.click()
    wait_for_results(page, qtbot)
    assert page.model.problem == ""
    assert page.model.data.n_records == len(RECORDS)


def test_another_model_examines_the_same_file(open_page, write, qtbot):
    page = open_page(write([{"text": "Some text."}]))
    before = page.model.data
    page.shell.session.loader.open("demo:wordpiece")
    qtbot.waitUntil(lambda: page.model.data not in (None, before))
    wait_for_results(page, qtbot)
    assert page.model.data.examiner.tokenizer is page.shell.session.tokenizer


def test_examining_is_stopped_and_goes_on(open_page, write, qtbot, monkeypatch):
    page = open_page()
    path, may_go_on = write([{"text": f"text {n}"} for n in range(700)]), threading.Event()
    original = data_model.batches

    def slowly(*given, **named):
        for batch in original(*given, n_workers=0, **named):
            yield batch
            while not may_go_on.wait(0.01):
                checkpoint()

    monkeypatch.setattr(data_model, "batches", slowly)
    page.model.open(path)
    qtbot.waitUntil(lambda: page.model.data is not None and page.model.data.n_records > 0)
    page.head.stop.click()
    assert not page.model.is_running
    assert 0 < page.model.data.n_records < 700
    n_records = page.model.data.n_records
    qtbot.waitUntil(lambda: getattr(page.model.packing.value, "of_records", 0) == n_records)
    may_go_on.set()
    page.head.stop.click()
    wait_for_results(page, qtbot)
    assert page.model.is_complete
    assert page.model.data.n_records == len(page.model.shown.rows) == 700


def test_ids_and_labels_are_exported_and_copied(open_page, write, qtbot, monkeypatch, tmp_path):
    page, target = open_page(write()), tmp_path / "labels.jsonl"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, **named: (str(target), ""))
    take(page.head.export.menu(), "Ids and labels as JSON lines…")
    qtbot.waitUntil(lambda: target.exists() and not page.saving.is_busy)
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    expected = guiapp.data("demo:bpe", RECORDS)
    for line, record in zip(lines, expected.records, strict=True):
        assert line["input_ids"] == record.token_ids.tolist()
        assert line["labels"] == record.labels.tolist()
    take(page.record.copy.menu(), "Ids and labels as JSON")
    assert json.loads(QGuiApplication.clipboard().text()) == lines[0]


def test_the_template_line_of_a_token_is_shown_in_chat(open_page, write, qtbot):
    page = open_page(write())
    page.record.view.go_to(len(page.record_model.record.token_ids) - 2)
    assert page.record.template.isEnabled()
    page.record.template.click()
    qtbot.waitUntil(lambda: page.shell.window.pages.current_name == "chat")


@pytest.mark.parametrize("content", [b"", b"\0\1\2", b"\x1f\x8bno gzip", b"PAR1", b"\xff\xfea\0"])
def test_a_file_of_an_unknown_format_is_reported(open_page, tmp_path, content, qtbot):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    page = open_page(path)
    words = page.model.problem or page.contents.message.text()
    data = page.model.data
    assert words or data.n_records == 0 or {each.code for each in data.findings} & {"broken", "shape"}


def test_a_missing_file_is_reported_and_the_next_one_opens(open_page, write, tmp_path, qtbot):
    page = open_page(tmp_path / "gone.jsonl")
    assert "gone.jsonl" in page.contents.message.text()
    page.model.open(write())
    wait_for_results(page, qtbot)
    assert page.model.data.n_records == len(RECORDS)


def test_all_words_can_be_read_in_a_window_of_any_size(open_page, write, qtbot):
    page = open_page(write())
    assert unreadable(page.window()) == []


def test_trained_tokens_are_counted_by_role(open_page, write, qtbot):
    page = open_page(write())
    page.panels_below.turn_to("How much")
    wait_for_results(page, qtbot)
    assert page.model.packing.value is not None
    assert "padding" in page.amounts.sums.text()
    roles = {value.key for value in page.amounts.roles.values}
    assert len(roles) == len(page.model.data.by_role)


def test_a_file_given_with_no_model_waits_for_one(make_shell, write, qtbot):
    shell = make_shell(b"text", None, load_once)
    shell.window.actions_table["data"].trigger()
    page = shell.window.pages.current
    page.model.open(write())
    shell.session.loader.open(str(demo_model_path("bpe")))
    qtbot.waitUntil(lambda: page.model.data is not None and page.model.is_complete, timeout=20_000)


@pytest.mark.parametrize("most", ["99999999", "999999999999", "1", "0", "none"])
def test_any_maximum_length_can_be_typed(open_page, write, qtbot, most):
    page = open_page(write())
    qtbot.keyClicks(page.head.most, most)
    qtbot.keyClick(page.head.most, Key.Key_Return)
    wait_for_results(page, qtbot)
    assert page.model.data.n_records == len(RECORDS)
    assert (page.model.options.max_length is None) == (most in ("0", "none"))


def test_an_invalid_record_is_shown_as_raw_text(open_page, tmp_path, qtbot):
    path = tmp_path / "broken.jsonl"
    path.write_text('{"messages": [{"role": "user"\n' + json.dumps(chat()) + "\n")
    page = open_page(path)
    assert page.record.problem.isVisible()
    assert '{"messages": [{"role": "user"' in page.record.raw.toPlainText()
    page.model.choose(1)
    wait_for_results(page, qtbot)
    assert page.record.view.isVisible()


def test_a_finding_without_a_token_leads_to_its_message(open_page, write, qtbot):
    chat_messages = [{"role": role, "content": "Hm."} for role in ("user", "assistant", "bot", "assistant")]
    page = open_page(write([{"messages": chat_messages}]))
    buttons = page.record.findings.findChildren(QToolButton)
    next(each for each in buttons if each.text() == "roles").click()
    turn = next(each for each in page.record_model.chat.turns if each.message == 2)
    assert page.record_model.selected_token == turn.start


def test_a_batch_size_that_is_chosen_is_shown(open_page, write, qtbot):
    page = open_page(write())
    page.panels_below.turn_to("How much")
    take(page.amounts.batch.menu(), "16")
    wait_for_results(page, qtbot)
    assert page.amounts.batch.text().endswith("16")
    assert page.model.packing.value.batch_size == 16


def test_the_word_that_matches_the_filter_is_selected(open_page, write, qtbot):
    page = open_page(write())
    page.list.field.setText("refund")
    wait_for_results(page, qtbot)
    page.model.step(1)
    wait_for_results(page, qtbot)
    start = page.record_model.record.text.find("refund")
    spans = page.record_model.encoding.spans[page.record_model.selected_token]
    assert spans[0] <= start < spans[1]


def test_a_file_without_records_is_reported(open_page, tmp_path, qtbot):
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    page = open_page(tmp_path / "empty.jsonl")
    assert "no records" in page.contents.message.text()


@pytest.mark.parametrize("most", [None, 60, 8192])
@pytest.mark.parametrize("n_records", [1, 4, 40])
def test_labels_of_the_chart_stand_apart_in_the_order_of_their_lengths(
    open_page, write, qtbot, n_records, most
):
    words = [("word " * (7 * number % 53 + 1)).strip() for number in range(n_records)]
    page = open_page(write([{"text": each} for each in words]))
    page.model.set_max_length(most)
    for width in (860, 1280, 1900):
        page.window().resize(width, 800)
        wait_for_results(page, qtbot)
        area, values = page.chart.area, page.model.data.tokens | {"maximum": most or 1 << 40}
        placed = page.chart.labels()
        in_order = sorted(placed, key=placed.__getitem__)
        assert {"maximum", "p50"} <= {each.name for each in placed}
        assert [values[each.name] for each in in_order] == sorted(values[each.name] for each in in_order)
        ends = [placed[each] + each.width for each in in_order]
        starts = [placed[each] for each in in_order]
        assert all(end < start for end, start in zip([area.left() - 1, *ends], starts, strict=False))
        assert ends[-1] <= area.right()


def test_labels_without_room_are_left_out_the_least_important_first():
    def marks(*places, width=30):
        return [
            LengthMark(name, x, width)
            for name, x in zip(("maximum", "p50", "p99", "p90"), places, strict=True)
        ]

    def shown(*places):
        return {each.name for each in label_positions(marks(*places), 0, 300)}

    assert shown(300, 10, 200, 100) == {"maximum", "p50", "p99", "p90"}
    assert shown(300, 10, 60, 30) == {"maximum", "p50", "p99"}
    assert shown(60, 40, 50, 45) == {"maximum", "p50"}
    assert shown(1, 1, 1, 1) == {"maximum"}


def test_a_model_without_a_template_has_examined_nothing_and_takes_a_file(
    open_page, write, qtbot, monkeypatch, tmp_path
):
    page = open_page(write(), "demo:unigram")
    assert page.model.problem in page.contents.message.text()
    assert page.contents.message.isVisible()
    assert not page.findings.isVisible()
    assert not page.list.view.isVisible()
    assert not page.head.stop.isVisible()
    (tmp_path / "chat.jinja").write_text(CHATML)
    chosen = str(tmp_path / "chat.jinja")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *given, **named: (chosen, ""))
    qtbot.mouseClick(page.head.template_file, Left)
    wait_for_results(page, qtbot)
    assert page.model.data.n_records == len(RECORDS)
    assert page.findings.isVisible()


def test_a_file_is_among_the_recent_ones_and_opens_as_data_again(open_page, write, qtbot):
    path = write()
    page = open_page(path)
    recent = page.shell.window.setting.recent_items.recent_texts
    assert recent.paths[0] == str(path)
    again = type(recent)(page.shell.settings)
    assert again.is_data(path)
    page.model.open(write([{"text": "Hi"}], "other.jsonl"))
    wait_for_results(page, qtbot)
    page.shell.window.actions_table["inspect"].trigger()
    menu = page.shell.window.actions_table.menus["File/Open recent"]
    menu.aboutToShow.emit()
    next(each for each in menu.actions() if each.text().startswith("train.jsonl")).trigger()
    qtbot.waitUntil(lambda: page.shell.window.pages.current_name == "data")
    wait_for_results(page, qtbot)
    assert page.model.path == path
    assert page.model.data.n_records == len(RECORDS)


def test_content_that_became_a_control_token_is_red_at_once(open_page, write, qtbot):
    page = open_page(write([RECORDS[1]]))
    record = page.record_model.record
    ends = np.flatnonzero(record.token_ids == record.setting.tokenizer.special_tokens.names[END])
    assert np.flatnonzero(page.record_model.chat.became_control).tolist() == [ends[1]]


def test_four_findings_show_in_a_window_of_usual_size(open_page, qtbot, tmp_path):
    path = tmp_path / "bad.jsonl"
    records = [chat(""), chat(f"a{END}"), chat("x\u200by"), {"messages": [{"role": "user", "content": "?"}]}]
    path.write_text("".join(json.dumps(each) + "\n" for each in records) + "{broken\n")
    page = open_page(path)
    page.window().resize(1280, 800)
    wait_for_results(page, qtbot)
    assert len(page.findings.findings) > 4
    assert page.findings.viewport().height() >= 4 * page.findings.row_px


def test_a_finding_that_is_cut_is_whole_in_its_tip(open_page, write, qtbot):
    page = open_page(write())
    viewport = page.findings.viewport()
    place = page.findings.row_at(0).center()
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, place, viewport.mapToGlobal(place)))
    assert page.findings.findings[0].what in QToolTip.text()


def test_an_export_reports_its_exported_and_skipped_records(open_page, qtbot, monkeypatch, tmp_path):
    path, target = tmp_path / "train.jsonl", tmp_path / "labels.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in RECORDS) + "{broken\n")
    page = open_page(path)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, **named: (str(target), ""))
    take(page.head.export.menu(), "Ids and labels as JSON lines…")
    qtbot.waitUntil(lambda: target.exists() and not page.saving.is_busy)

    def announced():
        names = (each.accessibleName() for each in page.window().findChildren(QFrame))
        return next(name for name in names if name.startswith("Saved"))

    assert "5 records" in announced()
    assert "1 record " in announced()
    take(page.head.export.menu(), "Report as text…")
    qtbot.waitUntil(lambda: "5 records" not in announced())
