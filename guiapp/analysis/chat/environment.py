"""Templates as `transformers` runs them: jinja2's sandbox for constants, with what it adds and forbids.

Source: transformers 5.24, utils/chat_template_utils.py, and jinja2 3.1.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from jinja2 import nodes
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace


class RefusedError(TemplateError):
    """What a template raises by `raise_exception`."""


class OutputTooLongError(TemplateError):
    """A template writes more than it may."""


class Generation(Extension):
    """`{% generation %}`: a block of what the model is to write, which prints what is in it."""

    environment: ChatEnvironment
    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_written"), [], [], body).set_lineno(line)

    def _written(self, caller: Macro) -> str:
        text, start = caller(), self.environment.n_written
        self.environment.generated.append((start, start + len(text)))
        return text


class OwnNamespace(Namespace):
    """Without entries that begin with an underscore."""

    def __init__(*args: Any, **entries: Any) -> None:  # an entry may be called `self`
        self, *given = args
        for name in dict(*given, **entries):
            _check_name(name)
        Namespace.__init__(self, *given, **entries)

    def __setitem__(self, name: str, value: Any) -> None:
        _check_name(name)
        super().__setitem__(name, value)


def _check_name(name: object) -> None:
    if isinstance(name, str) and name.startswith("_"):
        raise SecurityError(f"{name!r} is no name for an entry of a namespace")


class MakesDicts:
    """`dict` without the attributes of the class."""

    def __call__(self, *given: Any, **entries: Any) -> dict[Any, Any]:
        return dict(*given, **entries)

    def fromkeys(self, *given: Any) -> dict[Any, Any]:
        return dict.fromkeys(*given)


def tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as it stands; jinja2's own filter escapes it for web pages."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def raise_exception(message: str) -> None:
    raise RefusedError(message)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """What compiles chat templates; `now` is the time that they are told.

    n_written  characters so far, and of which `generated` ones are in generation blocks: starts and ends, as
               `transformers` counts them, which is wrong for a block within a macro or a set
    """

    def __init__(self, now: datetime, optimized: bool = True) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, optimized=optimized, extensions=[Generation, loopcontrols]
        )
        self.filters["tojson"] = tojson
        self.globals |= {
            "raise_exception": raise_exception,
            "strftime_now": now.strftime,
            "dict": MakesDicts(),
            "namespace": OwnNamespace,
        }
        self.n_written, self.generated = 0, list[tuple[int, int]]()

    def rendered(self, source: str, given: dict[str, Any], limit: int) -> str:
        """Raises TooLongError as soon as the text has more characters than the limit."""
        parts = []
        for part in self.from_string(source).generate(given):
            parts.append(part)
            self.n_written += len(part)
            if self.n_written > limit:
                what = f"writes more than {limit:,} characters, far more than the messages have"
                raise OutputTooLongError(f"{what}: choose another one")
        return "".join(parts)
