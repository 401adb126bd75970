"""Chat templates: texts equal to those of `transformers`, and where each character is from."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import threading
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
from chat_templates import CONVERSATIONS, TEMPLATES
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

from guiapp.analysis.chat.messages import conversation_of, with_reasoning
from guiapp.analysis.chat.sandbox import RunningTemplate
from guiapp.analysis.chat.templates import render
from guiapp.errors import ChatError

try:
    from transformers.utils import chat_template_utils as utils
except ImportError:
    utils = None

NOW = datetime(2026, 7, 4)
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def request_of(template, name, add_generation_prompt=True):
    conversation = conversation_of(*CONVERSATIONS[name])
    request = {
        "template": template,
        "messages": [with_reasoning(message) for message in conversation.messages],
        "tools": conversation.tools,
        "variables": TOKENS,
        "add_generation_prompt": add_generation_prompt,
    }
    return json.loads(json.dumps(request))


def reference(request):
    """What `transformers` gives, or else jinja2 set up as it does; None where that fails."""
    given = {key: request[key] for key in ("messages", "tools", "add_generation_prompt")} | TOKENS
    try:
        if utils is not None:
            texts, _ = utils.render_jinja_template(
                [given.pop("messages")], chat_template=request["template"], **given
            )
            return texts[0]
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[Plain, "jinja2.ext.loopcontrols"]
        )
        environment.filters["tojson"] = lambda x, ensure_ascii=False, **more: json.dumps(
            x, ensure_ascii=ensure_ascii, **more
        )
        environment.globals["strftime_now"] = datetime.now().strftime
        return environment.from_string(request["template"]).render(documents=None, **given)
    except Exception:
        return None


class Plain(Extension):
    """Blocks of what is to be generated, as plain blocks."""

    tags = {"generation"}

    def parse(self, parser):
        next(parser.stream)
        return nodes.Scope(parser.parse_statements(["name:endgeneration"], drop_needle=True))


@pytest.mark.parametrize("name", CONVERSATIONS)
@pytest.mark.parametrize("construct", TEMPLATES)
def test_a_text_is_the_one_of_transformers_and_wholly_traced(construct, name):
    template = TEMPLATES[construct]
    for add_generation_prompt in (True, False):
        request = request_of(template, name, add_generation_prompt)
        expected = reference(request)
        running = RunningTemplate()
        rendered = running.rendered(request, NOW)
        assert rendered.get("text") == expected, rendered
        if expected:
            traced = running.traced(request, NOW, expected)
            starts = [run[0] for run in traced["runs"]]
            assert starts[0] == 0
            assert starts == sorted(set(starts))
            for text, _, message, field, _, offset in content_runs(traced, expected):
                entry = request["messages"][message].get(field)
                if isinstance(entry, str):
                    for here, there in zip(text, entry[offset:], strict=False):
                        assert here.casefold() == there.casefold() or there in ESCAPED


def test_filters_that_import_at_their_first_use_have_no_need_of_files():
    template = "{{ messages[0].content | wordwrap(3) }}{{ '<b>x</b>' | striptags }}"
    rendering = render(template, conversation_of([{"role": "user", "content": "abcd"}]))
    assert rendering.text == "abc\ndx"


def test_generation_blocks_match_the_masks_of_transformers():
    template = (
        "{% for m in messages %}<{{ m.role }}>{% if m.role == 'assistant' %}{% generation %}"
        "{{ m.content }}{{ eos_token }}{% endgeneration %}{% else %}{{ m.content }}{% endif %}\n{% endfor %}"
    )
    request = request_of(template, "plain")
    rendered = RunningTemplate().rendered(request, NOW)
    (start, end) = rendered["generated"][0]
    assert rendered["text"][start:end] == request["messages"][2]["content"] + "</s>"
    assert len(rendered["generated"]) == 1
    for name in ("generation block", "macro", "block set"):
        request = request_of(
            TEMPLATES[name].replace("</s>", "{% generation %}日</s>{% endgeneration %}"), "plain"
        )
        if utils is not None:
            given = {key: request[key] for key in ("tools", "add_generation_prompt")} | TOKENS
            _, (expected,) = utils.render_jinja_template(
                [request["messages"]],
                chat_template=request["template"],
                return_assistant_tokens_mask=True,
                **given,
            )
            assert RunningTemplate().rendered(request, NOW)["generated"] == expected


def content_runs(traced, text):
    ends = [*(run[0] for run in traced["runs"][1:]), len(text)]
    for (start, kind, message, field, line, *_, offset), end in zip(traced["runs"], ends, strict=True):
        if kind == "content" and message is not None:
            yield text[start:end], kind, message, field, line, offset


ESCAPED = '\n"&<>日本語🦄ü'
UNTOUCHED = (
    "concatenation", "text between tags", "tilde", "macro", "namespace", "block set", "set then print",
    "macro with caller", "generation block", "date", "literals", "joining", "parts",
)  # fmt: skip


@pytest.mark.parametrize("construct", UNTOUCHED)
def test_all_content_that_a_template_prints_is_known_by_its_message_and_place(construct):
    request = request_of(TEMPLATES[construct], "plain")
    running = RunningTemplate()
    text = running.rendered(request, NOW)["text"]
    result = dict.fromkeys(range(len(request["messages"])), "")
    for part, _, message, field, line, offset in content_runs(running.traced(request, NOW, text), text):
        assert field == "content"
        assert request["messages"][message]["content"][offset:].startswith(part)
        assert ("ns.text }}" if construct == "namespace" else "content") in TEMPLATES[construct].split("\n")[
            line - 1
        ]
        result[message] += part
    contents = [message["content"] for message in request["messages"]]
    if construct == "set then print":
        contents = [content.strip() for content in contents]
    assert list(result.values()) == contents


def test_what_is_made_of_content_beyond_recognition_counts_as_made_of_it():
    template = (
        "{{ messages[0] | tojson }}{{ '<%s>' % messages[0].content }}{{ messages[1].content | wordcount }}!"
    )
    messages = [{"role": "user", "content": "a\nb"}, {"role": "user", "content": "c"}]
    rendering = render(template, conversation_of(messages))
    kinds = {}
    ends = [*(run.start for run in rendering.runs[1:]), len(rendering.text)]
    for run, end in zip(rendering.runs, ends, strict=True):
        key = run.origin.kind, run.origin.message, run.origin.field
        kinds[key] = kinds.get(key, "") + rendering.text[run.start : end]
    assert kinds == {
        ("transformed", 0, "content"): '{"": "", "": ""}<a\nb>',
        ("template", 0, ""): "rolecontent",
        ("template", 0, "role"): "user",
        ("content", 0, "content"): "a\\nb",
        ("template", None, ""): "1!",
    }


MARKED = """{%- set loop_messages = messages %}
{%- if tools is not none %}
  {{- tools | tojson }}
{%- endif %}

