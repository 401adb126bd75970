"""When a prompt is compared with llama.cpp's, and what is known of it then."""

import pytest

from guiapp.analysis.chat.llama_cpp import LlamaPrompt
from guiapp.analysis.chat.messages import conversation_of
from guiapp.analysis.chat.settings import ChatSettings
from guiapp.pages.chat import page as llama_check
from guiapp.pages.chat.model import ChatModel
from guiapp.pages.chat.page import LlamaCheck

TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


@pytest.fixture
def model(make_session):
    made = ChatModel(make_session(model="demo:bpe"))
    made.choose(ChatSettings(TURNS))
    yield made
    made.close()


@pytest.fixture
def check(model):
    made = LlamaCheck(model, idle_ms=50)
    made.set_active(True)
    yield made
    made.close()


def say(model, qtbot, content):
    model.edited.take(conversation_of([{"role": "user", "content": content}]))
    qtbot.waitUntil(lambda: model.chat is not None and not model.is_outdated, timeout=20_000)


def verdict(check, qtbot):
    qtbot.waitUntil(lambda: check.verdict is not None, timeout=60_000)
    return check.verdict


def test_what_llama_cpp_makes_of_the_prompt_is_told(model, check, qtbot):
    pytest.importorskip("xllamacpp")
    say(model, qtbot, "Hello")
    assert verdict(check, qtbot).difference == ""
    model.choose(ChatSettings("{{ bos_token }}" + TURNS))
    qtbot.waitUntil(lambda: check.verdict is None, timeout=20_000)
    assert "leaves out" in verdict(check, qtbot).difference
    model.choose(ChatSettings("{{ messages[0].content.frobnicate() }}"))
    qtbot.waitUntil(lambda: check.verdict is None, timeout=20_000)


def test_a_prompt_that_llama_cpp_refuses_differs(model, check, qtbot):
    pytest.importorskip("xllamacpp")
    model.choose(ChatSettings("{{ messages[0].content.zfill(9) }}"))
    say(model, qtbot, "Hello")
    assert "llama.cpp" in verdict(check, qtbot).difference


@pytest.fixture
def asked(monkeypatch):
    """The prompts that llama.cpp is asked for, which it answers with the same."""
    prompts = []

    def llama_prompt(chat, checkpoint):
        prompts.append(chat)
        return LlamaPrompt(chat, None)

    monkeypatch.setattr(llama_check, "llama_prompt", llama_prompt)
    return prompts


def test_nothing_is_compared_while_people_type_look_elsewhere_or_encode_as_text(
    model, monkeypatch, asked, qtbot
):
    monkeypatch.setattr(llama_check, "is_installed", lambda: True)
    check = LlamaCheck(model, idle_ms=300)
    say(model, qtbot, "a")
    qtbot.wait(400)
    assert asked == []
    check.set_active(True)
    for content in ("ab", "abc"):
        say(model, qtbot, content)
    assert not verdict(check, qtbot).has_ids
    assert [chat.conversation.messages[0]["content"] for chat in asked] == ["abc"]
    say(model, qtbot, "abcd")
    assert check.verdict is None
    model.choose(ChatSettings(TURNS, as_text=True))
    qtbot.wait(400)
    assert check.verdict is None
    assert len(asked) == 1
    check.close()


def test_nothing_is_compared_where_llama_cpp_is_not_installed(model, monkeypatch, asked, qtbot):
    monkeypatch.setattr(llama_check, "is_installed", lambda: False)
    check = LlamaCheck(model, idle_ms=0)
    check.set_active(True)
    say(model, qtbot, "a")
    qtbot.wait(50)
    assert asked == []
    assert check.verdict is None
