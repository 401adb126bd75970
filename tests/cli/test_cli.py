"""The command line: results on standard output, one clear line on errors, the exit status of the contract."""

import errno
import io
import json
import subprocess
import sys
from shlex import quote

import pytest
from gguf_builder import write_vocab

from guiapp.cli import info
from guiapp.cli.main import run

DEMO_MODELS = ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"]


def result_of(capfdbinary, *arguments):
    status = run(arguments)
    out, err = capfdbinary.readouterr()
    return status, out, err


@pytest.mark.parametrize("model", DEMO_MODELS)
def test_tokenize_and_detokenize_come_back_to_the_text(capfdbinary, model):
    status, ids, _ = result_of(capfdbinary, "tokenize", model, "hello world", "--no-special")
    assert status == 0
    status, text, _ = result_of(capfdbinary, "detokenize", model, *ids.decode().split())
    assert status == 0
    assert text.strip() == b"hello world"


@pytest.mark.parametrize("form", ["ids", "json"])
def test_detokenize_reads_what_tokenize_prints(capfdbinary, tmp_path, form):
    ids = tmp_path / "ids"
    for word in ("été 汉 <|im_end|>", ""):
        _, printed, _ = result_of(capfdbinary, "tokenize", "demo:bpe", word, "--no-special", "--format", form)
        ids.write_bytes(printed)
        assert result_of(capfdbinary, "detokenize", "demo:bpe", "-f", str(ids)) == (0, word.encode(), b"")


@pytest.mark.parametrize("model", DEMO_MODELS)
def test_info_describes_the_file(capfdbinary, model):
    status, out, _ = result_of(capfdbinary, "info", model, "--json")
    report = json.loads(out)
    assert status == 0
    assert report["tokens"] == sum(report["kinds"].values())
    assert report["exactness"]["level"] == "exact"
    status, out, _ = result_of(capfdbinary, "info", model)
    assert status == 0
    assert report["type"] in out.decode()
    assert not any(line.endswith(" ") for line in out.decode().splitlines())  # a name without a value


def test_json_gives_each_token_its_span(capfdbinary):
    _, out, _ = result_of(capfdbinary, "tokenize", "demo:bpe", "new york", "--no-special", "--format", "json")
    record = json.loads(out)
    assert [token["id"] for token in record["tokens"]] == record["token_ids"]
    assert b"".join(b"new york"[slice(*token["span"])] for token in record["tokens"]) == b"new york"


@pytest.mark.parametrize("style", ["table", "color"])
def test_styles_for_people_never_print_raw_control_characters(capfdbinary, style):
    _, out, _ = result_of(capfdbinary, "tokenize", "demo:bpe", "a\x1b[31m\u202eb", "--format", style)
    text = out.decode()
    assert "\u202e" not in text
    assert "\x1b[31m" not in text


def test_text_that_is_not_utf8_is_taken_as_bytes(capfdbinary, tmp_path):
    file = tmp_path / "bytes"
    file.write_bytes(b"a\xff\xe2\x82")
    status, from_file, _ = result_of(capfdbinary, "tokenize", "demo:bpe", "-f", str(file))
    assert status == 0
    status, from_argument, _ = result_of(capfdbinary, "tokenize", "demo:bpe", "a\udcff\udce2\udc82")
    assert (status, from_argument) == (0, from_file)


def test_text_comes_from_standard_input_where_none_is_named(capfdbinary, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"hello")))
    piped = result_of(capfdbinary, "tokenize", "demo:bpe")
    assert piped == result_of(capfdbinary, "tokenize", "demo:bpe", "hello")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "no/such/file.gguf"], "file.gguf"),
        (["info", "demo:klingon"], "demo:bpe"),
        (["info", ""], "The name of the model is empty"),
        (["tokenize", "", "x"], "The name of the model is empty"),
        ([""], "The name of the model is empty"),
        (["detokenize", "demo:bpe", "7", "-f", "ids.txt"], "not both"),
        (["tokenize", "demo:bpe", "x", "--encoder", "quantum"], "quantum"),
        (["tokenize", "demo:bpe", "-f", "no/such/text"], "no/such/text"),
        (["detokenize", "demo:bpe", "99999999"], "99999999"),
        (["detokenize", "demo:bpe", "seven"], "seven"),
        (["detokenize", "demo:bpe", "--", "-1"], "-1"),
        (["detokenize", "demo:bpe", '{"tokens": []}'], "list of numbers “token_ids”"),
    ],
)
def test_bad_input_is_one_line_and_status_1(capfdbinary, arguments, message):
    status, out, err = result_of(capfdbinary, *arguments)
    assert (status, out) == (1, b"")
    assert message in err.decode()
    assert err.count(b"\n") == 1


