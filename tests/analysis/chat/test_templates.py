"""Files and entries that hold templates, strings in them, and what they are given of special tokens."""

from dataclasses import replace

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.chat.templates import chosen_template, templates_of
from guiapp.errors import ChatError


def vocabulary_at(path, metadata=()):
    return replace(toy_vocabulary({"a": 0.0}), path=path, metadata=dict(metadata))


def template_rows(vocabulary):
    return [(template.name, template.text, template.source) for template in templates_of(vocabulary)]


def test_of_a_file_with_a_name_before_it_only_templates_that_begin_so_are_taken(tmp_path):
    for name in ("x.chat_template.jinja", "chat_template.jinja", "y.chat_template.jinja"):
        (tmp_path / name).write_bytes(f"{name}\r\n".encode())
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "rag.jinja").write_text("R")
    name = "x.chat_template.jinja"
    assert template_rows(vocabulary_at(tmp_path / "x.tokenizer.json")) == [("default", f"{name}\n", name)]
    name = "chat_template.jinja"
    assert template_rows(vocabulary_at(tmp_path / "tokenizer.json")) == [
        ("default", f"{name}\n", name),
        ("rag", "R", "rag.jinja"),
    ]
    assert template_rows(vocabulary_at(None)) == []


def test_the_same_text_under_one_name_comes_once_and_another_one_with_its_source():
    metadata = {"tokenizer.chat_template": "A", "tokenizer.chat_template.b": "A", "chat_template": "A"}
    assert template_rows(vocabulary_at(None, metadata)) == [
        ("default", "A", "tokenizer.chat_template"),
        ("b", "A", "tokenizer.chat_template.b"),
    ]
    assert template_rows(vocabulary_at(None, metadata | {"chat_template": "B"})) == [
        ("default", "A", "tokenizer.chat_template"),
        ("b", "A", "tokenizer.chat_template.b"),
        ("default, tokenizer_config.json", "B", "tokenizer_config.json"),
    ]
    many = [{"name": f"t{number}", "template": str(number)} for number in range(150)]
    assert len(template_rows(vocabulary_at(None, {"chat_template": many}))) == 100


def test_an_unreadable_file_is_named_in_the_error(tmp_path, monkeypatch):
    file = tmp_path / "chat_template.jinja"
    file.write_text("A")

    def refusing(path, *given):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(type(file), "open", refusing)
    with pytest.raises(ChatError) as error:
        chosen_template(vocabulary_at(None), False, file)
    assert str(error.value) == "chat_template.jinja cannot be read: Permission denied."
