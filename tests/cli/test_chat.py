"""`tokenloupe chat`: its record, its lines and its exit status."""

import json

import pytest

import guiapp
from guiapp.cli.main import run

USER = {"role": "user", "content": "Hello tokenization"}
KEYS = {"id", "text", "span", "origin", "message", "role", "field", "field_span", "line", "mixed", "also"}

RECORD = {"text", "token_ids", "tokens", "generated", "turns", "as_text", "hints", "budget", "template"}


@pytest.fixture
def messages(tmp_path):
    def written(*given):
        file = tmp_path / "messages.json"
        file.write_text(json.dumps(given))
        return str(file)

    return written


def test_the_record_has_each_token_with_its_origin(capsys, messages):
    assert run(["chat", "demo:bpe", messages(USER), "--json"]) == 3  # two BOS
    capsys.readouterr()
    assert run(["chat", "demo:bpe", messages(USER), "--json", "--no-special"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert set(record) == RECORD
    assert (
        record["token_ids"] == guiapp.open_model("demo:bpe").encode(record["text"], False).token_ids.tolist()
    )
    assert all(set(token) == KEYS for token in record["tokens"])
    data = record["text"].encode()
    content = [token for token in record["tokens"] if token["origin"] == "content"]
    assert b"".join(data[slice(*token["span"])] for token in content).decode() == USER["content"]
    assert {(token["message"], token["role"], token["field"]) for token in content} == {
        (0, "user", "content")
    }
    budget = record["budget"]
    assert budget["tokens"] == budget["template"] + budget["messages"][0]
    assert record["as_text"] is None  # as nothing would be otherwise


def test_warnings_are_printed_and_set_exit_status_3(capsys, messages):
    file = messages({"role": "user", "content": "Hi<|im_end|>"})
    assert run(["chat", "demo:bpe", file, "--no-special"]) == 3
    message = capsys.readouterr().out
    assert "warning: Content of message 1 (user) became the control token <|im_end|>." in message
    assert "Content encoded as text, " in message
    assert run(["chat", "demo:bpe", file, "--json", "--no-special"]) == 3
    record = json.loads(capsys.readouterr().out)
    assert len(record["as_text"]["tokens"]) == len(record["as_text"]["token_ids"]) > len(record["token_ids"])
    (hint,) = record["hints"]
    assert (hint["code"], hint["fix"]["as_text"], hint["message"]) == ("content_became_control", True, 0)


def test_template_tools_and_prompt_are_options(capsys, messages, tmp_path):
    template, tools = tmp_path / "own.jinja", tmp_path / "tools.json"
    template.write_text("{{ tools | tojson }}{{ add_generation_prompt }}")
    tools.write_text('[{"name": "add"}]')
    options = ["--template", str(template), "--tools", str(tools), "--no-generation-prompt", "--json"]
    assert run(["chat", "demo:bpe", messages(USER), *options]) == 3  # the message is lost
    record = json.loads(capsys.readouterr().out)
    assert record["text"] == '[{"name": "add"}]False'
    assert "tools" in record["budget"]["roles"]


@pytest.mark.parametrize(
    ("comparison_options", "status", "message"),
    [
        (["--beside", "demo:bpe"], 0, "1 user: 9 in common"),
        (
            ["--no-generation-prompt-beside"],
            3,
            "generation prompt: 0 in common\n  - <|im_start|> ass ist ant ↵",
        ),
        (["--template-beside", "own.jinja"], 3, "  + ["),
    ],
)
def test_two_prompts_are_compared(
    capsys, messages, tmp_path, monkeypatch, comparison_options, status, message
):
    (tmp_path / "own.jinja").write_text("{% for m in messages %}[{{ m.content }}]{% endfor %}")
    monkeypatch.chdir(tmp_path)
    given = ["chat", "demo:bpe", messages(USER), "--no-special", *comparison_options]
    assert run(given) == status
    assert message in capsys.readouterr().out
    assert run([*given, "--json"]) == status
    record = json.loads(capsys.readouterr().out)
    assert record["same_ids"] == (status == 0)
    assert set(record["first"]) == set(record["second"]) == RECORD
    for side in ("first", "second"):
        tiled = [turn[side]["tokens"] for turn in record["turns"] if turn[side]]
        assert [start for start, _ in tiled] == [0, *(end for _, end in tiled[:-1])]
        assert set(record[f"only_{side}"]) <= set(range(len(record[side]["token_ids"])))


def test_what_is_only_a_hint_leaves_the_exit_status_0(capsys, messages):
    given = ["chat", "demo:bpe", messages(USER | {"content": "a <|eot_id|>"}), "--no-special"]
    assert run(given) == 0
    assert "\nhint: <|eot_id|>" in capsys.readouterr().out
    assert run([*given, "--beside", "demo:bpe"]) == 0


def test_names_of_entries_are_printed_escaped(capsys, messages, tmp_path):
    (tmp_path / "all.jinja").write_text("{{ messages[0] | tojson }}")
    file = messages({**USER, "a\x1b[31m": "not obeyed"})
    run(["chat", "demo:bpe", file, "--template", str(tmp_path / "all.jinja")])
    assert "1 user, a\\x1b[31m" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--llama-cpp-beside", "--beside", "demo:spm"], "Omit them."),
        (["--llama-cpp-beside", "--no-generation-prompt-beside"], "Omit them."),
        (
            ["--template-beside", "no.jinja"],
            "tokenloupe: no.jinja: The template refuses these messages: never",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(capsys, messages, tmp_path, monkeypatch, more, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "no.jinja").write_text("{{ raise_exception('never') }}")
    assert run(["chat", "demo:bpe", messages(USER), *more]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "content", "message"),
    [
        ([], [{"type": "image_url"}], "Message 1 has a part of type image_url."),
        (
            ["--template", "none"],
            "x",
            "“none” is neither a template of this model nor a file. Templates: default.",
        ),
        (["--tools", "nowhere.json"], "x", "nowhere.json cannot be read"),
    ],
)
def test_errors_are_printed_in_one_line(capsys, messages, more, content, message):
    assert run(["chat", "demo:bpe", messages({"role": "user", "content": content}), *more]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
