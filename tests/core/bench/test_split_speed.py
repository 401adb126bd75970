from __future__ import annotations

import sys

from guiapp.core.bench import split_speed


def test_every_pre_type_and_the_reference_are_printed_for_each_file(tmp_path, monkeypatch, capsys):
    (tmp_path / "prose.txt").write_bytes(b"One word, and then another.\n\xff" * 3)
    monkeypatch.setattr(sys, "argv", ["split_speed", str(tmp_path / "prose.txt"), "--rounds", "2"])
    split_speed.main()
    title, *lines = capsys.readouterr().out.splitlines()
    assert title.startswith("prose.txt")
    assert [line[:19].strip() for line in lines] == ["table look-up", *split_speed.NAMES]
    assert all(float(line.split("best")[1]) >= float(line[19:26]) > 0 for line in lines)