@pytest.mark.parametrize("command", ["tokenize", "tree", "bench field"])
def test_an_unknown_option_shows_the_usage_of_its_command(capfdbinary, command):
    with pytest.raises(SystemExit) as exit_status:
        run([*command.split(), "--nope=1", "--", "demo:toy"])
    assert exit_status.value.code == 2
    assert capfdbinary.readouterr().err.startswith(f"usage: tokenloupe {command} ".encode())


EMPTY = "the name of the file is empty"
NO_QUOTES = "Put the text in quotes, or -f before the name of a file"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("count demo:toy -f ", EMPTY),
        ("train bpe --vocab-size 9 -o ", EMPTY),
        ("screenshot -o ", EMPTY),
        ("demo:toy ", EMPTY),
        ("count demo:toy several words", NO_QUOTES),
        ("tokenize demo:toy several words", NO_QUOTES),
        ("chunk --max-tokens 5 demo:toy several words", NO_QUOTES),
        ("train bpe --vocab-size 99 -o x demo:toy several words", NO_QUOTES),
        ("tokenize demo:toy text -f file", ""),
        ("tokenize", "MODEL"),
        ("chunk demo:toy a", "--max-tokens"),
        ("bench demo:toy --report a.txt", "a.txt"),
        ("screenshot --page tree", "--output"),
        ("tokenize demo:bpe --format yaml", "yaml"),
        ("screenshot -o page.png --train bpe", "“bpe” "),
        ("screenshot -o page.png --train bpe:x", "“bpe:x” "),
        ("screenshot -o page.png --train lstm:300", "“lstm:300” "),
        ("screenshot -o page.png --train bpe:300:4:5", "“bpe:300:4:5” "),
        ("screenshot -o page.png --lesson unigram:x", "“unigram:x” "),
        ("screenshot -o page.png --size 1440", "“1440” "),
        ("tokenize demo:toy abc --json --format table", "not allowed with argument"),
        ("tokenize demo:toy abc --format table --json", "not allowed with argument"),
        ("models --json --add folder", "not allowed with argument --add"),
        ("models --clear --json", "not allowed with argument --clear"),
        ("bench demo:toy --list --json -", "not allowed with argument --json"),
        ("bench demo:toy --compare old.json --list", "not allowed with argument --compare"),
        ("bench field demo:toy --from a.json -o b.html", "not allowed with argument MODEL"),
        ("bench field --from a.json --text A=b -o b.html", "not allowed with argument --text"),
        ("compare demo:toy demo:bpe --vocab --text abc", "not allowed with argument --text"),
        ("compare demo:toy demo:bpe --price 3 --vocab", "not allowed with argument --price"),
        ("compare demo:toy --ids 1 --text abc --context 9", "not allowed with argument --context"),
        ("hunt demo:toy demo:bpe --report - --json", "not allowed with argument --json"),
        ("tree demo:toy --levels 1 -o tree.png", "not allowed with argument --levels"),
        ("vocab demo:toy --descending", "--sort"),
        ("screenshot -o page.png --size 99999x900", "“99999x900” "),
    ],
)
def test_wrong_usage_is_reported_with_status_2(capsys, words, message):
    with pytest.raises(SystemExit) as ended:
        run(words.split(" "))
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_the_module_is_the_console_script():
    command = [sys.executable, "-m", "guiapp", "tokenize", "demo:bpe", "hello", "--no-special"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=120)
    assert done.stdout.split()
    assert done.stderr == b""


@pytest.fixture
def model_with_unknown_pre(tmp_path):
    parts = {"model": "gpt2", "pre": "foo-9", "tokens": ["1", "2", "12"], "merges": ["1 2"]}
    return str(write_vocab(tmp_path / "model.gguf", **parts))


