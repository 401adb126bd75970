"""What a list says of a file is what opening it shows."""

import pytest

from guiapp import VocabError, open_model
from guiapp.core.demo import DEMO_MODELS, demo_model_path
from guiapp.core.formats.table import Glance, glance, glances_apart

RANKS = b"".join(b"%s %d\n" % (token, rank) for rank, token in enumerate((b"YQ==", b"Yg==", b"YWI=")))


@pytest.mark.parametrize("name", [model.name for model in DEMO_MODELS])
def test_a_glance_at_a_gguf_matches_opening_it(name):
    vocabulary = open_model(f"demo:{name}").vocabulary
    assert glance(demo_model_path(name)) == Glance(
        "GGUF", vocabulary.type.value, vocabulary.pre, len(vocabulary)
    )
    assert len(vocabulary.merge_offsets) == len(vocabulary.merges) + 1


def test_of_a_file_that_waits_for_a_choice_the_format_is_known(tmp_path):
    path = tmp_path / "x.tiktoken"
    path.write_bytes(RANKS)
    assert glance(path) == Glance("tiktoken")


@pytest.mark.parametrize("content", [b"", b"GGUF", b"text", b"GGUF\3\0\0\0" + bytes(16)])
def test_a_glance_reports_the_problem_in_a_sentence(tmp_path, content):
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    seen = glance(path)
    with pytest.raises(VocabError) as caught:
        open_model(path)
    if len(content) < 24:
        assert seen == Glance("GGUF", problem=str(caught.value))
    else:
        assert seen == Glance("GGUF", problem="It does not contain a tokenizer.")
    assert glance(tmp_path / "missing").problem.startswith(f"{tmp_path}/missing cannot be opened")


def test_many_files_are_examined_in_a_separate_process(tmp_path):
    paths = [demo_model_path("toy"), tmp_path / "missing"]
    assert glances_apart(paths, lambda _share: None) == [glance(path) for path in paths]
    assert glances_apart([], lambda _share: None) == []