{% for message in loop_messages -%}
  {%- if message.role == 'tool' -%}
    {{ message.content | tojson }}
  {%- elif message.role == 'system' -%}
    System: {{ message.content }}
  {%- else -%}
    {%- set content =
      '<|start|>'
      + message.content | trim
      + '<|end|>' -%}
    {{ content }}
  {%- endif %}
{% endfor %}
{# the end #}"""


def test_lines_are_counted_and_name_what_they_write():
    rendering = render(MARKED, conversation_of(CONVERSATIONS["plain"][0]))
    assert rendering.lines == (1, 1, 0, 1, None, 4, 4, 0, 4, 1, 4, 3, 3, 3, 3, 3, 4, 4, None)
    ends = [*(run.start for run in rendering.runs[1:]), len(rendering.text)]
    by_line = {
        (run.origin.line, rendering.text[run.start : end])
        for run, end in zip(rendering.runs, ends, strict=True)
        if run.origin.message == 3
    }
    assert by_line == {(13, "<|start|>"), (16, "Why?"), (15, "<|end|>")}


def test_content_is_of_the_line_that_prints_it_not_of_one_that_only_takes_it():
    """Llama 3.1 takes the system message in line 17 and writes it in line 42."""
    template = (
        "{% set system = messages[0]['content']|trim %}\n{% set kept = system %}\n"
        "{% macro turn(text) %}\n<{{ text }}>{% endmacro %}\n{% set block %}\n{{ kept }}{% endset %}\n"
        "{{ '[' + kept + ']' }}\n{{ turn(kept) }}\n{{ block }}\n{{ [kept]|join(',') }}\n{{ [kept]|tojson }}"
    )
    rendering = render(template, conversation_of([{"role": "system", "content": " Be brief. "}]))
    content = [run for run in rendering.runs if run.origin.kind == "content"]
    assert [(run.origin.line, run.offset) for run in content] == [(7, 1), (4, 1), (6, 1), (10, 1), (11, 1)]


def test_a_line_is_counted_by_what_is_on_it_also_where_another_line_begins_that():
    template = (
        "{% for m in messages %}{{ '<\n' }}{% endfor %}{% if add_generation_prompt %}{{ 'a\n\n' }}{% endif %}"
    )
    assert render(template, conversation_of(CONVERSATIONS["plain"][0])).lines == (4, 4, 1, 1)


LOOPS = "{{% for i in range(99999) %}}{{% for j in range(99999) %}}{}{{% endfor %}}{{% endfor %}}"


@pytest.mark.parametrize(
    ("template", "expected_message"),
    [
        ("{% if %}", "has a syntax error in line 1"),
        ("a\n{{ raise_exception('No!\nNever.') }}", "refuses these messages: No!\\nNever."),
        ("\n{{ messages[9].content.x }}", "fails in line 2: list object has no element 9"),
        ("{{ ().__class__.__base__.__subclasses__() }}", "was stopped in line 1 by the sandbox"),
        ("{{ messages.append(1) }}", "was stopped in line 1 by the sandbox"),
        ("{{ cycler.__init__.__globals__.os.popen('id').read() }}", "was stopped in line 1 by the sandbox"),
        ("{% set n = namespace(__class__=1) %}", "was stopped in line 1 by the sandbox"),
        ("{% set n = namespace() %}{% set n.__class__ = 1 %}", "was stopped in line 1 by the sandbox"),
        ("{% include '/etc/passwd' %}", "no loader for this environment"),
        ("{% import '/etc/passwd' as x %}", "no loader for this environment"),
        ("{% for i in range(10**9) %}x{% endfor %}", "Range too big"),
        (LOOPS.format(""), "too long"),
        (LOOPS.format('{{ "x" * 9999 ~ j }}'), "writes more than 26"),
        ("{{ 'x' * 10**9 }}", "too much memory"),
        ("{{ '\\ud83d' }}{{ '\\ude00' }}", "surrogates not allowed"),
        ("{{ 'x' * 10**7 }}", "writes more than 26"),  # of its own 262,144
        ("{{ 'x' * 2**22 }}", "writes more than 26"),
        ("{{ 9 ** (9 ** (9 ** 9)) }}", "too long"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "recurses without end"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "nested too deeply"),
        ("{% if 1 %}" * 200 + "{% endif %}" * 200, "fails"),
        ("{{ '%999999999d' % 1 }}", "too much memory"),
        ("{{ 'a' | center(10**9) }}", "too much memory"),
        ("x" * (1 << 21), "longer than"),
    ],
    ids=lambda value: value[:24],
)  # fmt: skip
def test_a_hostile_template_ends_in_time_with_one_sentence(template, expected_message):
    started = datetime.now()
    with pytest.raises(ChatError) as error:
        render(template, conversation_of(CONVERSATIONS["plain"][0]))
    message = str(error.value)
    assert expected_message in message
    assert "\n" not in message
    assert len(message) < 400
    assert (
        datetime.now() - started
    ).total_seconds() < 10  # 2 s, and the start of a process on a busy machine


HOSTILE = LOOPS.format(""), "{{ 'x' * 10**9 }}", "{% if %}", "{{ 9 ** (9 ** (9 ** 9)) }}"
PLAIN = "{{ messages[0].content }}{{ range(9) | random }}"


def test_prompts_render_fast_and_unaffected_by_failing_templates():
    """At once in several threads; each template that fails is asked for twice."""
    texts, times = dict[int, list[str]](), list[float]()

    def ask(thread):
        given = conversation_of([{"role": "user", "content": str(thread)}])
        for template in HOSTILE[:2] if thread % 2 else HOSTILE[1:3] * 2:
            with pytest.raises(ChatError):
                render(template, given)
            for _ in range(20):
                started = time.perf_counter()
                texts.setdefault(thread, []).append(render(PLAIN, given).text)
                times.append(time.perf_counter() - started)

    threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {thread: set(each) for thread, each in texts.items()} == {n: {f"{n}6"} for n in range(4)}
    assert statistics.median(times) < 0.03  # 1 ms, on an idle machine; the start of a process takes 150


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)", "os._exit(0)"])
def test_no_process_is_left_when_the_interpreter_ends(end):
    program = (
        "import os, guiapp\nfrom guiapp.analysis.chat.templates import SANDBOXES\n"
        "guiapp.chat('demo:bpe', [{'role': 'user', 'content': 'a'}])\n"
        f"print(SANDBOXES._idle[0]._process.pid, flush=True)\n{end}"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    group, ended_s = int(done.stdout), time.monotonic()
    while (left := _in_group(group)) and time.monotonic() < ended_s + 5:
        time.sleep(0.05)
    assert not left


def _in_group(group):
    result = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ends meanwhile
            state, _, leader, *_ = path.read_text().rpartition(")")[2].split()
            result += [path] if int(leader) == group and state not in "ZX" else []
    return result


def test_a_template_may_write_much_of_what_it_is_given():
    long = [{"role": "user", "content": "日本" * 100_000}]
    rendering = render("{{ messages[0].content }}{{ messages | tojson(indent=4) }}", conversation_of(long))
    assert rendering.text.count("日本") == 200_000
