"""`--exit-code` answers a question by the exit status; usage faults name what was meant."""

import pytest

from guiapp.cli.files import FOUND
from guiapp.cli.main import run

WORDPIECE = ("tokenize", "demo:wordpiece", "--round-trip", "--exit-code")


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (("compare", "--vocab", "demo:bpe", "demo:bpe", "--exit-code"), 0),
        (("compare", "--vocab", "demo:bpe", "demo:spm", "--exit-code"), FOUND),
        (("compare", "--vocab", "demo:bpe", "demo:spm", "--exit-code", "--json"), FOUND),
        (("compare", "--vocab", "demo:bpe", "demo:spm"), 0),
        (("compare", "demo:bpe", "demo:bpe", "--text", "one", "--exit-code"), 0),
        (("compare", "demo:bpe", "demo:spm", "--text", "one", "--exit-code"), FOUND),
        (("compare", "demo:bpe", "--text", "one", "--ids", "5", "--exit-code"), FOUND),
        (("count", "demo:bpe", "one two three", "--limit", "2", "--exit-code"), FOUND),
        (("count", "demo:bpe", "one two three", "--limit", "99", "--exit-code"), 0),
        (("count", "demo:bpe", "one two three", "--limit", "2"), 0),
        (("tokenize", "demo:bpe", "--round-trip", "--exit-code", "one"), 0),
        ((*WORDPIECE, "Naïve"), FOUND),
        (("count", "demo:bpe", "one", "--exit-code"), 1),
        (("tokenize", "demo:bpe", "one", "--exit-code"), 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_the_exit_status_reflects_the_result(command, status, capsys):
    assert run(command) == status


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        (("count", "demo:bpe", "one", "--limt", "2"), "--limit"),
        (("tokenize", "demo:bpe", "one", "--fromat=json"), "--format"),
        (("chunk", "demo:bpe", "--max-token-count", "5"), "--max-tokens"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_an_unknown_option_names_the_one_that_was_meant(command, meant, capsys):
    with pytest.raises(SystemExit) as ended:
        run(command)
    assert ended.value.code == 2
    assert meant in capsys.readouterr().err.splitlines()[-1]
