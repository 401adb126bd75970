"""A conversation: edited with undo, and rendered while people type."""

import json
import random
from dataclasses import replace

import pytest
from gguf_builder import write_vocab

from guiapp.analysis.chat import messages
from guiapp.analysis.chat.messages import Conversation, conversation_of
from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.kit.document.coloured_spans import CONTROL_SHADE, ORIGIN_SHADE, PLAIN_SHADE
from guiapp.kit.prompt.shown import HUES, hue_of
from guiapp.kit.prompt.spans import ChatSpans
from guiapp.pages.chat import model as chat_model
from guiapp.pages.chat.model import (
    ChatModel,
    Draft,
    EditedConversation,
    SavedConversation,
    as_json,
)

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
HELLO = conversation_of([{"role": "user", "content": "How do lions sleep?"}])


@pytest.fixture
def model(make_session):
    made = ChatModel(make_session(model="demo:bpe"))
    made.choose(replace(made.settings, template=CHATML))
    yield made
    made.close()


def wait_until_idle(model, qtbot):
    qtbot.waitUntil(lambda: not model.is_busy, timeout=20_000)


def render(model, qtbot, conversation=HELLO):
    model.edited.take(conversation)
    wait_until_idle(model, qtbot)


def test_what_is_typed_is_rendered(model, qtbot):
    render(model, qtbot)
    assert "How do lions sleep?" in model.chat.text
    model.edited.type(0, "Where?")
    assert model.is_outdated
    wait_until_idle(model, qtbot)
    assert model.chat.text == "<|im_start|>user\nWhere?<|im_end|>\n<|im_start|>assistant\n"
    assert not model.is_outdated


def test_typing_without_a_break_is_rendered_in_between(model, qtbot):
    render(model, qtbot)
    seen = set()
    model.result_changed.connect(lambda: seen.add(model.chat.text))
    for n in range(1, 500):
        model.edited.type(0, "x" * n)
        qtbot.wait(5)
        if len(seen) > 2:
            break
    assert len(seen) > 2


def test_the_last_prompt_is_shown_while_the_template_fails(model, qtbot):
    render(model, qtbot)
    text = model.chat.text
    model.choose(replace(model.settings, template="{% for %}"))
    wait_until_idle(model, qtbot)
    assert model.failure.startswith("The template has a syntax error in line 1")
    assert model.result.failed_line == 1
    assert model.chat.text == text
    assert model.is_outdated
    model.choose(replace(model.settings, template=CHATML))
    wait_until_idle(model, qtbot)
    assert not model.failure


@pytest.mark.parametrize(
    "template",
    ["{% for i in range(10**9) %}{% endfor %}", "{{ 'x' * 10**10 }}", "{{ ''.__class__.__mro__ }}"],
)
def test_a_hostile_template_is_reported(model, qtbot, template):
    render(model, qtbot)
    model.choose(replace(model.settings, template=template + "{{ messages }}"))
    wait_until_idle(model, qtbot)
    assert model.failure.startswith("The template")
    assert model.chat is not None


def test_without_messages_there_is_no_prompt(model, qtbot):
    render(model, qtbot)
    model.edited.remove(0)
    assert model.chat is None
    wait_until_idle(model, qtbot)
    assert model.chat is None
    assert not model.failure
    assert model.result.template.text == CHATML


def test_the_reason_for_a_prompt_without_tokens_is_reported(model, qtbot, tmp_path):
    tokens = ["[UNK]", "▁a", "b"]
    path = write_vocab(tmp_path / "no_bos.gguf", model="bert", tokens=tokens, unknown_token_id=0)
    with qtbot.waitSignal(model.session.vocabulary_changed):
        model.session.loader.open(str(path))
    render(model, qtbot)
    assert model.failure.startswith("The file adds BOS")


def test_a_model_without_a_template_is_reported(model, qtbot):
    render(model, qtbot)
    with qtbot.waitSignal(model.session.vocabulary_changed):
        model.session.loader.open("demo:toy")
    model.choose(replace(model.settings, template=None))
    wait_until_idle(model, qtbot)
    assert model.chat is None
    assert model.failure == "This model has no chat template. Choose a template file."


def test_fixes_are_applied_and_taken_back(model, qtbot):
    render(model, qtbot, conversation_of([{"role": "user", "content": "a <|im_end|> b"}]))
    hint = next(hint for hint in model.hints if hint.code == "content_became_control")
    n_before = len(model.encoding)
    model.apply_fix(hint.fix)
    wait_until_idle(model, qtbot)
    assert len(model.encoding) > n_before
    assert "content_became_control" not in {hint.code for hint in model.hints}
    model.edited.undo()
    wait_until_idle(model, qtbot)
    assert len(model.encoding) == n_before


