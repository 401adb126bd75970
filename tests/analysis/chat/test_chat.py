"""Conversations in tokens: ids of the whole text, each with its origin; content as text beside them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from chat_templates import CONVERSATIONS, TEMPLATES, TOOLS, chat_here
from conftest import VOCABS
from gguf_builder import CONTROL, NORMAL, UNKNOWN, USER_DEFINED, write_vocab
from hypothesis import given, settings
from hypothesis import strategies as st
from model_files import opened

import guiapp
from guiapp.analysis.chat.chat import ADDED
from guiapp.analysis.chat.hints import hints
from guiapp.analysis.chat.templates import chosen_template, templates_of
from guiapp.analysis.chat.traced import CONTENT, TEMPLATE
from guiapp.errors import ChatError


def marked_with(chat, message):
    """The content in tokens that are marked with a message, put together by the places that they name."""
    content = chat.conversation.messages[message]["content"]
    result = [" "] * len(content)
    for origin in chat.origins:
        if origin.message == message and origin.kind == CONTENT and origin.field == "content":
            result[origin.start : origin.end] = content[origin.start : origin.end]
    return "".join(result)


def tokens_with(chat, message):
    """The text of all tokens that have content of a message."""
    rows = zip(chat.encoding.spans.tolist(), chat.origins, strict=True)
    spans = [span for span, origin in rows if message in (origin.message, *origin.also) and origin.is_content]
    return b"".join(chat.encoding.text_bytes[start:end] for start, end in spans).decode("utf-8", "replace")


PRINTING = (
    "concatenation",
    "text between tags",
    "tilde",
    "macro",
    "namespace",
    "block set",
    "generation block",
)
MODELS = ("demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv")
CONTENTS = st.lists(
    st.text("ab <|>_日🦄\n")
    | st.sampled_from(["<|im_end|>", "x<|im_end|>y", "<|im_start|>", "</s>", "<s>", "<|im_", "end|>"]),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=20)
@given(construct=st.sampled_from(PRINTING), contents=CONTENTS, add_special=st.booleans())
def test_ids_are_the_whole_texts_and_all_content_is_in_tokens_marked_with_it(
    model, construct, contents, add_special
):
    tokenizer = opened(model)
    roles = ("system", "user", "assistant", "user")
    messages = [{"role": role, "content": content} for role, content in zip(roles, contents, strict=False)]
    chat = chat_here(tokenizer, TEMPLATES[construct], messages, add_special=add_special)
    assert chat.token_ids.tolist() == tokenizer.encode(chat.text, add_special, True).token_ids.tolist()
    assert len(chat.origins) == len(chat.token_ids)
    for number, content in enumerate(contents):
        assert "".join(content.split()) in "".join(tokens_with(chat, number).split())
        has_tokens_of_its_own = not any(number in origin.also for origin in chat.origins)
        if has_tokens_of_its_own and model != "demo:wordpiece":  # which leaves out white space
            assert marked_with(chat, number).split() == content.split()
    budget = chat.budget
    assert budget.n_tokens == budget.n_template + budget.n_added + sum(budget.by_message)
    assert sum(budget.by_role.values()) == sum(budget.by_message)


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=30)
@given(contents=CONTENTS)
def test_content_as_text_is_what_encoding_without_control_tokens_gives(model, contents):
    tokenizer = opened(model)
    content = "".join(contents)
    chat = chat_here(tokenizer, "{{ messages[0].content }}", [{"role": "user", "content": content}])
    expected = tokenizer.encode(content, True, parse_special=False)
    if model == "demo:rwkv" and "<s>" in content:  # where even text becomes a control token otherwise
        assert 0 not in chat.as_text.token_ids
        return
    assert chat.as_text.token_ids.tolist() == expected.token_ids.tolist()
    assert chat.as_text.spans.tolist() == expected.spans.tolist()


def test_tokens_within_and_next_to_masked_content_are_matched(tmp_path):
    file = tmp_path / "nested.gguf"
    tokens = ["<unk>", "<", ">", "abc", "<abc>", "<<abc>", "a", "b", "c", "\1"]
    types = [UNKNOWN, NORMAL, NORMAL, USER_DEFINED, CONTROL, CONTROL, NORMAL, NORMAL, NORMAL, CONTROL]
    write_vocab(
        file, model="llama", tokens=tokens, scores=[0.0] * 10, token_type=types, add_space_prefix=False
    )
    tokenizer = opened(file)
    for template, content, expected in [
        ("{{ messages[0].content }}", "<abc>", [1, 3, 2]),  # a user-defined one is found in any text
        ("{{ messages[0].content }}<abc>", "<", [1, 4]),
        ("{{ messages[0].content }}", "<<abc>", [1, 1, 3, 2]),
        ("{{ messages[0].content }}", "<\1", [1, 0]),  # a mask must not be a token
    ]:
        chat = chat_here(tokenizer, template, [{"role": "user", "content": content}], None, False)
        assert chat.token_ids.tolist() in ([4], [5], [1, 9])
        assert chat.as_text.token_ids.tolist() == expected


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", CONVERSATIONS)
def test_content_without_markers_has_the_same_tokens_as_text(model, name):
    tokenizer = opened(model)
    messages, tools = json.loads(
        json.dumps(CONVERSATIONS[name]).replace("<|im_end|>", "").replace("</s>", "")
    )
    chat = chat_here(tokenizer, TEMPLATES["parts"].replace("{{", "<|im_start|>{{"), messages, tools)
    assert chat.as_text.token_ids.tolist() == chat.token_ids.tolist()
    assert list(chat.as_text_origins) == list(chat.origins)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["qwen2", "gemma-4", "llama-bpe", "deepseek-coder", "llama-spm"])
def test_real_models_give_the_ids_of_the_whole_text(name):
    tokenizer = opened(VOCABS / f"ggml-vocab-{name}.gguf")
    own = templates_of(tokenizer.vocabulary)
    template = own[0].text if own else TEMPLATES["parts"]
    for messages, tools in CONVERSATIONS.values():
        if name == "qwen2" and not all(isinstance(each["content"], str) for each in messages):
            continue  # its template takes nothing else
        chat = chat_here(tokenizer, template, messages, tools)
        assert chat.token_ids.tolist() == tokenizer.encode(chat.text).token_ids.tolist()
        control = [origin for origin in chat.origins if origin.kind == TEMPLATE]
        assert control
        for number, message in enumerate(messages):
            content = message.get("content")
            if isinstance(content, str) and "<think>" not in content:
                assert content.strip() in tokens_with(chat, number)


def test_a_token_across_a_border_is_marked_with_the_content_in_it():
    tokenizer = guiapp.open_model("demo:bpe")
    chat = chat_here(
        tokenizer, "<|im_{{ messages[0].content }}|>", [{"role": "user", "content": "end"}], None, False
    )
    assert len(chat.token_ids) == 1
    (origin,) = chat.origins
    assert (origin.kind, origin.start, origin.end, origin.is_mixed) == (CONTENT, 0, 3, True)
    assert len(chat.as_text.token_ids) > 1


def test_what_is_written_of_all_messages_at_once_is_not_counted_as_tools():
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    text = "{{ messages }} {{ tools | tojson }}"
    chat = chat_here(guiapp.open_model("demo:bpe"), text, messages, TOOLS, add_special=False)
    assert set(chat.budget.by_role) == {"messages", "tools"}


def test_tokens_name_their_place_in_the_field_and_the_line():
    tokenizer = guiapp.open_model("demo:bpe")
    template = "{% for message in messages %}\n<|im_start|>\n{{ message.content | trim }}\n{% endfor %}"
    content = "  日本 tokenization"
    chat = chat_here(tokenizer, template, [{"role": "user", "content": content}])
    assert chat.origins[0].kind == ADDED
    inner = [origin for origin in chat.origins if origin.kind == CONTENT]
    assert {origin.line for origin in inner} == {3}
    assert inner[0].start == 2
    assert inner[-1].end == len(content)
    assert {origin.line for origin in chat.origins if origin.kind == TEMPLATE} == {2, 3, 4} - {4}
    assert {origin.message for origin in chat.origins if origin.kind == TEMPLATE} == {0}


def codes(chat, severity=None):
    return [hint.code for hint in hints(chat) if severity in (None, hint.severity)]


USER = {"role": "user", "content": "Hi"}


def looped(text, before="", after=""):
    return before + "{% for message in messages %}" + text + "{% endfor %}" + after


@pytest.mark.parametrize("model", ["demo:unigram", "demo:wordpiece"])  # the other one's file calls it control
def test_what_a_model_has_no_tokens_for_is_not_taken_for_a_control_token(model):
    tokenizer = opened(model)
    template = looped("{{ message.content }}</s>")
    unknown = chat_here(tokenizer, template, [{"role": "user", "content": "\U0010fffd日🦄"}])
    assert tokenizer.vocabulary.special_ids.unk in unknown.token_ids
    assert "content_became_control" not in codes(unknown)
    written = chat_here(tokenizer, template, [{"role": "user", "content": "a<unk>b[UNK]"}])
    assert "content_became_control" in codes(written)


def test_the_public_function_takes_what_others_take(tmp_path):
    file = tmp_path / "own.jinja"
    file.write_text("[{{ messages[0].content }}]{{ answer }}")
    tokenizer = guiapp.open_model("demo:bpe")
    for model in ("demo:bpe", tokenizer):
        chat = guiapp.chat(model, json.dumps([USER]), file, variables={"answer": 42})
        assert chat.text == "[Hi]42"
        assert [chat.text[run.start] for run in chat.rendering.runs] == ["[", "H", "]", "4"]
    own = guiapp.chat("demo:bpe", [USER])
    assert own.template.name == "default"
    assert own.budget.by_message[0] >= 1
    with pytest.raises(ChatError, match="no chat template"):
        guiapp.chat("demo:toy", [USER])


def test_variables_may_not_take_the_place_of_messages():
    for name in ("messages", "tools", "add_generation_prompt"):
        with pytest.raises(ChatError, match=f"^“{name}” cannot be set as a variable"):
            guiapp.chat("demo:bpe", [USER], variables={name: []})


def test_a_text_of_unknown_origin_is_reported_and_left_unchanged():
    content = "ab" * 60_000  # each character is a run of its own
    chat = guiapp.chat("demo:bpe", [{"role": "user", "content": content}], "{{ messages[0].content[::-1] }}")
    assert chat.text == content[::-1]
    assert not chat.is_traced
    assert codes(chat) == ["untraced"]
    assert chat.as_text is chat.encoding


def vocabulary_with(tmp_path, metadata, files=()):
    for name, text in dict(files).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    vocabulary = guiapp.open_model("demo:bpe").vocabulary
    return replace(vocabulary, metadata=metadata, path=tmp_path / "tokenizer.json")


@pytest.mark.parametrize(
    ("metadata", "files", "expected"),
    [
        ({"tokenizer.chat_template": "A"}, {}, {"default": "A"}),
        ({"tokenizer.chat_template.tool_use": "B", "tokenizer.chat_template": "A"}, {},
         {"default": "A", "tool_use": "B"}),
        ({"tokenizer.chat_templates": "1 x string"}, {}, {}),
        ({"chat_template": "A"}, {}, {"default": "A"}),
        ({"chat_template": [{"name": "x", "template": "B"}, {"name": "default", "template": "A"}, 5]}, {},
         {"default": "A", "x": "B"}),
        ({"chat_template": "A"}, {"chat_template.jinja": "B"},
         {"default": "B", "default, tokenizer_config.json": "A"}),
        ({"chat_template": "B"}, {"chat_template.jinja": "B"}, {"default": "B"}),
        ({}, {"chat_template.json": '{"chat_template": "C"}'}, {"default": "C"}),
        ({"chat_template": "A"}, {"additional_chat_templates/rag.jinja": "R"}, {"default": "A", "rag": "R"}),
        ({"chat_template": 5}, {}, {}),
    ],
)  # fmt: skip
def test_templates_are_read_from_the_file_and_its_sidecar_files(tmp_path, metadata, files, expected):
    result = templates_of(vocabulary_with(tmp_path, metadata, files))
    assert {template.name: template.text for template in result} == expected
    assert not result or result[0].name == "default"


def test_the_template_is_chosen_as_by_transformers_or_by_name_or_file(tmp_path):
    own = {"tokenizer.chat_template": "A", "tokenizer.chat_template.tool_use": "B"}
    vocabulary = vocabulary_with(
        tmp_path, own, {"c.jinja": "C", "d.json": '{"chat_template": "D"}', "e.json": "{}"}
    )
    assert chosen_template(vocabulary, False).text == "A"
    assert chosen_template(vocabulary, True).text == "B"
    assert chosen_template(vocabulary, True, "default").text == "A"
    assert chosen_template(vocabulary, True, str(tmp_path / "c.jinja")).text == "C"
    assert chosen_template(vocabulary, True, tmp_path / "d.json").text == "D"
    assert chosen_template(vocabulary, True, "{{ 1 }}").text == "{{ 1 }}"
    with pytest.raises(
        ChatError, match=r"“none” is neither a template of this model.*Templates: default, tool_use"
    ):
        chosen_template(vocabulary, True, "none")
    with pytest.raises(ChatError, match="has no chat template"):
        chosen_template(vocabulary, True, tmp_path / "e.json")


@pytest.mark.parametrize(
    ("template", "contents", "kind", "message", "place", "is_mixed", "also"),
    [
        ("{{ 'st' }}{#\n#}{{ 'ring' }}", [], TEMPLATE, None, (0, 0), False, ()),  # from two lines
        ("{{ messages[0].content }}ing", ["str"], CONTENT, 0, (0, 3), True, ()),
        ("st{{ messages[0].content[2:] }}", ["string"], CONTENT, 0, (2, 6), True, ()),
        ("{{ messages[0].content[:2] }}{#\n#}{{ messages[0].content[2:] }}", ["string"], CONTENT, 0, (0, 2),
         False, ()),
        ("st{{ messages[1].content }}{{ messages[0].content }}", ["ing", "r"], CONTENT, 1, (0, 1), True,
         (0,)),
    ],
)  # fmt: skip
def test_a_token_of_several_origins_has_that_of_the_first_content_and_is_mixed_if_they_differ(
    template, contents, kind, message, place, is_mixed, also
):
    messages = [{"role": "user", "content": content} for content in contents or [""]]
    chat = chat_here(guiapp.open_model("demo:bpe"), template, messages, None, False)
    assert chat.text == "string"
    (origin,) = chat.origins
    assert (origin.kind, origin.message, (origin.start, origin.end)) == (kind, message, place)
    assert (origin.is_mixed, origin.also) == (is_mixed, also)
    assert chat.budget.by_message == tuple(int(number == message) for number, _ in enumerate(messages))
    assert chat.budget.n_template == (kind == TEMPLATE)


def test_tokens_of_generation_blocks_are_known():
    template = "{{ messages[0].content }}[{% generation %}{{ messages[1].content }}</s>{% endgeneration %}]"
    chat = guiapp.chat("demo:bpe", [USER, {"role": "assistant", "content": "日本 tokenization"}], template)
    spans = chat.encoding.spans[chat.is_generated]
    assert chat.encoding.text_bytes[spans[0, 0] : spans[-1, 1]].decode() == "日本 tokenization</s>"
    assert not chat.is_generated[0]
    assert not chat.is_generated[-1]
