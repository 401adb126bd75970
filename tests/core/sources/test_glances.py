"""Glances at many files, in a process of their own."""

import io
import json
from types import SimpleNamespace

import pytest
from format_samples import SAMPLES

from guiapp.core.formats import table as glances
from guiapp.core.formats.table import Glance, glance
from guiapp.core.processes import ApartError


def test_that_process_limits_its_memory_before_it_looks_at_each_file(tmp_path, monkeypatch, capsys):
    paths = [tmp_path / sample.name for sample in SAMPLES[:3]] + [tmp_path / "none.gguf"]
    for sample, path in zip(SAMPLES, paths[:3], strict=False):
        sample.write(path)
    request = json.dumps([str(path) for path in paths]).encode()
    done = []
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(request)))
    monkeypatch.setattr(glances, "limit_memory", done.append)
    monkeypatch.setattr(glances, "glance", lambda path: done.append(path) or glance(path))
    glances.main()
    assert done == [request, *paths]
    assert [Glance(*row) for row in json.loads(capsys.readouterr().out)] == [*map(glance, paths)]


@pytest.mark.parametrize("error", [ApartError("killed"), TimeoutError()])
def test_where_it_fails_nothing_is_known_of_any_file(tmp_path, monkeypatch, error):
    def fail(*_):
        raise error

    monkeypatch.setattr(glances, "answer_of", fail)
    assert glances.glances_apart([tmp_path / "a", tmp_path / "b"], lambda _: None) == [Glance("")] * 2
