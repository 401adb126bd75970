"""`tokenloupe train`: a text becomes a model file that opens and encodes it."""

import pytest

import guiapp
from guiapp.cli.main import run

TEXT = "This is insane! This is impossible. How do lions sleep in this weather?\nThey do not. " * 3


@pytest.fixture
def text_file(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def train(algorithm, text, size, out, *options):
    """The exit status."""
    command = ["train", algorithm, "-f", str(text), "--vocab-size", str(size), "-o", str(out), "--force"]
    return run([*command, *options])


@pytest.mark.parametrize(("algorithm", "size"), [("bpe", 290), ("wordpiece", 60), ("unigram", 60)])
def test_a_trained_model_opens_and_encodes_its_text(algorithm, size, text_file, tmp_path, capsys):
    out = tmp_path / "out.gguf"
    assert train(algorithm, text_file, size, out, "--log") == 0
    assert capsys.readouterr().out
    tokenizer = guiapp.open_model(out)
    assert len(tokenizer.vocabulary) <= size
    encoding = tokenizer.encode(TEXT)
    assert tokenizer.vocabulary.special_ids.unk not in encoding.token_ids.tolist()
    assert encoding.token_ids.tolist() == tokenizer.encode_readable(TEXT).token_ids.tolist()
    if algorithm == "bpe":
        assert tokenizer.decode(encoding.token_ids) == TEXT


@pytest.mark.parametrize("marks", [[], ["--end-marks"]])
def test_a_text_without_repeated_pairs_becomes_a_model_that_merges_nothing(marks, tmp_path):
    (tmp_path / "text").write_text("abcd")
    out = tmp_path / "out.gguf"
    assert train("bpe", tmp_path / "text", 600, out, *marks) == 0
    assert len(guiapp.open_model(out).encode("abcd", add_special=False).token_ids) == 4


def test_end_of_word_marks_become_spaces_after_words(text_file, tmp_path, capsys):
    out = tmp_path / "out.gguf"
    assert train("bpe", text_file, 340, out, "--end-marks") == 0
    assert capsys.readouterr().out == ""
    tokenizer = guiapp.open_model(out)
    assert tokenizer.vocabulary.raw_text(tokenizer.encode("This is", add_special=False).token_ids[0]) == (
        "This▁".encode()
    )
    assert train("unigram", text_file, 340, out, "--end-marks") == 1
    assert "--end-marks" in capsys.readouterr().err


def test_an_unwritable_output_is_reported(text_file, tmp_path, capsys):
    assert train("bpe", text_file, 300, tmp_path / "no" / "o.gguf") == 1
    assert "cannot be written" in capsys.readouterr().err
