"""The selected token of a prompt, what wrote it, and the request that a session file keeps."""

import json
from dataclasses import replace

import pytest

from guiapp.analysis.chat.messages import ChatSettings, conversation_of
from guiapp.errors import ChatError
from guiapp.kit.prompt.spans import ChatSpans
from guiapp.pages.chat.model import ChatModel

TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}"
)
HELLO = conversation_of([{"role": "user", "content": "Hi"}])
TWO = conversation_of([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "You"}])


@pytest.fixture
def model(make_session, qtbot):
    made = ChatModel(make_session(model="demo:bpe"))
    made.choose(replace(made.settings, template=TEMPLATE))
    render(made, qtbot, HELLO)
    yield made
    made.close()


def render(model, qtbot, conversation):
    model.edited.take(conversation)
    wait_until_idle(model, qtbot)


def wait_until_idle(model, qtbot):
    qtbot.waitUntil(lambda: not model.is_busy)


def selected_of(model):
    emitted = []
    model.selected_changed.connect(lambda: emitted.append(model.selected_token))
    return emitted


def test_each_token_has_the_part_of_the_template_that_wrote_it(model):
    parts = [model.part_that_wrote(token) for token in range(len(model.encoding))]
    assert parts[0] is None  # the tokenizer puts it there
    assert [TEMPLATE[slice(*part)] for part in parts[1:]] == [
        "bos_token", "<|im_start|>", "m.role", "", "m.content", "m.content", "<|im_end|>",
    ]  # fmt: skip
    assert len(model.origins) == len(parts)


def test_a_token_is_selected_until_others_come(model, qtbot):
    emitted = selected_of(model)
    model.select_token(5)
    model.select_token(5)
    model.edited.type(0, "He")  # as many tokens
    wait_until_idle(model, qtbot)
    assert emitted == [5]
    render(model, qtbot, TWO)
    assert emitted == [5, None]
    model.select_token(5)
    model.session.loader.open("demo:spm")
    qtbot.waitUntil(lambda: model.selected_token is None)
    assert emitted == [5, None, 5, None]
    wait_until_idle(model, qtbot)
    model.select_token(1)
    model.edited.remove(0)
    model.edited.remove(0)
    assert emitted[4:] == [1, None]


def test_a_request_comes_back_as_one_step_of_undo(model, qtbot):
    request = model.request
    assert json.loads(request) == {
        "messages": [{"role": "user", "content": "Hi"}],
        "add_generation_prompt": True,
        "chat_template": TEMPLATE,
    }
    render(model, qtbot, TWO)
    model.choose(ChatSettings(add_generation_prompt=False))
    wait_until_idle(model, qtbot)
    assert "chat_template" not in json.loads(model.request)
    model.session.set_add_special(False)
    model.take_request(request)
    assert (model.edited.conversation, model.request) == (HELLO, request)
    assert (model.settings.template, model.settings.add_generation_prompt) == (TEMPLATE, True)
    assert not model.settings.add_special
    model.edited.undo()
    assert model.edited.conversation == TWO
    assert not model.edited.settings.add_generation_prompt
    with pytest.raises(ChatError):
        model.take_request('{"messages": 1}')
    assert model.edited.conversation == TWO


def test_spans_are_those_of_the_prompt_with_its_turns_and_controls(model, qtbot):
    spans, session = ChatSpans(model), model.session
    render(model, qtbot, TWO)
    text = model.encoding.text_bytes
    assert spans.document.text() == text
    assert [text[start:end] for start, end in spans.controls] == [
        b"", b"<|begin_of_text|>", *[b"<|im_start|>", b"<|im_end|>"] * 2,
    ]  # fmt: skip
    assert [text[start:].partition(b"\n")[0] for start in spans.turns] == [
        b"<|im_start|>user",
        b"<|im_start|>assistant",
    ]
    window = spans.spans_in(0, len(text))
    assert window.ids.tolist() == model.encoding.token_ids.tolist()
    assert window.tints.tolist() == model.shown.token_tints.tolist()
    emitted = []
    spans.tokens_changed.connect(lambda edit, tokens: emitted.append(edit))
    spans.show_by_origin(False)
    spans.show_by_origin(False)
    assert emitted == [None]
    assert spans.spans_in(0, len(text)).tints.tolist() != window.tints.tolist()
    assert spans.attributes_of(window.ids).tolist() == session.attributes_of(window.ids).tolist()
    assert (spans.label_of(5), spans.exact_instead(0)) == (session.label_of(5), None)
    assert (spans.tokenizer, spans.vocabulary, spans.spelling) == (
        session.tokenizer,
        session.vocabulary,
        session.spelling,
    )
    render(model, qtbot, HELLO)
    (edit,) = emitted[1:]
    assert (edit.start, edit.added) == (model.encoding.text_bytes.index(b"<|im_end|>") + 10, 0)
    model.edited.remove(0)
    assert (spans.document.text(), len(spans.tokens), len(spans.turns), len(spans.controls)) == (b"", 0, 0, 0)
