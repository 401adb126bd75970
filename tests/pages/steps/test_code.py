"""The lines of the algorithm: which is carried out, with what, and where breakpoints are."""

import pytest
from hands import point_at
from pictures import paintings_of
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication

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
