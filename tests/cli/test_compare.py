"""`tokenloupe compare`: texts, two texts, ids and vocabularies; one clear line on errors."""

import csv
import io
import json

import pytest

import guiapp
from guiapp.cli.main import run

TEXT = "Hello worlds, naïve 汉字 don't"


@pytest.fixture
def printed(capsys):
    def output(*arguments, status=0):
        assert run(["compare", *arguments]) == status
        captured = capsys.readouterr()
        return captured.out if status == 0 else captured.err

    return output


@pytest.fixture
def folder(tmp_path):
    """Two texts, one that is none, and one that is hidden."""
    texts = {"a.py": b"x = 1\n", "deep/b.txt": b"some text", "c.bin": b"\0\1\2", ".git/d.txt": b"hidden"}
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text)
    return tmp_path


def test_json_keeps_the_contract(printed):
    report = json.loads(printed("demo:bpe", "demo:spm", "--text", TEXT, "--json"))
    compared = guiapp.compare(["demo:bpe", "demo:spm"], TEXT)
    for row, model in enumerate(report["models"]):
        assert model["model"] == ("demo:bpe", "demo:spm")[row]
        assert (model["tokens"], model["bytes"], model["characters"]) == (
            len(compared.encodings[row]),
            len(TEXT.encode()),
            len(TEXT),
        )
        assert model["equal_spans"] == compared.spans.n_equal(row)
    assert [each["span"] for each in report["differences"]] == compared.spans.differences.tolist()
    assert [each["token_ids"] for each in report["differences"]] == [
        compared.difference_ids(row) for row in range(len(report["differences"]))
    ]


def test_one_model_can_be_compared_with_itself_in_another_way(printed):
    text = "unbelievable transmogrification"
    report = json.loads(printed("demo:bpe", "demo:bpe", "--encoder", "2=greedy", "--text", text, "--json"))
    tokenizer = guiapp.open_model("demo:bpe")
    assert [model["tokens"] for model in report["models"]] == [
        len(tokenizer.encode(text)),
        len(tokenizer.encode(text, encoder="greedy")),
    ]
    assert [model["encoder"] for model in report["models"]] == ["fast", "greedy"]
    shown = printed(
        "demo:bpe", "demo:bpe", "--pre", "qwen2", "--pre", "1=gpt-2", "--text", "12345", "--no-special"
    )
    assert "demo:bpe (gpt-2)" in shown
    assert "demo:bpe (qwen2)" in shown
    same = printed("demo:bpe", "demo:bpe", "--text", text)
    assert "2. demo:bpe" in same
    assert "All spans are the same" in same


def test_two_texts_of_one_model(printed, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("Hello world and more")
    shown = printed("demo:bpe", "--text", "Hello world and less", "--against", str(other))
    assert "in common from the start" in shown
    assert "removed" in shown
    report = json.loads(printed("demo:bpe", "--text", "Hello world", "--against", str(other), "--json"))
    tokenizer = guiapp.open_model("demo:bpe")
    assert report["tokens"] == [
        len(tokenizer.encode(text)) for text in ("Hello world", "Hello world and more")
    ]
    assert report["common_from_start"] == report["tokens"][0]
    assert printed("demo:bpe", "--text", "a", "--against", str(other), "--markdown").count("| :-- |") == 1


def test_ids_from_elsewhere(printed, monkeypatch):
    tokenizer = guiapp.open_model("demo:bpe")
    ids = tokenizer.encode("Hello world").token_ids.tolist()
    assert printed("demo:bpe", "--text", "Hello world", "--ids", str(ids)) == (
        f"The text and the list of ids are the same: {len(ids)} tokens.\n"
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(str(ids[1:]).encode())))
    report = json.loads(printed("demo:bpe", "--text", "Hello world", "--ids", "-", "--json"))
    assert (report["removed"], report["inserted"], report["same_text"]) == (1, 0, True)
    assert "is not a whole number" in printed("demo:bpe", "--text", "a", "--ids", "1 x", status=1)
    assert "is not between 0" in printed("demo:bpe", "--text", "a", "--ids", "99999999", status=1)


