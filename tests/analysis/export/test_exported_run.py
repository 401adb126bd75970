"""What all runs have in common when they are written to files."""

import pytest

from guiapp.analysis.export.exported_run import ExportedRun, document, write_chunks
from guiapp.analysis.export.html import PageStep, page


class Count(ExportedRun):
    """Steps from 1 on, each told with as many letters as its number."""

    row_px = 10

    def __init__(self, n_steps):
        self._n_steps = n_steps

    @property
    def steps(self):
        return range(1, self._n_steps + 1)

    def step_record(self):
        return {"é": [1]}

    def choices(self, ending):
        return {}

    def record_head(self):
        return {"é": []}

    def record(self, step):
        return {"é": "é" * step}

    def drawn(self, steps):
        return [step for step in steps if step % 2]

    def drawing_head(self):
        return "é"

    def drawing_row(self, step, top):
        return f"{'é' * step} at {top}\n", 7.0

    def page_head(self):
        return "é", ""

    def page_places(self, steps):
        return steps

    def page_step(self, place):
        return PageStep("é" * place)

    def save(self, path):
        path.write_text("")


DRAWING = "".join(document([("é at 40\n", 7.0), ("ééé at 50\n", 7.0)], 10, "é"))
WHOLE = {
    ".json": '{"é": [], "steps": [{"é": "é"},\n{"é": "éé"},\n{"é": "ééé"},\n{"é": "éééé"}]}\n',
    ".svg": DRAWING,
    ".html": "".join(page("é", "", [PageStep("é" * number) for number in range(1, 5)])),
}
PART = {
    ".json": '{"é": [], "steps": [{"é": "éé"},\n{"é": "ééé"}]}\n',
    ".svg": "".join(document([("ééé at 40\n", 7.0)], 10, "é")),
    ".html": "".join(page("é", "", [PageStep("éé"), PageStep("ééé")])),
}


@pytest.mark.parametrize("ending", WHOLE)
def test_a_run_is_written_whole_or_in_part_in_every_format(ending, tmp_path):
    path = tmp_path / f"run{ending.upper()}"
    for steps, written in ((None, WHOLE), (range(2, 4), PART)):
        Count(4).write(path, steps=steps)
        assert path.read_text(encoding="utf-8") == written[ending]


def test_a_step_is_told_as_readable_json():
    assert Count(3).step_json() == '{\n  "é": [\n    1\n  ]\n}'
    assert Count(3).model == ("", "")


@pytest.mark.parametrize("n_steps", [1, 2, 50])
def test_the_size_of_short_runs_is_known(n_steps):
    run = Count(n_steps)
    assert run.estimated_bytes(".json") == sum(10 + 2 * step for step in run.steps)
    assert run.estimated_bytes(".svg") == sum(
        len(run.drawing_row(step, step)[0].encode()) for step in run.steps if step % 2
    )


@pytest.mark.parametrize(
    ("n_written", "n_told", "told"),
    [(2500, 2500, [0.0, 0.4, 0.8]), (2001, 1500, [0.0, 2 / 3, 1.0]), (1001, 0, [0.0, 1.0]), (0, 0, [])],
)
def test_progress_is_told_now_and_then(n_written, n_told, told, tmp_path):
    reported: list[float] = []
    write_chunks(iter(["é"] * n_written), tmp_path / "run.json", n_told, reported.append)
    assert reported == told
    assert (tmp_path / "run.json").read_text(encoding="utf-8") == "é" * n_written
