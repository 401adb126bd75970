"""The lines of the algorithm: which is carried out, with what, and where breakpoints are."""

import pytest
from hands import point_at
from pictures import badly_placed, paintings_of
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication

from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.trace_view import variables

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton


@pytest.mark.parametrize("encoder", ["heap", "backtrack", "viterbi"])
def test_a_click_on_any_line_breaks_at_what_it_does(make_steps_page, qtbot, encoder):
    name = "unigram" if encoder == "viterbi" else "toy"
    page = make_steps_page(name, b"abacb", None if name == "unigram" else encoder)
    code, breakpoints = page.trace.code, page.model.breakpoints
    theme = code._theme_source.theme
    n_broken = 0
    for position in (0, 2):
        page.model.go_to(position)
        lines, _ = code.present()
        for number in range(len(lines.lines) + 1):
            operations = lines.operations_of(number) if number < len(lines.lines) else ()
            place = code.line_rect(number).center().toPoint()
            point_at(code, place)
            faint = [shape.place.center().y() for shape in marks_of(code)]
            assert faint == [pytest.approx(code.line_rect(number).center().y())] * bool(operations)
            qtbot.mouseClick(code, RIGHT, pos=place)
            assert breakpoints.rows == ()
            qtbot.mouseClick(code, LEFT, pos=place)
            point_at(code, place)
            assert {row.title for row in breakpoints.rows} == {f"operation {each}" for each in operations}
            QApplication.sendEvent(code, QEvent(QEvent.Type.Leave))
            set_at = [
                number
                for number in range(len(lines.lines))
                if set(lines.operations_of(number)) & set(operations)
            ]
            dots = marks_of(code)
            assert [dot.brush for dot in dots] == [theme.bad.name()] * len(set_at)
            assert [dot.place.center().y() for dot in dots] == [
                pytest.approx(code.line_rect(at).center().y()) for at in set_at
            ]
            n_broken += bool(operations)
            breakpoints.fit(())
            assert marks_of(code) == []
    assert n_broken > 3


def marks_of(code):
    """The dots in the gutter."""
    shapes = paintings_of(code).drawn
    return [shape for shape in shapes if 5 < shape.place.width() < 24 and shape.place.right() < 50]


@pytest.mark.parametrize("zoom", [1, 2])
def test_the_line_that_is_carried_out_is_marked_and_its_variables_told(make_steps_page, zoom):
    page = make_steps_page("toy", b"abacb", "heap")
    page.set_text_size(zoom * TEXT_FONT_PX)
    QApplication.processEvents()
    code, theme = page.trace.code, page.trace.code._theme_source.theme
    for position in range(page.model.n_steps + 1):
        page.model.go_to(position)
        (lines, line), paintings = code.present(), paintings_of(code)
        shapes = [shape for shape in paintings.drawn if shape.brush]
        texts = [(mark.text, mark.pen) for mark in paintings.written if mark.pen == theme.text.name()]
        names = variables(page.model.debugger)
        if line < 0:
            assert shapes == texts == names == []
            assert code.accessibleDescription() == "done"
            continue
        assert code.accessibleDescription() == lines.lines[line].strip()
        place = code.line_rect(line)
        assert [shape.place.center().y() for shape in shapes] == [pytest.approx(place.center().y())] * 2
        assert shapes[0].place.width() == pytest.approx(code.width())
        assert shapes[1].place.width() < 6 * zoom
        assert shapes[1].brush == theme.accent.name() != shapes[0].brush
        assert [text for text, _ in texts] == [lines.lines[line], *(value for _, value, _ in names)]
        written = {mark.text: mark.place for mark in paintings.written}
        assert place.top() <= written[lines.lines[line]].center().y() <= place.bottom()
        for number, (name, value, where) in enumerate(names):
            row = code.line_rect(len(lines.lines) + number)
            middles = [written[part].center().y() for part in (name, value, where) if part in written]
            assert middles == [pytest.approx(middles[0], abs=1)] * (3 if where else 2)
            assert row.top() < middles[0] < row.bottom() + row.height()
            assert written[name].left() == pytest.approx(written["rank"].left())
            assert written[name].right() < written[value].left()
            assert not where or written[value].right() < written[where].left()
        assert badly_placed(code) == []
    page.model.go_to(2)
    assert [name for name, *_ in variables(page.model.debugger)] == ["left", "right", "result", "rank"]
    assert variables(page.model.debugger)[1] == ("right", "c (2)", "bytes 3–4")


def test_code_is_as_large_as_there_is_room(make_steps_page):
    page = make_steps_page("toy", b"abacb", "heap")
    code = page.trace.code
    page.model.go_to(2)
    width = code.minimumWidth()

    def line_px(*size):
        code.resize(*size)
        return code.line_rect(0).height()

    usual = line_px(width, 400)
    assert line_px(width, 2000) == usual, "no wider than there is room"
    assert usual < line_px(round(1.3 * width), 2000) < line_px(3 * width, 2000) == 1.5 * usual
    assert usual > line_px(3 * width, code.minimumHeight() + 20) > line_px(3 * width, 30)
    assert line_px(3 * width, 30) == pytest.approx(0.8 * usual, rel=0.005)  # heights are whole pixels
    code.resize(width, code.minimumHeight())
    assert badly_placed(code) == []
    assert code.sizeHint().height() > code.minimumHeight()
