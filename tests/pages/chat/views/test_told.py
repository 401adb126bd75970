"""All that the Chat page tells of a conversation, of a selected token, and of what is wrong."""

import json

import pytest
from chat_pages import settle
from controls_in_words import controls_of, painted_of
from pictures import paintings_of
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from guiapp.analysis.chat.messages import conversation_of
from guiapp.pages.chat.message_list import JsonDialog

Left = Qt.MouseButton.LeftButton
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How do lions <|im_end|> sleep?\nWell?"},
    {"role": "assistant", "content": "Deeply."},
]
AHEAD = [
    "MESSAGES | Messages",
    "Open… | Messages from a JSON file | Messages from a JSON file",
    "Paste JSON… | Messages as JSON, to paste or edit | Messages as JSON, to paste or edit",
]
BELOW = [
    "+ Message | Add a message (Ctrl+Return)",
    "+ Tools | Tools that the template is given",
    "+ Variables | Variables that the template is given, such as “enable_thinking”",
]
GENERATION = "Generation prompt | Let the template begin the assistant's next turn"
TOO_MUCH = "Content of message 2 (user) became the control token <|im_end|>."
TWICE = "Two <|begin_of_text|> begin the prompt: the template writes one, and the tokenizer adds another."


@pytest.fixture
def page(open_page):
    return open_page(messages=MESSAGES)


def card(number, role, n_tokens):
    return [
        f"{role} | Role of message {number}: {role}",
        f"{n_tokens} | {n_tokens} tokens",
        "⋯ | What can be done with this message",
        f"Message {number}, {role}",
    ]


def test_all_that_is_told_of_messages_template_and_hints(page, qtbot):
    cards = [*card(1, "system", 6), *card(2, "user", 15), *card(3, "assistant", 5)]
    said = controls_of(page.messages)
    assert said == [*AHEAD, *BELOW, *cards, f"{GENERATION} | checked", "5"]
    assert controls_of(page.template) == [
        *("TEMPLATE | Template", "in the file | Template: in the file | Choose a template"),
        *("4 of 4 lines ran", "» | Hide the template | Hide the template", "Template"),
    ]
    assert controls_of(page.hints) == [
        "Hints",
        *("warning 1", f"Content became control.  {TOO_MUCH} | {TOO_MUCH}"),
        "Side by side | Show the tokens as the model reads them, and as text, side by side",
        "Encode as text",
        *("warning 2", f"Two BOS.  {TWICE} | {TWICE}", "Leave out the added one"),
    ]
    assert painted_of(page.hints, page.shell.theme_source) == {
        "warning 1": ["bad", "1 bold on_accent"],
        "warning 2": ["warning", "2 bold on_accent"],
    }
    page.template._use("nothing.jinja")
    settle(page, qtbot)
    assert controls_of(page.template)[1] == "none | Template: none | Choose a template"
    assert controls_of(page.messages) == said
    told = "“nothing.jinja” is no template of this model, and no file. It has: default."
    assert controls_of(page)[5:8] == [told, "Choose a file…", "Try ChatML"]


def test_the_bar_of_the_budget_has_a_share_for_each_role_and_the_whole(page):
    themes = page.shell.theme_source
    shares = {"template": 24, "added": 1, "system": 6, "user": 15, "assistant": 5}
    assert page.budget.accessibleDescription() == "24 template, 1 added, 6 system, 15 user, 5 assistant"
    words = [word for word in painted_of(page.budget, themes)["Tokens by origin"] if word[-1] in "mt"]
    assert words == [
        *("51 text", " tokens dim", "24  text", "template dim", "6  text", "system dim"),
        *("15  text", "user dim", "5  text", "assistant dim", "49 % is template dim"),
    ]
    paintings = paintings_of(page.budget)
    whole, *bars = paintings.shapes
    assert (whole.width(), whole.bottom()) == (page.budget.width(), page.budget.height())
    room, at = page.budget.width() - 2 * 16 - 190, 16
    for bar, n_tokens in zip(bars, shares.values(), strict=True):
        assert bar.getRect() == pytest.approx((at, 14, room * n_tokens / 51 - 2, 12))
        at = bar.right() + 2
    places = {mark.text: mark.place for mark in paintings.written}
    starts = [bar.left() for bar in bars]
    numbers = [places[f"{each} "].left() for each in (24, 6, 15, 5)]
    assert numbers == pytest.approx([starts[0], *starts[2:]], abs=1)
    assert places[" tokens"].right() == pytest.approx(page.budget.width() - 16, abs=1)
    assert places["51"].right() == pytest.approx(places[" tokens"].left(), abs=1)


