"""The headline of the Bench page."""

from bench_runs import record
from PySide6.QtGui import QTextDocument


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
