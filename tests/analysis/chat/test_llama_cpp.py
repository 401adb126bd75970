"""llama.cpp's own text and ids of a conversation; its templates are ended as well."""

import time
from datetime import datetime

import pytest
from chat_templates import CONVERSATIONS, TEMPLATES, chat_here
from conftest import VOCABS
from model_files import opened

import guiapp
from guiapp.analysis.chat import llama_cpp
from guiapp.analysis.chat.chat import Chat
from guiapp.analysis.chat.llama_cpp import LlamaPrompt, _like, llama_prompt
from guiapp.analysis.chat.templates import templates_of
from guiapp.errors import ChatError

pytestmark = pytest.mark.slow


pytest.importorskip("xllamacpp")
PLAIN = CONVERSATIONS["several system messages"]
TURNS = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"


def prompts(template, conversation=PLAIN, model="demo:bpe", **settings):
    chat = chat_here(opened(model), template, *conversation, **settings)
    return chat, llama_prompt(chat)


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm"])
@pytest.mark.parametrize("prompt", [True, False])
def test_text_and_ids_are_equal(model, prompt):
    template = TURNS + "{% if add_generation_prompt %}<|im_start|>{{ eos_token }}{% endif %}"
    chat, llama = prompts(template, model=model, prompt=prompt)
    assert llama.difference(chat) == ""
    assert llama.token_ids.tolist() == chat.token_ids.tolist()
    assert list(llama.chat.origins) == list(chat.origins)


@pytest.mark.parametrize(
    ("template", "conversation", "settings", "description"),
    [
        ("{{ bos_token }}" + TURNS, PLAIN, {}, "omits the <|begin_of_text|> of the template"),
        ("{{ bos_token }}" + TURNS, PLAIN, {"add_special": False}, ""),
        (TEMPLATES["tool calls"], CONVERSATIONS["tools"], {"add_special": False}, ""),
        ("{{ messages[0].content[::-1] }}日{{ messages | length }}", PLAIN, {}, ""),
        (TEMPLATES["selecting"], CONVERSATIONS["tools"], {}, "From character 25, llama.cpp has “3” instead"),
    ],
)
def test_differences_are_described(template, conversation, settings, description):
    chat, llama = prompts(template, conversation, **settings)
    assert description in llama.difference(chat)
    assert bool(description) == bool(llama.difference(chat))


def test_origins_are_those_of_what_begins_and_ends_alike():
    chat, _ = prompts("{{ bos_token }}" + TURNS)
    text = chat.text[5:].replace("Two", "2")
    runs = _like(chat.rendering, text).runs
    assert [run.start for run in runs] == sorted({run.start for run in runs})
    ends = [*(run.start for run in runs[1:]), len(text)]
    for run, end in zip(runs, ends, strict=True):
        if run.origin.kind == "content":
            content = PLAIN[0][run.origin.message]["content"]
            assert content[run.offset :].startswith(text[run.start : end])


def test_todays_date_is_of_the_template_and_no_alarm():
    """It was counted as tools, with no tools given."""
    dated = (
        "{% if not date_string %}{% set date_string = '26 Jul 2024' %}{% endif %}Date: {{ date_string }}\n"
    )
    chat = chat_here(opened("demo:bpe"), dated + TURNS, *PLAIN)
    theirs = chat.text.replace("26 Jul 2024", f"{datetime.now():%d %b %Y}")
    llama = LlamaPrompt(
        Chat(chat.tokenizer, chat.conversation, chat.template, _like(chat.rendering, theirs), chat.settings),
        None,
    )
    assert llama.chat.budget.by_role == chat.budget.by_role
    assert llama.dates(chat.text) == ("26 Jul 2024", f"{datetime.now():%d %b %Y}")
    assert "today’s date" in llama.difference(chat)
    assert llama.dates(chat.text.replace("Two", "2")) is None


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["qwen2", pytest.param("gemma-4", marks=pytest.mark.exhaustive)])
def test_real_models_give_the_ids_of_llama_cpp(name):
    path = VOCABS / f"ggml-vocab-{name}.gguf"
    template = templates_of(opened(path).vocabulary)[0].text
    chat, llama = prompts(template, CONVERSATIONS["empty content"], path)
    if left_out := llama.difference(chat):
        assert left_out.startswith("llama.cpp omits the <bos>")
    assert llama.token_ids.tolist() == llama.chat.token_ids.tolist()


LOOPS = "{% for i in range(99999) %}{% for j in range(99999) %}{{ 'x' }}{% endfor %}{% endfor %}"
GROWING = (
    "{% set n = namespace(s='x') %}{% for i in range(40) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s }}"
)


@pytest.mark.parametrize("template", [LOOPS, GROWING, "{% if %}", "{{ raise_exception('no') }}", "{{ m() }}"])
def test_what_it_cannot_render_ends_in_time_with_one_sentence(template):
    chat, started = chat_here(guiapp.open_model("demo:bpe"), TURNS, *PLAIN), time.monotonic()
    chat.template = chat.template.__class__("", template, "")
    with pytest.raises(ChatError, match=r"^llama\.cpp [^\n]*\.$"):
        llama_prompt(chat)
    assert time.monotonic() - started < 30


def test_a_missing_package_is_reported(monkeypatch):
    monkeypatch.setattr(llama_cpp, "PACKAGE", "no_such_package")
    with pytest.raises(ChatError, match=r"is not installed\. Install it: .*pip install no_such_package"):
        prompts(TURNS)