def test_the_line_of_a_token_tells_it_and_leads_to_the_tree(page, qtbot):
    assert controls_of(page.token_line) == ["Selected token", "Choose a token to see where it is from."]
    at = page.model.chat.text.index("lions")
    page.model.select_token(page.model.chat.tokens_at(at, at + 5)[0])
    tree = "Show in tree | Show this token in the token tree | Show this token in the token tree"
    assert controls_of(page.token_line) == [
        *("Selected token", "·l", "280", "message 2, user · characters 6–8 of its text"),
        *("written by line 2", tree),
    ]
    wanted = []
    page.shell.window.requests.token_wanted.connect(wanted.append)
    qtbot.mouseClick(page.token_line.tree, Left)
    assert wanted == [280]


def dialog(page):
    return next(each for each in page.findChildren(JsonDialog) if each.isVisible())


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ('{"a": [1]}', ""),
        ("", ""),
        ("[1]", 'Variables are an object such as {"enable_thinking": false}.'),
        ("{", "The variables are no JSON: "),
    ],
)
def test_variables_are_typed_as_json(page, qtbot, text, failure):
    qtbot.mouseClick(page.messages.variables, Left)
    asked = dialog(page)
    assert asked.editor.toPlainText() == "{}"
    asked.editor.setPlainText(text)
    qtbot.mouseClick(asked.use_button, Left)
    left = [each for each in page.findChildren(JsonDialog) if each.isVisible()]
    assert left == ([asked] if failure else [])
    assert not failure or asked.problem.text().startswith(failure)
    assert page.model.settings.variables == ({"a": [1]} if text == '{"a": [1]}' else {})
    settle(page, qtbot)
    assert page.messages.variables.text() == ("1 variable" if "a" in text else "+ Variables")
    for each in left:
        each.close()


def test_one_message_is_taken_from_json_where_it_is_one(page, qtbot):
    page.messages._edit_one(1)
    asked = dialog(page)
    assert json.loads(asked.editor.toPlainText()) == MESSAGES[1]
    asked.editor.setPlainText(json.dumps(MESSAGES[:2]))
    qtbot.mouseClick(asked.use_button, Left)
    assert asked.problem.text() == "These are 2 messages. Give one."
    asked.editor.setPlainText(json.dumps([{"role": "tool", "content": "x"}]))
    qtbot.mouseClick(asked.use_button, Left)
    assert page.model.edited.messages[1] == {"role": "tool", "content": "x"}
    page.messages._edit_one(2)
    page.model.edited.take(conversation_of(MESSAGES[:1]))
    qtbot.mouseClick(dialog(page).use_button, Left)
    assert page.model.edited.messages == tuple(MESSAGES[:1])


def test_tools_are_an_example_at_first_and_none_where_nothing_is_typed(page, qtbot):
    qtbot.mouseClick(page.messages.tools, Left)
    qtbot.mouseClick(dialog(page).use_button, Left)
    (tool,) = page.model.edited.conversation.tools
    qtbot.mouseClick(page.messages.tools, Left)
    assert json.loads(dialog(page).editor.toPlainText()) == [tool]
    dialog(page).editor.setPlainText(" ")
    qtbot.mouseClick(dialog(page).use_button, Left)
    assert page.model.edited.conversation.tools is None
    assert page.messages.tools.text() == "+ Tools"
    settle(page, qtbot)


@pytest.mark.parametrize("is_chosen", [True, False])
def test_messages_are_opened_from_a_file(page, qtbot, monkeypatch, tmp_path, is_chosen):
    path = tmp_path / "some.json"
    path.write_text(json.dumps(MESSAGES[:1]))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *asked: (str(path) if is_chosen else "", ""))
    qtbot.mouseClick(page.messages.open, Left)
    qtbot.waitUntil(lambda: not page.model.reading.is_busy)
    assert page.model.edited.messages == tuple(MESSAGES[:1] if is_chosen else MESSAGES)
    settle(page, qtbot)


def test_only_so_many_messages_are_shown_and_the_button_tells_of_the_others(page, qtbot):
    messages = [{"role": "user", "content": str(at)} for at in range(61)]
    further, told = page.messages.further, []
    for n_messages in (60, 61):
        page.model.edited.take(conversation_of(messages[:n_messages]))
        told.append((len(page.messages.cards), further.text() if further.isVisible() else ""))
    further.click()
    told.append((len(page.messages.cards), further.text() if further.isVisible() else ""))
    assert told == [(60, ""), (60, "Show 1 more of 61"), (61, "")]
    settle(page, qtbot)
