"""`tokenloupe vocab`"""

import json

import pytest

from guiapp.cli.main import run


def test_the_command_lists_the_tokens_of_a_filter(capsys):
    assert run(["vocab", "demo:toy", "b", "length:>1", "--sort", "length", "--descending"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["id", "token", "length", "kind", "script", "rank", "children"]
    assert [line.split()[1] for line in lines[1:]] == ["acbb", "cbb", "ab", "cb", "bb"]


def test_the_command_prints_a_record_and_says_where_more_is(capsys):
    assert run(["vocab", "demo:bpe", "--limit", "2", "--json", "--columns", "id,bytes"]) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert [list(token) for token in record["tokens"]] == [["id", "bytes"]] * 2
    assert printed.err == f"tokenloupe: 2 of {record['count']:,} tokens. --limit N prints more.\n"


def test_whether_text_reaches_tokens_is_tried_where_it_is_asked_for(capsys):
    assert run(["vocab", "demo:toy", "--columns", "token,reached", "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["token,reached", "a,yes"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["kind:blue"], "There is no kind “blue”."),
        (["--sort", "colour"], "There is no column “colour”."),
        (["--columns", "id,colour"], "There is no column “colour”."),
        (["--limit", "-1"], "There are no -1 tokens to print."),
    ],
)
def test_what_cannot_be_listed_is_told_in_a_sentence(capsys, words, says):
    assert run(["vocab", "demo:toy", *words]) == 1
    assert capsys.readouterr().err.startswith(f"tokenloupe: {says}")


def test_the_columns_explain_themselves(capsys):
    assert run(["vocab", "demo:toy", "--columns", "help"]) == 0
    assert "rank        of the first merge rule that makes it" in capsys.readouterr().out
