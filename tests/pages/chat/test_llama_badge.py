"""When a prompt is compared with llama.cpp's without being asked, and what the badge says then."""

from datetime import datetime

import pytest
from hands import wait_for_results
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from guiapp.analysis.chat.chat import Chat
from guiapp.analysis.chat.llama_cpp import LlamaPrompt, _like
from guiapp.analysis.chat.messages import ChatSettings, conversation_of
from guiapp.errors import ChatError
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.chat import compare_view
from guiapp.pages.chat.compare_view import DATE, DIFFERS, IDS, TEXT, LlamaBadge
from guiapp.pages.chat.counterpart import Counterpart, PromptVariant
from guiapp.pages.chat.model import ChatModel

TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


@pytest.fixture
def model(make_session):
    made = ChatModel(make_session(model="demo:bpe"))
    made.choose(ChatSettings(TURNS))
    yield made
    made.close()


@pytest.fixture
def make_badge(model, qtbot):
    """A badge in a window of its own that compares at once; it begins unwatched."""
    made = []

    def make(idle_ms=50):
        made.append(LlamaBadge(model, ThemeSource(QApplication.instance(), "dark"), idle_ms))
        return made[-1]

    yield make
    for badge in made:
        badge.verdict.close()
        badge.close()


@pytest.fixture
def asked(monkeypatch):
    """The prompts that llama.cpp is asked for, which it answers with the same text."""
    prompts = []

    def llama_prompt(chat, checkpoint):
        prompts.append(chat)
        return LlamaPrompt(chat, None)

    monkeypatch.setattr(compare_view, "llama_prompt", llama_prompt)
    monkeypatch.setattr(compare_view, "is_installed", lambda: True)
    return prompts


def set_message(model, qtbot, content):
    model.edited.take(conversation_of([{"role": "user", "content": content}]))
    qtbot.waitUntil(lambda: model.chat is not None and not model.is_outdated, timeout=20_000)


def shown_text(badge, qtbot):
    qtbot.waitUntil(lambda: not badge.isHidden(), timeout=60_000)
    return badge.text()


def test_what_llama_cpp_makes_of_the_prompt_is_shown(model, make_badge, qtbot):
    pytest.importorskip("xllamacpp")
    badge = make_badge()
    badge.verdict.watch(True)
    set_message(model, qtbot, "Hello")
    assert shown_text(badge, qtbot) == IDS
    model.choose(ChatSettings("{{ bos_token }}" + TURNS))
    qtbot.waitUntil(badge.isHidden, timeout=20_000)
    assert shown_text(badge, qtbot) == DIFFERS
    assert "omits" in badge.accessibleDescription()


def test_only_another_date_is_no_alarm(model, make_badge, monkeypatch, qtbot):
    def today_instead(chat, checkpoint):
        text = chat.text.replace("26 Jul 2024", f"{datetime.now():%d %b %Y}")
        rendering = _like(chat.rendering, text)
        theirs = Chat(chat.tokenizer, chat.conversation, chat.template, rendering, chat.settings)
        return LlamaPrompt(theirs, theirs.token_ids)

    monkeypatch.setattr(compare_view, "llama_prompt", today_instead)
    monkeypatch.setattr(compare_view, "is_installed", lambda: True)
    badge = make_badge()
    badge.verdict.watch(True)
    model.choose(ChatSettings("Today: 26 Jul 2024\n" + TURNS))
    set_message(model, qtbot, "Hello")
    assert shown_text(badge, qtbot) == DATE
    assert badge.property("state") != "bad"
    assert "26 Jul 2024" in badge.accessibleDescription()


def test_nothing_is_compared_while_typing_hidden_or_encoding_as_text(model, make_badge, asked, qtbot):
    badge = make_badge(300)
    set_message(model, qtbot, "a")
    qtbot.wait(400)
    assert asked == []
    badge.verdict.watch(True)
    assert shown_text(badge, qtbot) == TEXT
    for content in ("ab", "abc"):
        set_message(model, qtbot, content)
    assert shown_text(badge, qtbot) == TEXT
    assert [chat.conversation.messages[0]["content"] for chat in asked] == ["a", "abc"]
    badge.verdict.watch(False)
    badge.verdict.watch(True)
    assert shown_text(badge, qtbot) == TEXT
    set_message(model, qtbot, "abcd")
    assert badge.isHidden()
    model.choose(ChatSettings(TURNS, as_text=True))
    qtbot.wait(400)
    assert badge.isHidden()
    assert len(asked) == 2


def test_nothing_is_compared_where_llama_cpp_is_not_installed(model, make_badge, asked, monkeypatch, qtbot):
    monkeypatch.setattr(compare_view, "is_installed", lambda: False)
    badge = make_badge(0)
    badge.verdict.watch(True)
    set_message(model, qtbot, "a")
    qtbot.wait(50)
    assert asked == []
    assert badge.isHidden()


def test_a_click_on_a_difference_opens_the_comparison(open_page, asked, monkeypatch, qtbot):
    def refused(chat, checkpoint):
        raise ChatError("llama.cpp refuses <b>.")

    monkeypatch.setattr(compare_view, "llama_prompt", refused)
    page = open_page(messages=[{"role": "user", "content": "Hi"}])
    page.shell.window.resize(1280, 800)
    assert shown_text(page.llama, qtbot) == DIFFERS
    assert "&lt;b&gt;" in page.llama.toolTip()
    qtbot.mouseClick(page.llama, Qt.MouseButton.LeftButton)
    assert page.counterpart.counterpart == Counterpart(PromptVariant.LLAMA_CPP)
    qtbot.waitUntil(page.compare.sides[0].hasFocus)
    assert not page.llama.isVisible()
    qtbot.keyClick(page.compare.sides[0], Qt.Key.Key_Escape)
    assert page.prompt.hasFocus()
    wait_for_results(page, qtbot)