def test_two_vocabularies(printed):
    assert printed("--vocab", "demo:bpe", "demo:bpe").startswith("Identical: 2,560 tokens, ")
    shown = printed("--vocab", "demo:bpe", "demo:spm")
    assert shown.startswith("Not identical: tokens only in demo:bpe ")
    assert "Rules that differ" in shown
    report = json.loads(printed("--vocab", "demo:bpe", "demo:spm", "--json"))
    assert not report["identical"]
    assert [model["model"] for model in report["models"]] == ["demo:bpe", "demo:spm"]
    other = json.loads(printed("--vocab", "demo:bpe", "demo:bpe", "--pre", "2=qwen2", "--json"))
    assert other["identical"], "by what the files say"
    [rule] = (rule for rule in other["rules"] if rule["name"] == "pre-tokenizer")
    assert ["qwen2" in rule[side] for side in ("first", "second")] == [False, True]
    assert "only in demo:spm" in printed("--vocab", "demo:bpe", "demo:spm", "--csv")
    assert "| :-- |" in printed("--vocab", "demo:bpe", "demo:spm", "--markdown")


def test_whether_a_model_may_draft_for_another(printed, capsys):
    assert printed("--vocab", "demo:bpe", "demo:bpe", "--draft").count(": yes. ") == 3
    assert run(["compare", "--vocab", "demo:bpe", "demo:spm", "--draft", "--json"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert (report["models"], report["may_draft"]) == (["demo:bpe", "demo:spm"], False)
    verdicts = guiapp.draft("demo:bpe", "demo:spm")
    assert report["verdicts"] == [verdict._asdict() for verdict in verdicts]
    assert run(["compare", "--vocab", "demo:bpe", "demo:spm", "--draft", "--csv"]) == 3
    rows = capsys.readouterr().out.splitlines()
    assert [row.split(",")[2] for row in rows] == ["cause", "other type", "other size", "other size"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("demo:bpe", "demo:spm", "--draft"), "--draft works with --vocab"),
        (("--vocab", "demo:bpe"), "--vocab compares two models"),
        (("demo:bpe", "demo:spm", "--ids", "1", "--text", "a"), "take one model"),
        (("demo:bpe", "--text", "a", "-f", "b"), "Omit one"),
        (("demo:bpe", "-f", "does/not/exist"), "does/not/exist cannot be read"),
        (("demo:bpe", "demo:spm", "--pre", "3=qwen2", "--text", "a"), "there is no MODEL number 3"),
        (("demo:bpe", "--encoder", "quick", "--text", "a"), "quick"),
        (("demo:bpe", "demo:spm", "--price", "1,2,3", "--text", "a"), "one price or 2"),
        (("demo:bpe", "--context", "0", "--text", "a"), "--context 0"),
        (("--vocab", "demo:bpe", "demo:spm", "--svg"), "--svg does not work"),
        (("demo:bpe", "--text", "a", "--ids", "1", "--csv"), "--csv does not work"),
        (("demo:none", "--text", "a"), "demo:none"),
        (("demo:bpe", "--ids", "-"), "with --text or -f"),
        (("demo:bpe", "--against", "-"), "with --text or -f"),
    ],
)
def test_an_impossible_comparison_is_refused_in_one_line(printed, arguments, message):
    error = printed(*arguments, status=1)
    assert message in error
    assert error.count("\n") == 1


def test_of_a_folder_no_huge_file_is_read_that_holds_no_text(printed, folder):
    with open(folder / "model.gguf", "wb") as file:
        file.truncate(1 << 40)  # a hole: takes no room, and could not be read
    assert json.loads(printed("demo:bpe", "-f", str(folder), "--json"))["models"][0]["bytes"] == 15