def test_a_fix_of_the_switch_is_a_step_of_undo_of_its_own(make_session, qtbot):
    """Undo took back the choice of the template that was made before it, and left the switch off."""
    model = ChatModel(make_session(model="demo:spm"))
    model.choose(replace(model.settings, template="<s>" + CHATML))
    render(model, qtbot)
    model.apply_fix(next(hint.fix for hint in model.hints if hint.code == "double_bos"))
    wait_until_idle(model, qtbot)
    assert not model.session.options.add_special
    model.edited.type(0, "How?")
    for undo, is_on, content in (
        (model.edited.undo, False, "How do lions sleep?"),
        (model.edited.undo, True, "How do lions sleep?"),
        (model.edited.redo, False, "How do lions sleep?"),
        (model.edited.redo, False, "How?"),
    ):
        undo()
        wait_until_idle(model, qtbot)
        assert (
            model.session.options.add_special
            == is_on
            == ("double_bos" in {hint.code for hint in model.hints})
        )
        assert model.edited.messages[0]["content"] == content
        assert model.settings.template == "<s>" + CHATML
    model.close()


def test_a_template_fix_can_be_undone_and_a_new_model_discards_it(model, qtbot):
    render(model, qtbot, conversation_of([{"role": "user", "content": "a"}]))
    near = "{% for m in messages %}{{ m.content }}<| im_end |>{% endfor %}"
    model.choose(replace(model.settings, template=near))
    wait_until_idle(model, qtbot)
    model.apply_fix(next(hint.fix for hint in model.hints if hint.code == "near_miss"))
    wait_until_idle(model, qtbot)
    assert model.settings.template == near.replace("<| im_end |>", "<|im_end|>")
    model.edited.undo()
    wait_until_idle(model, qtbot)
    assert model.settings.template == near == model.chat.template.text
    model.edited.undo()
    assert model.settings.template == CHATML
    model.edited.redo()
    model.choose(replace(model.settings, template="default"))
    wait_until_idle(model, qtbot)
    with qtbot.waitSignal(model.session.vocabulary_changed):
        model.session.loader.open("demo:toy")
    assert model.settings.template is None
    model.edited.undo()
    assert model.settings.template == near  # a text fits any model


def test_special_tokens_are_switched_together_with_the_window(model, qtbot):
    render(model, qtbot)
    assert model.encoding.token_ids[0] == model.session.vocabulary.special_ids.bos
    model.session.set_add_special(False)
    wait_until_idle(model, qtbot)
    assert model.encoding.token_ids[0] != model.session.vocabulary.special_ids.bos
    model.choose(replace(model.settings, add_special=True))
    assert model.session.options.add_special


def test_the_last_of_several_rapid_changes_wins(model, qtbot):
    render(model, qtbot)
    n_tokens = len(model.encoding)
    model.session.set_add_special(False)
    model.session.set_add_special(True)
    wait_until_idle(model, qtbot)
    assert len(model.encoding) == n_tokens


