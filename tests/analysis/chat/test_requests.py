"""Messages and settings in one object, there and back."""

import pytest

from guiapp.analysis.chat.messages import ChatSettings, conversation_of, request_of, settings_of
from guiapp.errors import ChatError

MESSAGES = [{"role": "user", "content": "Größe\n"}]
TOOLS = [{"type": "function", "function": {"name": "f"}}]


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize(
    "settings",
    [
        ChatSettings(),
        ChatSettings("tool_use", add_generation_prompt=False),
        ChatSettings(
            "{{ messages }}", as_text=True, variables={"enable_thinking": False, "names": ["a\ud800"]}
        ),
    ],
)
def test_a_request_is_read_as_it_was(tools, settings):
    conversation = conversation_of(MESSAGES, tools)
    request = request_of(conversation, settings)
    assert conversation_of(request) == conversation
    assert settings_of(request) == settings_of(request.encode()) == settings


def test_messages_alone_have_the_usual_settings():
    assert settings_of('[{"role": "user"}]') == settings_of("{}") == ChatSettings()


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("{", "no JSON"),
        ('{"chat_template": 3}', "“chat_template” in the request is not of the type str."),
        ('{"add_generation_prompt": 1}', "“add_generation_prompt” in the request is not of the type bool."),
        ('{"chat_template_kwargs": []}', "“chat_template_kwargs” in the request is not of the type dict."),
    ],
)
def test_what_is_no_request_is_told(request_, told):
    with pytest.raises(ChatError, match=told):
        settings_of(request_)