def test_texts_come_from_several_files_folders_and_standard_input(
    printed, folder, tmp_path, monkeypatch, capsys
):
    extra = tmp_path / "extra.md"
    extra.write_text("more")
    report = json.loads(
        printed("demo:bpe", "demo:spm", "-f", str(folder / "deep"), "-f", str(extra), "--json")
    )
    assert report["models"][0]["bytes"] == len("some text") + len("more")
    assert set(report["models"][0]["file_types"]) == {".txt", ".md"}
    assert run(["compare", "demo:bpe", "demo:spm", "-f", str(folder), "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == f"tokenloupe: {folder}: skipped 1 file without text.\n"
    assert set(json.loads(captured.out)["models"][0]["file_types"]) == {".py", ".txt", ".md"}
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"from a pipe")))
    assert json.loads(printed("demo:bpe", "demo:spm", "--json"))["models"][1]["bytes"] == len("from a pipe")


@pytest.mark.parametrize("price", ["x", "-1", "1,", "inf", "nan"])
def test_what_is_no_price_is_a_matter_of_usage(capsys, price):
    with pytest.raises(SystemExit) as ended:
        run(["compare", "demo:bpe", "--text", "a", f"--price={price}"])
    assert ended.value.code == 2
    assert "is not a price" in capsys.readouterr().err


def test_each_difference_has_a_reason(printed):
    arguments = "demo:bpe", "demo:bpe", "--pre", "2=qwen2", "--encoder", "1=table", "--text", "in 1984"
    rows = json.loads(printed(*arguments, "--json"))["differences"]
    assert [(each["cause"], each["subject"]) for row in rows for each in row["why"]] == [
        ("pre-tokenizer", "digits")
    ]
    assert rows[0]["why"][0]["others"] == [1]
    assert "one piece `198`" in rows[0]["why"][0]["reason"]
    assert printed(*arguments).rstrip().endswith("pre-tokenizer: digits")


@pytest.fixture
def parallel(tmp_path):
    (tmp_path / "en.txt").write_text("One two\nthree\n")
    (tmp_path / "a<b>&c.txt").write_text("Eins zwei\ndrei\n")
    return str(tmp_path)


def test_languages_are_those_of_the_package_in_each_form(printed, parallel):
    arguments = "demo:bpe", "demo:spm", "--languages", parallel, "--reference", "en"
    report = guiapp.languages(["demo:bpe", "demo:spm"], parallel, "en")
    printed_record = json.loads(printed(*arguments, "--json"))
    assert [model["model"] for model in printed_record["models"]] == ["demo:bpe", "demo:spm"]
    for row, model in enumerate(printed_record["models"]):
        assert [each["tokens"] for each in model["languages"]] == report.tokens[row].tolist()
        assert [each["premium"] for each in model["languages"]] == report.premium[row].tolist()
    lines = [*csv.DictReader(io.StringIO(printed(*arguments, "--csv")))]
    assert [int(line["tokens"]) for line in lines] == report.tokens.ravel().tolist()
    assert "| a<b>&c |" in printed(*arguments, "--markdown")
    page = printed(*arguments, "--html")
    assert "a<b>&c" not in page
    assert page.count("a&lt;b&gt;&amp;c") >= 3
    assert "<script" not in page
    plain = printed(*arguments)
    assert plain == printed(*arguments, "--no-special"), "special tokens are never added"
    assert "1 is parity" in plain


def test_languages_refuse_what_they_have_no_use_for(printed, parallel, capsys):
    arguments = "demo:bpe", "--languages", parallel, "--reference"
    assert "Choose one" in printed(*arguments, "eng_Latn", status=1)
    assert "--html" in printed(*arguments, "en", "--svg", status=1)
    for needless in (["--html"], ["--reference", "en"]):
        assert "--languages" in printed("demo:bpe", "--text", "a", *needless, status=1)
    for other in (["--exit-code"], ["--price", "1"], ["-f", "x"], ["--vocab"], ["--text", "a"]):
        with pytest.raises(SystemExit) as ended:
            run(["compare", *arguments, "en", *other])
        assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err
