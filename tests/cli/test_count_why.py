"""`tokenloupe count --dearest` and `why` where there is nothing to list."""

import pytest

from guiapp.cli.main import run


@pytest.mark.parametrize(("text", "n_reasons"), [("a", 2), ("a b", 1), ("", 2)])
def test_an_empty_list_is_explained(capsys, text, n_reasons):
    assert run(["count", "demo:bpe", text, "--no-special", "--dearest", "5"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("more than one token") == n_reasons
    assert printed.count("times") == 2 - n_reasons


@pytest.mark.parametrize(("words", "message"), [(["abc", "--at", "3:3"], "--at 3:3"), ([""], "no tokens")])
def test_no_token_to_explain_is_an_error_in_one_line(capsys, words, message):
    assert run(["why", "demo:bpe", "--no-special", *words]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert message in printed.err
