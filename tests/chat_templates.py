# ruff: noqa: E501  (templates are easier to read in one piece)
"""Chat templates for tests, one for each construct of public templates, and conversations for them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from guiapp.analysis.chat import sandbox
from guiapp.analysis.chat.chat import Chat
from guiapp.analysis.chat.messages import ChatSettings, conversation_of, with_reasoning
from guiapp.analysis.chat.templates import ChatTemplate, Rendering, special_texts
from guiapp.analysis.chat.traced import CharacterOrigin, OriginRun

HEAD = "{{ bos_token }}{% for message in messages %}"
END = "{% endfor %}"
TEMPLATES = {
    "concatenation": HEAD
    + "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "text between tags": HEAD + "<|{{ message.role }}|>\n{{ message.content }}</s>\n" + END,
    "tilde": HEAD + "{{ '[' ~ message.role ~ ']' ~ loop.index ~ ':' ~ message.content ~ eos_token }}" + END,
    "trim filter": HEAD + "{{- '<' + message.role + '>' }}\n{{ message.content | trim }}" + END,
    "strip methods": HEAD
    + "{{ message.content.strip() }}|{{ message.content.lstrip() }}|{{ message.content.rstrip('\n. ') }}"
    + END,
    "set then print": HEAD
    + "{%- set content = '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n'\n"
    "    + message.content | trim\n    + '<|eot_id|>' %}\n"
    "{%- if loop.first %}{% set content = '<b>' + content %}{% endif %}{{- content }}" + END,
    "block set": HEAD
    + "{% set line %}{{ message.role | upper }}: {{ message.content }}\n{% endset %}{{ line }}"
    + END,
    "filter block": HEAD + "{% filter trim %}  {{ message.content }}  {% endfilter %};" + END,
    "macro": "{% macro turn(role, content, end='</s>') %}\n[{{ role }}]{{ content }}{{ end }}\n{% endmacro %}\n"
    + HEAD
    + "{{ turn(message.role, message.content) }}"
    + END,
    "macro with caller": "{% macro framed(name) %}<{{ name }}>{{ caller() }}</{{ name }}>{% endmacro %}"
    + HEAD
    + "{% call framed(message.role) %}{{ message.content }}{% endcall %}"
    + END,
    "recursive macro": "{% macro tree(value, depth=0) %}{% if value is mapping %}"
    "{% for key, inner in value.items() %}{{ '  ' * depth }}{{ key }}:\n{{ tree(inner, depth + 1) }}{% endfor %}"
    "{% elif value is string %}{{ '  ' * depth + value }}\n"
    "{% elif value is iterable %}{% for each in value %}{{ tree(each, depth) }}{% endfor %}"
    "{% else %}{{ value }}\n{% endif %}{% endmacro %}{% for message in messages %}{{ tree(message) }}{% endfor %}",
    "namespace": "{% set ns = namespace(text='', n=0) %}{% for message in messages %}"
    "{% set ns.text = ns.text + message.role + ': ' + message.content + '\n' %}{% set ns.n = ns.n + 1 %}"
    "{% endfor %}{{ ns.n }}\n{{ ns.text }}",
    "loop controls": HEAD + "{% if message.role == 'system' %}{% continue %}{% endif %}{{ message.content }};"
    "{% if loop.index > 3 %}{% break %}{% endif %}{% else %}nothing{% endfor %}",
    "loop variables": HEAD
    + "{{ loop.index0 }}/{{ loop.length }}{{ '^' if loop.first }}{{ '$' if loop.last else ',' }}"
    "{{ loop.previtem.role if loop.previtem is defined else '-' }}{{ message.content }}" + END,
    "slices": "{% if messages[0].role == 'system' %}{% set rest = messages[1:] %}"
    "{{ messages[0].content[:5] }}|{{ messages[0]['content'][5:] }}{% else %}{% set rest = messages %}{% endif %}"
    "{% for message in rest %}{{ message.content[::-1] }}{{ message.content[-1:] }}{% endfor %}",
    "splitting": HEAD
    + "{% if '</think>' in message.content %}{{ message.content.split('</think>')[-1].lstrip('\n') }}"
    "{% else %}{{ message.content.split() | join('_') }}{% endif %}"
    "{{ message.content.rsplit(' ', 1)[0] }}{{ message.content.rsplit()[-1:] | join }}"
    "{% for line in message.content.splitlines() %}>{{ line }}\n{% endfor %}"
    "{{ message.content.partition(' ')[2] }}{{ message.content.rpartition('.')[0] }}" + END,
    "replacing": HEAD
    + "{{ message.content | replace('e', 'EE') | replace('.', '') }}{{ message.content.replace('o', '00', 1) }}"
    + END,
    "letters": HEAD
    + "{{ message.role | capitalize }} {{ message.content | upper }} {{ message.content.lower() }}"
    " {{ message.role.title() }} {{ 'ß' | upper }}" + END,
    "prefix and suffix": HEAD
    + "{% if message.content.startswith('<think>') %}{{ message.content.removeprefix('<think>') }}"
    "{% elif message.content.endswith('.') %}{{ message.content.removesuffix('.') }}!"
    "{% else %}{{ message.content | default('none', true) }}{% endif %}" + END,
    "joining": "{{ messages | map(attribute='content') | join('\n--\n') }}"
    "{{ messages | map(attribute='role') | map('trim') | join(', ') }}{{ messages | join('+', attribute='role') }}",
    "selecting": "{{ (messages | selectattr('role', 'equalto', 'user') | list | last).content }}"
    "{{ messages | rejectattr('role', 'equalto', 'user') | map(attribute='content') | list | length }}"
    "{{ (messages | first).content | length }}",
    "tools as JSON": "{% if tools is not none %}{{ tools | tojson }}\n{{ tools | tojson(indent=4) }}\n"
    "{% for tool in tools %}{{ tool.function | tojson(separators=(',', ':')) }}{{ tool.function.name }}{% endfor %}"
    "{% endif %}"
    "{% for message in messages %}{{ message.content | tojson }}{{ message | tojson(ensure_ascii=true) }}{% endfor %}",
    "tool calls": HEAD + "{% if message.tool_calls is defined %}{% for call in message.tool_calls %}"
    '{{ \'{"name": "\' + call.function.name + \'", "arguments": \' }}{{ call.function.arguments | tojson }}}'
    "{% for name, value in call.function.arguments | items %}\n"
    "<{{ name }}>{{ value if value is string else value | tojson }}</{{ name }}>{% endfor %}{% endfor %}{% endif %}"
    "{{ message.content or '' }}" + END,
    "sorted entries": HEAD
    + "{% for key, value in message | dictsort %}{{ key }}={{ value }};{% endfor %}"
    + END,
    "safe and escaped": HEAD
    + "{{ message.content | safe }}{{ message.content | e }}{{ '<i>' + (message.content | safe) }}"
    + END,
    "indented": HEAD
    + "{{ message.content | indent(2) }}\n{{ message.content | indent('> ', first=true, blank=true) }}"
    + END,
    "formatting": HEAD
    + '{{ "%s: %s" % (message.role, message.content) }}{{ "{}|{:>9}".format(message.content, 3) }}'
    "{{ message.content | wordcount }}{{ message | string }}" + END,
    "white space control": "  {% for message in messages %}\n    {%- if message.content %}\n"
    "  {{ message.content -}}  \n    {% endif %}\n\n  {%+ if true %}x{% endif +%}\n{% endfor %}\n{# no #}\n  end",
    "generation block": HEAD
    + "{% if message.role == 'assistant' %}{% generation %}{{ message.content }}{{ eos_token }}{% endgeneration %}"
    "{% else %}{{ message.content }}{% endif %}" + END,
    "date": "Today: {{ strftime_now('%d %b %Y')[:2] | length }}\n" + HEAD + "{{ message.content }}" + END,
    "alternating roles": HEAD + "{% if (message.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Roles are to alternate: user, assistant …') }}{% endif %}[INST] {{ message.content }} [/INST]"
    + END,
    "reasoning": HEAD
    + "{% if message.reasoning_content %}<think>\n{{ message.reasoning_content.strip('\n') }}\n</think>{% endif %}"
    "{{ message.content }}{{ message.thinking }}" + END,
    "parts": HEAD + "{% if message.content is string %}{{ message.content }}"
    "{% else %}{% for part in message.content %}{{ part['text'] }}{% endfor %}{% endif %}" + END,
    "literals": "{{ {'a': [1, 2.5, true, none], 'b': ('x', 'y')} }}{{ [1, 2] + [3] }}{{ 7 // 2 }}{{ 'a' 'b' }}"
    "{{ 2 ** 3 }}{{ 'yes' if 'a' in {'a': 1} else 'no' }}{{ dict(a='b').a }}{{ undefined_name }}"
    "{% for message in messages %}{% with text = message.content %}{{ text }}{% endwith %}{% endfor %}",
}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": 'Weather, "now" in °C',
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer", "enum": [1, 2]}},
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "add", "parameters": {}}},
]
ARGUMENTS = {"city": 'Zürich "1"\n', "days": 2, "deep": {"list": [1, None, True, "q"]}}
CALL = {"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": ARGUMENTS}}
CONVERSATIONS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]] | None]] = {
    "plain": (
        [
            {"role": "system", "content": "  Be careful.\nVery. "},
            {"role": "user", "content": ' Is 1 < 2 & "3"? <|im_end|> 日本語 🦄 '},
            {"role": "assistant", "content": "<think>Well.\n</think>\n\nYes.\n", "reasoning": "\nhm\n"},
            {"role": "user", "content": "Why?"},
        ],
        None,
    ),
    "tools": (
        [
            {"role": "user", "content": "The weather in Zürich?"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "name": "get_weather", "tool_call_id": "1", "content": '{"sky": "grey"}'},
            {"role": "assistant", "content": "It is grey."},
        ],
        TOOLS,
    ),
    "several system messages": (
        [
            {"role": "system", "content": "One."},
            {"role": "system", "content": "Two."},
            {"role": "user", "content": "A"},
            {"role": "assistant", "content": "B"},
        ],
        None,
    ),
    "empty content": (
        [
            {"role": "user", "content": ""},
            {"role": "assistant", "content": ""},
            {"role": "user", "content": " \n "},
        ],
        None,
    ),
    "parts": (
        [
            {"role": "user", "content": [{"type": "text", "text": "1 "}, {"type": "text", "text": "2 </s>"}]},
            {"role": "assistant", "content": "ok", "thinking": "deep"},
        ],
        None,
    ),
}


def chat_here(tokenizer, template, messages, tools=None, add_special=True, prompt=True, variables=()):
    """Do the same as `guiapp.chat`, without a process of its own, which would take 0.2 s."""
    conversation = conversation_of(messages, tools)
    request = {
        "template": template,
        "messages": [with_reasoning(message) for message in conversation.messages],
        "tools": conversation.tools,
        "variables": {**special_texts(tokenizer.vocabulary), **dict(variables)},
        "add_generation_prompt": prompt,
    }
    request, now = json.loads(json.dumps(request)), datetime(2026, 7, 4)
    running = sandbox.RunningTemplate()
    text = running.rendered(request, now)["text"]
    traced = running.traced(request, now, text)
    runs = tuple(OriginRun(row[0], CharacterOrigin(*row[1:-1]), row[-1]) for row in traced["runs"])
    prompt_start = running.prompt_start(request, now, text).get("prompt_start")
    rendering = Rendering(text, runs, tuple(traced["lines"]), 0, (), prompt_start)
    settings = ChatSettings(None, prompt, add_special, variables=dict(variables))
    return Chat(tokenizer, conversation, ChatTemplate("", template, ""), rendering, settings)
