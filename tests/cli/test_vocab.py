"""`tokenloupe vocab`"""

import json

import pytest

from guiapp.cli.main import run


def test_the_command_prints_a_record_and_says_where_more_is(capsys):
    assert run(["vocab", "demo:bpe", "--limit", "2", "--json", "--columns", "id,bytes"]) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert [list(token) for token in record["tokens"]] == [["id", "bytes"]] * 2
    assert printed.err == f"tokenloupe: 2 of {record['count']:,} tokens. Print more with --limit N.\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--sort", "colour"], "There is no column “colour”."),
        (["--columns", "id,colour"], "There is no column “colour”."),
        (["--limit", "-1"], "--limit -1"),
    ],
)
def test_what_cannot_be_listed_is_told_in_a_sentence(capsys, words, says):
    assert run(["vocab", "demo:toy", *words]) == 1
    assert capsys.readouterr().err.startswith(f"tokenloupe: {says}")


@pytest.mark.parametrize(
    "words", [["kind:blue"], ["a", "length:>"], ["-script:"], ["is:un"], ["0xE"], ["lenght:3"]]
)
def test_a_filter_that_is_wrong_or_not_finished_is_a_usage_error(capsys, words):
    with pytest.raises(SystemExit) as caught:
        run(["vocab", "demo:toy", "--", *words])
    printed = capsys.readouterr()
    assert (caught.value.code, printed.out) == (2, "")
    assert words[-1].partition(":")[0].lstrip("-") in printed.err
