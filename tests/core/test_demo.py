import pytest

from guiapp.core.demo import (
    DEMO_MODELS,
    SAMPLES,
    demo_model_path,
    resources_folder,
    sample_data_path,
)
from guiapp.errors import VocabError

NAMES = [model.name for model in DEMO_MODELS]


@pytest.mark.parametrize("name", NAMES)
def test_a_demo_name_leads_to_a_small_gguf_file(name):
    path = demo_model_path(name)
    assert path.read_bytes()[:4] == b"GGUF"
    assert path.stat().st_size < 300_000


@pytest.mark.parametrize("name", ["", "gpt5", "../toy", "BPE"])
def test_an_unknown_demo_name_is_answered_with_those_that_exist(name):
    with pytest.raises(
        VocabError, match=r"demo:bpe, demo:spm, demo:wordpiece, demo:unigram, demo:rwkv, demo:toy"
    ):
        demo_model_path(name)


def test_every_file_is_listed_and_every_listed_file_exists():
    models = {path.stem for path in (resources_folder() / "models").iterdir()}
    samples = {path.stem for path in (resources_folder() / "samples").iterdir() if path != sample_data_path()}
    assert models == set(NAMES)
    assert samples == {sample.name for sample in SAMPLES}
