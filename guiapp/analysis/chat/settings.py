"""How a conversation becomes tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EMPTY_COMMENT = "{# +#}"  # adds nothing to what is rendered, and its plus keeps a newline behind it


def is_text(template: str) -> bool:
    """Whether a template is given as its text, rather than by a name or a file."""
    return any(mark in template for mark in ("{{", "{%", "{#"))


def marked_as_text(template: str) -> str:
    """A template's text so that `is_text` knows it for one, also where it is nothing but words."""
    return template if is_text(template) else EMPTY_COMMENT + template


@dataclass(frozen=True)
class ChatSettings:
    """What people choose besides messages and tools.

    template               a name of one of the model's, a file, or a text; None is what `transformers` takes
    add_generation_prompt  whether a turn of the assistant is begun at the end
    add_special            whether the tokenizer puts its BOS, EOS and the like around the text
    as_text                whether content stays text where it looks like a control token
    variables              what the template is given besides, such as `enable_thinking`
    """

    template: str | None = None
    add_generation_prompt: bool = True
    add_special: bool = True
    as_text: bool = False
    variables: Mapping[str, object] = field(default_factory=dict)
