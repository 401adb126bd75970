"""Each kind of hint: of which tokens and message it is, and the button that it has."""

import numpy as np
import pytest
from chat_templates import chat_here
from conftest import SHARED, VOCABS
from gguf_builder import write_vocab

import guiapp
from guiapp.analysis.chat.hints import HINT, WARNING, hints
from guiapp.core.vocabulary.byte_alphabet import spell

START, END, BOS = "<|im_start|>", "<|im_end|>", "<|begin_of_text|>"
USER, ASSISTANT = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}
ADD = {"name": "add", "arguments": {}}
CALLED = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": ADD}]}
TURN = START + "{{ message.role }}\n{{ message.content }}"
TAKE_OUT, ADD_END, REPLACE = "Remove from the template", f"Add {END}", f"Replace with {END}"


def looped(text, before="", after=""):
    return before + "{% for message in messages %}" + text + "{% endfor %}" + after


def user(content):
    return {"role": "user", "content": content}


def control(number, token=END):
    return ("content_became_control", WARNING, token, number - 1, "Encode as text")


@pytest.mark.parametrize(
    ("template", "messages", "expected"),
    [
        (looped(TURN + END), [user(f"a{END}b"), USER, user(END)], [control(1), control(3)]),
        (looped(TURN + END, BOS), [user(BOS)], [control(1, BOS)]),
        (
            looped(TURN + "{% for call in message.tool_calls %}{{ call.function.name }}{% endfor %}"),
            [USER, CALLED],
            [("missing_eos", WARNING, "", 1, None)],
        ),
        (
            looped(BOS + TURN + END, f"{BOS} \n"),
            [USER],
            [("double_bos", WARNING, f"{BOS} \n{BOS}", None, TAKE_OUT)],
        ),
        (
            looped(TURN + "\n"),
            [USER, ASSISTANT] * 2,
            [
                ("eog_gap", WARNING, f"\n{START}user\n", 1, ADD_END),
                ("missing_eos", WARNING, "\n", 3, ADD_END),
            ],
        ),
        (looped(TURN), [USER, ASSISTANT], [("missing_eos", WARNING, "", 1, ADD_END)]),
        (
            looped(TURN + "<| im_end |>"),
            [USER, ASSISTANT],
            [
                ("missing_eos", WARNING, "<| im_end |>", 1, REPLACE),
                ("near_miss", WARNING, "<| im_end |>", None, REPLACE),
            ],
        ),
        (
            looped(START + "{{ message.content | center(12) }}" + END),
            [user("</s> abc")],
            [("near_miss", HINT, " </s>", 0, None)],
        ),
        (
            looped(TURN + "<s>" + END),
            [USER],
            [("near_miss", WARNING, "<s>", None, None)],
        ),
        (
            looped(TURN + "<s>\n<s>" + END),
            [USER],
            [("near_miss", WARNING, "<s>\n", None, None)],
        ),
        (
            looped(TURN + END, "", f"{START}x \t"),
            [USER],
            [("trailing_blank", WARNING, " \t", None, TAKE_OUT)],
        ),
        (
            looped(f"{START}  {{{{ message.content }}}}\n  {END}".replace("\n", "{{ '' }}")),
            [USER, ASSISTANT],
            [
                ("added_blank", HINT, "  H", 0, TAKE_OUT),
                ("added_blank", HINT, "  ", 0, TAKE_OUT),
            ],
        ),
        (
            looped("{% if loop.last %}" + TURN + END + "{% endif %}"),
            [USER, user(" "), USER],
            [("lost_content", WARNING, "", 0, None)],
        ),
        (
            looped(TURN + END),
            [USER, CALLED, USER],
            [
                ("lost_tools", WARNING, "", None, None),
                ("lost_tools", WARNING, "", 1, None),
            ],
        ),
    ],
)
def test_a_hint_has_a_severity_a_location_and_a_fix(template, messages, expected):
    tools = [{"function": ADD}] if CALLED in messages else None
    chat = chat_here(guiapp.open_model("demo:bpe"), template, messages, tools, add_special=False)
    text, spans = chat.encoding.text_bytes, chat.encoding.spans
    assert [
        (
            hint.code,
            hint.severity,
            b"".join(text[start:end] for start, end in spans[slice(*hint.tokens)]).decode(),
            hint.message,
            hint.fix and hint.fix.label,
        )
        for hint in hints(chat)
    ] == expected


def test_control_tokens_in_content_give_one_hint_per_message():
    messages = [user(f"a {END} b {END} c {START}"), ASSISTANT, user(f"{START}x")]
    chat = chat_here(guiapp.open_model("demo:bpe"), looped(TURN + END), messages, add_special=False)
    first, second = (hint for hint in hints(chat) if hint.code == "content_became_control")
    became = [at for hint in (first, second) for start, end in hint.ranges for at in range(start, end)]
    assert became == np.flatnonzero(chat.became_control).tolist()
    assert [chat.tokenizer.vocabulary.raw_text(int(chat.token_ids[at])).decode() for at in became] == [
        END, END, START, START,
    ]  # fmt: skip
    assert (first.message, second.message) == (0, 2)
    assert f"3 control tokens: {END} twice, {START}." in first.what
    for window in ((0, len(became) + 90), first.ranges[1], (first.ranges[0][1], first.ranges[2][0])):
        expected = [place for place in first.ranges if place[0] < window[1] and window[0] < place[1]]
        assert list(first.ranges_within(*window)) == expected


