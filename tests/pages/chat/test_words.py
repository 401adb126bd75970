"""Where a token of a prompt is from, in words; and in which hue."""

import pytest

from guiapp.analysis.chat.token_origins import ADDED, TokenOrigin
from guiapp.analysis.chat.traced import CHANGED, CONTENT, TEMPLATE
from guiapp.pages.chat.model import HUES, hue_of
from guiapp.pages.chat.spans import line_of, places


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        (TokenOrigin(ADDED), ["put there by the tokenizer, not by the template", "added"]),
        (TokenOrigin(TEMPLATE), ["the template's own", "template"]),
        (TokenOrigin(TEMPLATE, 0, "user"), ["the template's own, for message 1", "template"]),
        (
            TokenOrigin(CONTENT, 1, "user", "content", 3, 1000, 1004),
            [
                "message 2, user · characters 1,000–1,004 of its text",
                "message 2, user · characters 1,000–1,004",
                "message 2, user",
            ],
        ),
        (
            TokenOrigin(CONTENT, None, "tools", "tools[0].type", 3, 0, 4, True),
            [
                "a tool · characters 0–4 of tools[0].type · with what is around it",
                "a tool · characters 0–4",
                "a tool",
            ],
        ),
        (
            TokenOrigin(CHANGED, 0, "u" * 30, "", 3),
            [f"message 1, {'u' * 23}… · made of its text", f"message 1, {'u' * 23}…"],
        ),
    ],
)
def test_a_token_is_told_at_length_and_shorter(origin, said):
    assert places(origin) == said


def test_only_what_a_line_wrote_tells_it():
    assert [line_of(TokenOrigin(TEMPLATE, line=line)) for line in (0, 1, 12)] == [
        "",
        "written by line 1",
        "written by line 12",
    ]


def test_roles_that_mean_the_same_have_one_hue():
    hues = {
        role: HUES[hue_of(role)] for role in ("user", "tool", "tools", "function", "developer", "model", "x")
    }
    assert hues == {
        "user": "user", "tool": "tool", "tools": "tool", "function": "tool",
        "developer": "system", "model": "assistant", "x": "other",
    }  # fmt: skip
    assert [hue_of(hue) for hue in HUES] == [*range(len(HUES))]
