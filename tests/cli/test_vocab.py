"""`tokenloupe vocab`"""

import json

import pytest

from guiapp.cli.main import run


def test_a_limited_record_is_printed_with_a_hint_at_the_rest(capsys):
    assert run(["vocab", "demo:bpe", "--limit", "2", "--json", "--columns", "id,bytes"]) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert [list(token) for token in record["tokens"]] == [["id", "bytes"]] * 2
    assert printed.err == f"tokenloupe: 2 of {record['count']:,} tokens. Print more with --limit N.\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--sort", "colour"], "There is no column “colour”."),
        (["--columns", "id,colour"], "There is no column “colour”."),
        (["--limit", "-1"], "--limit -1"),
    ],
)
def test_an_impossible_listing_is_refused_in_a_sentence(capsys, words, message):
    assert run(["vocab", "demo:toy", *words]) == 1
    assert capsys.readouterr().err.startswith(f"tokenloupe: {message}")


@pytest.mark.parametrize(
    "words",
    [
        ["kind:blue"],
        ["a", "length:>"],
        ["-script:"],
        ["is:un"],
        ["0xE"],
        ["lenght:3"],
        ["foo:bar"],
        ["Foo:bar"],
        ["0xZZ"],
        ["200..100"],
        ["#200..#100"],
        ["length:5..2"],
        ["kind:control", "-std:move"],
    ],
)
def test_a_filter_that_is_wrong_or_not_finished_is_a_usage_error(capsys, words):
    with pytest.raises(SystemExit) as caught:
        run(["vocab", "demo:toy", "--", *words])
    printed = capsys.readouterr()
    assert (caught.value.code, printed.out) == (2, "")
    assert words[-1].partition(":")[0].lstrip("-") in printed.err


def ids(capsys, *filters):
    assert run(["vocab", "demo:bpe", "--csv", "--columns", "id", "--", *filters]) == 0
    return capsys.readouterr().out.split()[1:]


def test_the_names_of_filters_are_taken_in_any_case(capsys):
    assert ids(capsys, "Kind:control", 'SCRIPT:"Latin"') == ids(capsys, "kind:control", 'script:"Latin"')
    assert ids(capsys, "Length:>=4", "-is:byte") == ids(capsys, "length:>=4", "-IS:byte") != []


@pytest.mark.parametrize("text", ["foo:bar", "0xZZ", 'a:"b c"'])
def test_text_like_a_filter_is_matched_in_the_suggested_quotes(capsys, text):
    with pytest.raises(SystemExit):
        run(["vocab", "demo:bpe", text])
    quoted = '"' + text.replace('"', '""') + '"'
    assert quoted in capsys.readouterr().err
    assert ids(capsys, quoted) == []


@pytest.mark.parametrize("command", ["vocab", "count", "tokenize", "tree"])
def test_a_word_that_begins_like_an_option_needs_dashes_before_it(capsys, command):
    with pytest.raises(SystemExit):
        run([command, "demo:bpe", "-the"])
    printed = capsys.readouterr().err
    assert "write -- before it" in printed
    assert "--help?" not in printed
    assert run([command, "demo:bpe", "--", "-the"]) == 0
