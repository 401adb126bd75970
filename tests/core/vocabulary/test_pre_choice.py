"""A pre-tokenizer chosen by hand, where the file's is unknown, missing, or not wanted."""

import pytest
from gguf_builder import write_vocab

import guiapp

ONE_MERGE = {"model": "gpt2", "tokens": ["1", "2", "12"], "merges": ["1 2"]}


@pytest.fixture
def write(tmp_path):
    def write(**parts):
        return write_vocab(tmp_path / "model.gguf", **{**ONE_MERGE, **parts})

    return write


def test_an_unknown_name_is_refused_with_the_name(write):
    with pytest.raises(guiapp.UnknownPreError, match="foo-9") as caught:
        guiapp.open_model(write(pre="foo-9"))
    assert caught.value.pre == "foo-9"


@pytest.mark.parametrize(("pre", "ids"), [("gpt-2", [2]), ("qwen2", [0, 1])])  # qwen2 cuts between digits
def test_the_chosen_one_splits_the_text(write, pre, ids):
    tokenizer = guiapp.open_model(write(pre="foo-9"), pre=pre)
    assert tokenizer.encode("12", add_special=False).token_ids.tolist() == ids


def test_an_unknown_pre_tokenizer_cannot_be_chosen(write):
    with pytest.raises(guiapp.VocabError, match=r"no pre-tokenizer 'foo'.*llama-bpe"):
        guiapp.open_model(write(pre="gpt-2"), pre="foo")


def test_other_vocabularies_offer_no_choice(tmp_path):
    path = write_vocab(tmp_path / "model.gguf", model="llama", tokens=["<unk>", "a"], scores=[0.0, 0.0])
    with pytest.raises(guiapp.VocabError, match="without choosing"):
        guiapp.open_model(path, pre="gpt-2")
