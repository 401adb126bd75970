"""The headline of the Bench page."""

from bench_runs import record
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication


def test_the_headline_is_as_large_as_there_is_room_for(open_page, qtbot):
    page, sizes = open_page, []
    names = ("one-library", "another-library")
    rows = [record("throughput", name, 10_000, 1e-4 * (1 + i)) for i, name in enumerate(names)]
    page.model.show_run({"results": rows})
    for width in (1900, 1000, 700):
        page.resize(width, 700)
        QApplication.processEvents()
        page.redraw()
        sizes.append(page.headline._fitting_px())
        assert f"font-size: {sizes[-1]}px" in page.headline.verdict.text()
        assert page.headline.verdict.height() >= page.headline.verdict.heightForWidth(page.headline.width())
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 30
    assert sizes[-1] == 20


def test_the_headline_says_the_verdict_with_markers_before_names(page):
    def row(name, seconds, share=1.0, **changes):
        samples = [seconds * (1 + turn / 1000) for turn in range(20)]
        return record("throughput", name, 10_000, seconds, share, samples_s=samples, n_tokens=1, **changes)

    fast, said = row("fast", 1e-4), []
    for others in (
        [],
        [row("heap", 1e-4)],
        [row("<slow>", 3e-4)],
        [row("<slow>", 3e-4, processor_share=0.5)],
        [row("<slow>", 3e-4, 0.5)],
    ):
        page.model.show_run({"results": [fast, *others]})
        page.redraw()
        html, name = page.headline.verdict.text(), page.headline.verdict.accessibleName()
        words = QTextDocument(html=html).toPlainText().replace("\N{NO-BREAK SPACE}", " ")
        said.append(name)
        assert words.replace("\ufffc ", "").replace(" is ", " ") == name
        assert words.count("\ufffc") == sum(each["contender"] in name for each in [fast, *others])
    assert [" × as fast as <slow>" in each for each in said] == [False, False, True, True, False]
