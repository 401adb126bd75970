"""Files that are written off the GUI thread; more in tests/viewmodels/tree/test_saving.py."""

from guiapp.viewmodels import saving


def test_a_file_that_is_written_is_the_last_chance_to_give_up(tmp_path):
    path, shares = tmp_path / "tree", []
    assert saving._write(path, lambda progress: progress(0.5) or b"all", shares.append) == path
    assert (shares, path.read_bytes()) == ([0.5, 1.0], b"all")
