"""What the tests of charts share."""

import pytest
from chart_samples import KINDS
from PySide6.QtWidgets import QApplication

from guiapp.kit.widgets.theme import ThemeSource


@pytest.fixture(scope="module")
def source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.fixture
def show(qtbot):
    """Shows a chart, and notes its signals."""

    def show_one(chart, size=(760, 420)):
        qtbot.addWidget(chart)
        chart.clicks, chart.told = [], []
        chart.resize(*size)
        chart.show()
        qtbot.waitExposed(chart)
        chart.activateWindow()
        chart.setFocus()
        QApplication.processEvents()
        chart.clicked.connect(lambda *clicked: chart.clicks.append(clicked))
        chart.read.connect(chart.told.append)
        return chart

    return show_one


@pytest.fixture
def make(source, show):
    """Shows a chart of a kind, with sample data where no other is given."""

    def make_one(kind, data=None, size=(760, 420)):
        chart_class, sample = KINDS[kind]
        chart = chart_class(source, "Speeds")
        chart.show_data(sample() if data is None else data)
        return show(chart, size)

    return make_one
