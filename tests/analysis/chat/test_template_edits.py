"""What a click changes in a template takes away what its hint told of, and changes nothing else."""

from collections import Counter

import pytest
from chat_templates import TEMPLATES, chat_here
from conftest import SHARED

import guiapp
from guiapp.analysis.chat.fixes import apply_fix
from guiapp.analysis.chat.hints import hints

USER, ASSISTANT = {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}
OF_ASSISTANTS = "('<|im_end|>' if m['role'] == 'assistant' else '')"


def looped(template):
    return template.replace("«", "{% for m in messages %}").replace("»", "{% endfor %}")


def fixed(chat, code):
    """The template as the first hint of a kind mends it."""
    (hint, *_) = (hint for hint in hints(chat) if hint.code == code)
    return apply_fix(chat.settings, chat.template, hint.fix).template


@pytest.mark.parametrize(
    ("code", "before", "after"),
    [
        ("near_miss", "«{{ m.content }}<| im_end |>\n»", "«{{ m.content }}<|im_end|>\n»"),
        (
            "near_miss",
            r"«{{ 'a\n\x41\'' + m.content + '\'<|eot_id|>\n' }}»",
            r"«{{ 'a\n\x41\'' + m.content + '\'<|im_end|>\n' }}»",
        ),
        ("near_miss", r"«{{ '\q\8<|eot_id|>\'' + m.content }}»", r"«{{ '\q\8<|im_end|>\'' + m.content }}»"),
        ("double_bos", "{{ bos_token }}\n«<s>{{ m.content }}</s>»", "{{ '' }}\n«<s>{{ m.content }}</s>»"),
        ("double_bos", "«{{ bos_token + '<s>' + m.content }}»", "«{{ '' + '<s>' + m.content }}»"),
        ("double_bos", "\r\n<s>{{ '<s>' }}«{{ m.content }}»", "\n{{ '<s>' }}«{{ m.content }}»"),
        ("trailing_blank", "«{{ m.content }}»{{ 'to:  ' }}", "«{{ m.content }}»{{ 'to:' }}"),
        ("added_blank", "«[ {{ m.content }}]»", "«[{{ m.content }}]»"),
        ("added_blank", "«{{ '[' + m.content + '  ]' }}»", "«{{ '[' + m.content + ']' }}»"),
        (
            "missing_eos",
            "«{{ m.role + ':' + m['content'] | trim + '\n' }}»",
            f"«{{{{ m.role + ':' + m['content'] | trim ~ {OF_ASSISTANTS} + '\n' }}}}»",
        ),
        (
            "missing_eos",
            "«{% if m.role == 'user' %}{{ m.content }}{% else %}{{ m.content }}{% endif %}»",
            "«{% if m.role == 'user' %}{{ m.content }}{% else %}{{ m.content ~ '<|im_end|>' }}{% endif %}»",
        ),
        (
            "missing_eos",
            "«{% set text = m.content %}{{ '<' + text + '>' }}»",
            f"«{{% set text = m.content %}}{{{{ '<' + text ~ {OF_ASSISTANTS} + '>' }}}}»",
        ),
        (
            "missing_eos",
            "«{% set text = m.content %}{{ text }}\n»",
            f"«{{% set text = m.content %}}{{{{ text ~ {OF_ASSISTANTS} }}}}\n»",
        ),
        ("missing_eos", "«{{ m.content }}<| im_end |>\n»", "«{{ m.content }}<|im_end|>\n»"),
        ("eog_gap", "«{{ m.content }}.<|eot_id|><|im_start|>»", "«{{ m.content }}.<|im_end|><|im_start|>»"),
        (
            "eog_gap",
            "«{{ m.content }}<|im_start|>»",
            f"«{{{{ m.content ~ {OF_ASSISTANTS} }}}}<|im_start|>»",
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:.*invalid escape")  # of what jinja2 reads strings with
def test_a_template_is_fixed_where_it_wrote_the_wrong_text(code, before, after):
    tokenizer = guiapp.open_model("demo:spm" if "bos" in code else "demo:bpe")
    messages, (before, after) = [USER, ASSISTANT, USER], map(looped, (before, after))
    chat = chat_here(tokenizer, before, messages, add_special=False)
    assert fixed(chat, code) == after
    again = chat_here(tokenizer, after, messages, add_special=False)
    assert code not in [hint.code for hint in hints(again)]


@pytest.mark.parametrize(
    "template",
    [
        "«{{ '%s <|eot_id|>' % m.content }}»",
        "«{{ m.content }}{{ ' <|eot_id|>' | trim }}»",
        "«{{ m.content }}{{ '<|eot' '_id|>' }}»",
        "«{% set text = [m.content] %}{{ text }}»",
        "«{{ m.content }}{{ '<|eot_' + 'id|>' }}»",
        "«{ {{ m.content }}»",
        "«{{ m.content }}{% if true %} \n{% endif %}»",
        "«{{ m.content }}»\n ",
    ],
)
def test_what_is_not_just_written_is_left_alone(template):
    chat = chat_here(guiapp.open_model("demo:bpe"), looped(template), [USER])
    assert all(hint.fix is None for hint in hints(chat))


@pytest.mark.parametrize("construct", TEMPLATES)
def test_whatever_the_template_its_fixes_do_what_they_promise(construct):
    tokenizer, messages = guiapp.open_model("demo:bpe"), [USER, ASSISTANT, USER]
    chat = chat_here(tokenizer, TEMPLATES[construct], messages)
    before = Counter((hint.code, hint.what) for hint in hints(chat))
    for hint in hints(chat):
        if hint.fix is not None and hint.fix.template is not None:
            settings = apply_fix(chat.settings, chat.template, hint.fix)
            again = chat_here(tokenizer, settings.template, messages)
            after = Counter((hint.code, hint.what) for hint in hints(again))
            assert again.text != chat.text
            assert (hint.code, hint.what) not in after or hint.code == "added_blank"  # of the same line
            assert not after - before


@pytest.mark.slow
@pytest.mark.real_vocabs
def test_public_templates_get_ends_of_turns_that_they_render():
    tokenizer, codes, n_fixed = guiapp.open_model("demo:bpe"), ("missing_eos", "eog_gap"), 0
    for file in sorted((SHARED / "templates").rglob("*.jinja")):
        try:
            chat = chat_here(tokenizer, file.read_text(), [USER, ASSISTANT])
        except KeyError:  # it refuses these messages
            continue
        for hint in hints(chat):
            if hint.code in codes and hint.fix is not None:
                settings = apply_fix(chat.settings, chat.template, hint.fix)
                again = hints(chat_here(tokenizer, settings.template, [USER, ASSISTANT]))
                assert (hint.code, hint.what) not in [(each.code, each.what) for each in again], file
                n_fixed += 1
    assert n_fixed > 30