def test_an_unknown_pre_tokenizer_is_an_error_until_one_is_chosen(capfdbinary, model_with_unknown_pre):
    status, _, err = result_of(capfdbinary, "tokenize", model_with_unknown_pre, "12")
    assert (status, err.count(b"\n")) == (1, 1)
    assert b"foo-9" in err
    assert b"--pre NAME" in err
    assert b"--pre NAME" in result_of(capfdbinary, "bench", model_with_unknown_pre)[2]


@pytest.mark.parametrize(
    ("command", "result"),
    [
        (("tokenize", "12"), b"0 1\n"),
        (("detokenize", "2"), b"12"),
        (("info", "--json"), b'"chosen_pre": "qwen2"'),
        (("tree", "1"), b"12  +2\n"),
    ],
)
def test_a_chosen_pre_tokenizer_is_used_and_reported(capfdbinary, model_with_unknown_pre, command, result):
    name, *rest = command
    status, out, err = result_of(capfdbinary, name, model_with_unknown_pre, *rest, "--pre", "qwen2")
    assert status == 0
    assert result in out
    assert "split as “qwen2”, chosen by hand" in err.decode()


def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "guiapp", "tokenize", "demo:toy", "abacb"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert result.returncode == 1
    assert result.stderr == "tokenloupe: The output cannot be written: No space left on device.\n"


AFTER_A_COMMAND = """
import gc, sys
from guiapp.__main__ import main
sys.argv = ["tokenloupe", "tokenize", "demo:toy", "abacb"]
main()
"""


@pytest.mark.parametrize(
    "holds",
    [
        "not {'yaml', 'guiapp.cli.bench', 'guiapp.analysis.trace.recorder'} & {*sys.modules}",
        "gc.get_freeze_count() > 10_000",  # or else Python goes through all objects again at the end
    ],
)
def test_a_short_command_leaves_out_what_takes_long(holds):
    subprocess.run([sys.executable, "-c", f"{AFTER_A_COMMAND}assert {holds}"], check=True)


def failing_with(error):
    def run_command(options):
        raise error

    return run_command


def test_a_file_that_the_system_refuses_is_not_taken_for_the_output(monkeypatch, capfd):
    error = OSError(errno.ENOSPC, "No space left on device", "copy.gguf")
    monkeypatch.setattr(info, "run", failing_with(error))
    assert run(["info", "demo:toy"]) == 1
    assert capfd.readouterr().err == "tokenloupe: copy.gguf: No space left on device.\n"


def test_standard_input_that_cannot_be_read_is_not_taken_for_the_output(monkeypatch, capsys):
    class Broken(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Broken())))
    assert run(["tokenize", "demo:toy"]) == 1
    assert capsys.readouterr().err == "tokenloupe: Standard input cannot be read: Input/output error.\n"


@pytest.mark.parametrize(
    ("word", "message"), [("tokenise", "Did you mean `tokenize`?"), ("x", "neither a model file")]
)
def test_a_mistyped_command_opens_no_window(capsys, word, message):
    assert run([word]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_stream_that_is_closed_is_as_if_it_were_empty(closed):
    command = f"{quote(sys.executable)} -m guiapp detokenize demo:toy {closed}"
    done = subprocess.run(command, shell=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize(
    "words",
    [
        ["tokenize", "demo:bpe", "in the sun", "--format", "table"],
        ["tokenize", "demo:bpe", "in the sun", "--format", "log"],
        ["step", "demo:bpe", "in the sun", "--json"],
        ["tree", "demo:bpe", " the"],
        ["tree", "demo:bpe", " the", "--dot"],
        ["compare", "demo:bpe", "--text", "in the sun", "--ids", "1 2 3"],
    ],
    ids=lambda words: " ".join(words[:1] + words[3:]),
)
def test_tokens_are_printed_in_signs_or_as_in_the_file(words, capsys):
    outputs = []
    for more in ([], ["--spelling", "signs"], ["--spelling", "file"]):
        assert run([*words, *more]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert "Ġ" not in outputs[0]
    assert "Ġ" in outputs[2]


def test_a_text_that_does_not_exist_is_refused_before_the_window(capsys, tmp_path):
    assert run(["demo:toy", str(tmp_path / "no.txt")]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "no.txt" in printed.err
