"""Which vocabularies are kept."""

from __future__ import annotations

from small_files import TOKENS, spm

from guiapp.core.formats.table import load_vocabulary


def test_a_changed_file_is_read_again(tmp_path):
    path = spm().write(tmp_path / "model.gguf")
    first = load_vocabulary(path)
    assert load_vocabulary(path) is first
    spm(tokens=[*TOKENS, "c"]).write(path)
    assert len(load_vocabulary(path)) == 7


def test_only_the_two_vocabularies_opened_last_are_kept(tmp_path):
    paths = [spm().write(tmp_path / f"{number}.gguf") for number in range(3)]
    vocabularies = [load_vocabulary(path) for path in paths]
    assert load_vocabulary(paths[1]) is vocabularies[1]
    assert load_vocabulary(paths[0]) is not vocabularies[0]
