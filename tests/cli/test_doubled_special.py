"""`tokenloupe tokenize` says where a text brings the BOS or EOS along that is added."""

import pytest

from guiapp.cli.main import run

BEGINS = "The text begins with {}, and the model adds another one."
ENDS = "The text ends with {}, and the model adds another one."


@pytest.mark.parametrize(
    ("model", "text", "message"),
    [
        ("demo:bpe", "<|begin_of_text|>hi", BEGINS.format("<|begin_of_text|>")),
        ("demo:bpe", "hi", ""),
        ("demo:wordpiece", "hi [SEP]", ENDS.format("[SEP]")),
        ("demo:wordpiece", "[CLS] hi there [SEP]", f"{BEGINS.format('[CLS]')} {ENDS.format('[SEP]')}"),
    ],
)
@pytest.mark.parametrize("form", ["ids", "json", "table"])
def test_a_doubled_special_token_is_reported_on_stderr(model, text, message, form, capsys):
    assert run(["tokenize", model, text, "--format", form]) == 0
    printed = capsys.readouterr()
    assert printed.err == (f"tokenloupe: {message} Add --no-special to omit it.\n" if message else "")
    assert printed.out
    assert run(["tokenize", model, text, "--format", form, "--no-special"]) == 0
    assert capsys.readouterr().err == ""