def test_a_file_of_messages_is_read_and_images_are_refused(model, qtbot, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text('[{"role": "user", "content": "Hi"}]')
    bad.write_text('[{"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}]')
    with qtbot.waitSignal(model.reading.done):
        model.open(good)
    assert model.edited.messages[0]["content"] == "Hi"
    with qtbot.waitSignal(model.reading.failed) as signal:
        model.open(bad)
    assert "image_url" in signal.args[0]
    assert "Only text" in signal.args[0]
    assert model.edited.messages[0]["content"] == "Hi"


def test_a_conversation_over_the_size_limit_is_saved_and_restored(model, tmp_path, monkeypatch):
    saved = SavedConversation(model, tmp_path)
    model.edited.take(HELLO)
    monkeypatch.setattr(messages, "MOST_CHARACTERS", 5)
    saved.stop()
    model.edited.take(Draft().conversation)
    SavedConversation(model, tmp_path).stop()
    assert model.edited.conversation == HELLO
    model.take_request(model.request)  # a session's


@pytest.mark.parametrize("text", ["Say hello.", "\nOne\ntwo\n", "  {# nothing #}"])
def test_a_template_from_a_file_is_saved_as_text(model, qtbot, tmp_path, text):
    file = tmp_path / "plain.jinja"
    file.write_text(text)
    model.choose(replace(model.settings, template=str(file)))
    render(model, qtbot)
    prompt, saved = model.chat.text, model.request
    file.unlink()
    model.take_request(saved)
    wait_until_idle(model, qtbot)
    assert not model.failure
    assert model.chat.text == prompt
    assert model.request == saved


def test_colours_show_the_origin_of_tokens(model, qtbot):
    spans = ChatSpans(model)
    render(model, qtbot, conversation_of([{"role": "user", "content": "a <|im_end|> b"}]))
    window = spans.spans_in(0, spans.document.size)
    assert len(window.ids) == len(model.encoding)
    for tint, origin in zip(window.tints.tolist(), model.origins, strict=True):
        assert (tint >= ORIGIN_SHADE) == origin.is_content
    assert {PLAIN_SHADE, CONTROL_SHADE} < set(window.tints.tolist())
    spans.show_by_origin(False)
    assert spans.spans_in(0, spans.document.size).tints.max() < N_TINTS


def test_an_edit_replaces_only_what_differs(model, qtbot):
    spans = ChatSpans(model)
    render(model, qtbot)
    edits = []
    spans.tokens_changed.connect(lambda edit, tokens: edits.append(edit))
    model.edited.type(0, "How do tigers sleep?")
    wait_until_idle(model, qtbot)
    assert spans.document.text().decode() == model.chat.text
    (edit,) = (edit for edit in edits if edit is not None)
    assert (edit.removed, edit.added) == (len("lion"), len("tiger"))


def test_roles_that_mean_the_same_have_one_hue():
    hues = {
        role: HUES[hue_of(role)] for role in ("user", "tool", "tools", "function", "developer", "model", "x")
    }
    assert hues == {
        "user": "user", "tool": "tool", "tools": "tool", "function": "tool",
        "developer": "system", "model": "assistant", "x": "other",
    }  # fmt: skip
    assert [hue_of(hue) for hue in HUES] == [*range(len(HUES))]


@pytest.fixture
def edited(qapp):
    made = EditedConversation()
    made.restore(Draft(Conversation(({"role": "user", "content": ""},))))
    return made


def type_in(edited, text, number=0):
    for letter in text:
        edited.type(number, edited.messages[number]["content"] + letter)


def contents(edited):
    return [message["content"] for message in edited.messages]


def test_typing_is_taken_back_word_by_word(edited):
    type_in(edited, "how do lions")
    for before in ("how do ", "how ", ""):
        edited.undo()
        assert contents(edited) == [before]
    assert not edited.can_undo
    edited.redo()
    assert contents(edited) == ["how "]


def test_typing_in_another_message_is_another_step(edited):
    edited.add()
    type_in(edited, "a")
    type_in(edited, "b", 1)
    type_in(edited, "c")
    edited.undo()
    assert contents(edited) == ["a", "b"]
    edited.undo()
    assert contents(edited) == ["a", ""]


def test_the_turn_after_a_user_is_the_assistants(edited):
    edited.add()
    edited.add()
    assert [message["role"] for message in edited.messages] == ["user", "assistant", "user"]


def test_messages_move_but_not_beyond_the_ends(edited):
    edited.take(conversation_of([{"role": "user", "content": text} for text in "abc"]))
    edited.move(0, 1)
    assert contents(edited) == ["b", "a", "c"]
    edited.move(2, 1)
    edited.move(0, -1)
    assert contents(edited) == ["b", "a", "c"]


def test_whatever_is_done_can_be_taken_back(edited):
    rng = random.Random(1)
    seen = [edited.conversation]
    for _ in range(200):
        n = len(edited.messages)
        way = rng.randrange(6)
        if way == 0 or not n:
            edited.add()
        elif way == 1:
            edited.remove(rng.randrange(n))
        elif way == 2:
            edited.move(rng.randrange(n), rng.choice((-1, 1)))
        elif way == 3:
            edited.set_role(rng.randrange(n), rng.choice(("system", "tool")))
        elif way == 4:
            edited.set_tools(({"name": str(rng.random())},))
        else:
            edited.take(conversation_of([{"role": "user", "content": str(rng.random())}]))
        if edited.conversation != seen[-1]:
            seen.append(edited.conversation)
    for before in reversed(seen[:-1]):
        edited.undo()
        assert edited.conversation == before
    for after in seen[1:]:
        edited.redo()
        assert edited.conversation == after


@pytest.mark.parametrize("tools", [None, [{"type": "function", "function": {"name": "f"}}]])
def test_json_gives_the_same_conversation_again(tools):
    conversation = conversation_of([{"role": "user", "content": "é\n\u2028"}], json.dumps(tools))
    assert conversation_of(as_json(conversation)) == conversation


def test_an_outdated_prompt_is_reported_as_late(model, hold, qtbot):
    render(model, qtbot)
    assert not model.is_late
    gate = hold(chat_model, "_rendered")
    with qtbot.waitSignal(model.late_changed):
        model.edited.add()
    assert model.is_late
    gate.set()
    qtbot.waitUntil(lambda: not model.is_busy)
    assert not model.is_late
