"""Where tokens are from that have characters of more than one origin."""

import pytest
from chat_templates import chat_here

import guiapp
from guiapp.analysis.chat.traced import CONTENT, TEMPLATE


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