def test_no_fix_writes_a_control_token_into_content():
    """An end of another model in what a user says was to be replaced by the model's own: an injection."""
    message_text = "a <|eot_id|> b <|eot_id|> <｜im_end｜> </s>"
    parts = {"role": "user", "content": [{"type": "text", "text": message_text}]}
    messages = [
        user(message_text),
        {**ASSISTANT, "content": message_text},
        {"role": "tool", "content": message_text},
        parts,
    ]
    text = f"{{{{ message.content if message.content is string else message.content[0].text }}}}{END}"
    chat = chat_here(guiapp.open_model("demo:bpe"), looped(START + text), messages, add_special=False)
    near = [hint for hint in hints(chat) if hint.code == "near_miss"]
    assert {hint.message for hint in near} == {0, 1, 2, 3}
    assert {hint.fix for hint in near} == {None}
    assert {len(hint.ranges) for hint in near if "<|eot_id|>" in hint.what} == {2}


CALL = START + "{{ message.tool_calls[0].function.name }}"
REPEATS_NAME = (
    f"{{% if message.tool_calls %}}{CALL}{END}{{% elif message.role == 'tool' %}}"
    f"{CALL.replace('message', 'messages[loop.index0 - 1]')}{START}{{{{ message.content }}}}{END}"
    f"{{% else %}}{TURN}{END}{{% endif %}}"
)
ARGUMENTS = "{{ message.tool_calls[0].function.arguments | tojson }}"
FIRST_PART = TURN.replace("content", "content[0].text")
THOUGHT = {"role": "assistant", "content": "<think>look it up</think>\n<b>Paris</b>"}


def calling(arguments):
    return {**CALLED, "tool_calls": [{"function": {"name": "add", "arguments": arguments}}]}


@pytest.mark.parametrize(
    ("text", "message", "expected"),
    [
        (REPEATS_NAME, CALLED, ""),
        (TURN + END, THOUGHT, ""),
        (START + "{{ message.content.split('</think>')[-1] }}" + END, THOUGHT, "<think>look it up"),
        (START + "{{ message.content.replace('<think>', '[') }}" + END, THOUGHT, ""),
        (START + "{{ message.content.split('</think>')[0] }}" + END, THOUGHT, "<b>Paris</b>"),
        (START + "{{ message.content | upper }}" + END, THOUGHT, ""),
        (START + "{{ message.content | urlencode }}" + END, THOUGHT, ""),
        (TURN + END, {**ASSISTANT, "reasoning": "Why 5?"}, "Why 5?"),
        (TURN + "{{ message.thinking }}" + END, {**ASSISTANT, "reasoning_content": "Why 5?"}, ""),
        (TURN + END, {**ASSISTANT, "content": [{"text": "Why 5?"}]}, ""),
        (FIRST_PART + END, {**ASSISTANT, "content": [{"text": "5?"}, {"text": "So."}]}, "So."),
        (CALL + END, {**CALLED, "content": "Adding."}, "Adding."),
        (CALL + ARGUMENTS + END, calling({"a": 'b"'}), ""),
        (CALL + ARGUMENTS + END, calling("{}"), ""),
        (CALL + "{{ message.tool_calls[0].function.arguments }}" + END, calling('{"a": "ü"}'), ""),
        (CALL + ARGUMENTS + END, calling('{"a": "ü"}'), "escaped_arguments"),
        (CALL + "{{ message.tool_calls | tojson }}" + END, calling('{"a": "ü"}'), "escaped_arguments"),
    ],
)
def test_what_is_left_out_or_escaped_gets_a_hint_and_a_turn_that_is_ended_none(text, message, expected):
    template = looped(f"{{% if message.role == 'user' %}}{TURN}{END}{{% else %}}{text}{{% endif %}}")
    messages = [USER, message, {"role": "tool", "content": "3"}][: 3 if text == REPEATS_NAME else 2]
    reported = hints(chat_here(guiapp.open_model("demo:bpe"), template, messages, add_special=False))
    assert [(hint.severity, hint.message) for hint in reported] == [(HINT, 1)] * bool(expected)
    assert all(expected in f"{hint.code} {hint.what}" for hint in reported)


def test_a_variable_that_the_template_does_not_have_is_named_with_the_one_that_was_meant():
    template = "{% if enable_thinking %}think{% endif %}" + looped(TURN + END)
    variables = {"enable_thinkng": True, "enable_thinking": False, "colour": "red"}
    chat = chat_here(guiapp.open_model("demo:bpe"), template, [USER], None, False, True, variables)
    typo, unknown = hints(chat)
    assert {(hint.code, hint.severity) for hint in (typo, unknown)} == {("unused_variable", HINT)}
    assert all(name in typo.what for name in ("enable_thinkng", "enable_thinking"))
    assert "colour" in unknown.what


@pytest.mark.real_vocabs
@pytest.mark.parametrize("template", ["diffusion_gemma.jinja", "gptoss.jinja"])
def test_calls_and_turns_that_public_templates_end_get_no_warning(template, tmp_path):
    path = VOCABS / "ggml-vocab-gemma-4.gguf"
    if template == "gptoss.jinja":
        special = "<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|call|>", "<|return|>"
        tokens = [*special, *spell(bytes(range(256)))]
        path = tmp_path / "x.gguf"
        write_vocab(path, model="gpt2", tokens=tokens, types=[3] * 6 + [1] * 256, merges=[])
    answer = {"role": "tool", "tool_call_id": "1", "name": "lookup", "content": "{}"}
    call = {"id": "1", "type": "function", "function": {"name": "lookup", "arguments": {"city": "Paris"}}}
    messages = [USER, {**CALLED, "tool_calls": [call]}, answer, ASSISTANT, USER]
    text = (SHARED / "templates" / template).read_text()
    chat = chat_here(guiapp.open_model(path), text, messages, add_special=False)
    assert [hint for hint in hints(chat) if hint.severity == WARNING] == []
