"""`tokenloupe chat`: its record, its lines and its exit status."""

import json

import pytest

import guiapp
from guiapp.cli import run

USER = {"role": "user", "content": "Hello tokenization"}
KEYS = {"id", "text", "span", "origin", "message", "role", "field", "field_span", "line", "mixed", "also"}


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
    assert set(record) == {"text", "token_ids", "tokens", "as_text", "hints", "budget", "template"}
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


def test_warnings_make_the_exit_status_3_and_are_told(capsys, messages):
    file = messages({"role": "user", "content": "Hi<|im_end|>"})
    assert run(["chat", "demo:bpe", file, "--no-special"]) == 3
    told = capsys.readouterr().out
    assert "warning: Content of message 1 (user) became the control token <|im_end|>." in told
    assert "Content encoded as text, " in told
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
    ("more", "content", "told"),
    [
        ([], [{"type": "image_url"}], "Message 1 has a part of the type image_url."),
        (["--template", "none"], "x", "“none” is no template of this model, and no file. It has: default."),
        (["--tools", "nowhere.json"], "x", "nowhere.json cannot be read"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(capsys, messages, more, content, told):
    assert run(["chat", "demo:bpe", messages({"role": "user", "content": content}), *more]) == 1
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
