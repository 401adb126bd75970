"""The chat templates that a model's files hold, by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from os.path import isfile
from pathlib import Path
from typing import Any

from guiapp.analysis.chat.rendering import LONGEST_TEMPLATE
from guiapp.analysis.chat.settings import is_text
from guiapp.core.formats.tokenizer_config import CONFIG, TEMPLATE, name_before
from guiapp.core.text.figures import quoted
from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import ChatError

DEFAULT, WITH_TOOLS = "default", "tool_use"
KEY = "chat_template"
GGUF_KEY = "tokenizer.chat_template"
JSON, FOLDER = "chat_template.json", "additional_chat_templates"
GIVEN, AS_GIVEN = "given", "as given"  # name and source of one that is its text
MOST_TEMPLATES = 100
CHARACTER = re.compile(
    r"\\(?:[0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|N\{[^}]*\}|[\\'\"abfnrtv\n])|.", re.DOTALL
)  # of a string in quotes; a backslash before anything else stands for itself
ENDS_OF_LINES = re.compile("\r\n?")


@dataclass(frozen=True)
class ChatTemplate:
    """A template.

    name    what it is chosen by: `default`, `tool_use` …
    text    in jinja's language
    source  the key or the file that holds it
    """

    name: str
    text: str
    source: str

    @cached_property
    def source_text(self) -> str:
        """With the ends of lines that jinja counts by."""
        return ENDS_OF_LINES.sub("\n", self.text)

    def string_at(self, place: int) -> tuple[str, list[int]]:
        """What a string in quotes says, and where its characters are in `source_text`, and the last ends."""
        if (result := self._strings.get(place)) is None:
            result = self._strings[place] = _unquoted(self.source_text, place)
        return result

    @cached_property
    def _strings(self) -> dict[int, tuple[str, list[int]]]:
        return {}


def _unquoted(source: str, place: int) -> tuple[str, list[int]]:
    """See `string_at`; nothing where there is no string."""
    quote, at = source[place : place + 1], place + 1
    content, places = list[str](), [at]
    if quote not in ("'", '"'):
        return "", places
    while (result := CHARACTER.match(source, at)) and result[0] != quote:
        at, character = result.end(), result[0]
        try:
            if len(character) > 1:
                character = character.encode("ascii", "backslashreplace").decode("unicode-escape")
        except UnicodeDecodeError:
            break
        content += character
        places[len(content) :] = [at]
    return "".join(content), places


def templates_of(vocabulary: Vocabulary) -> tuple[ChatTemplate, ...]:
    """All of a model, the one that is used by default first; none where it is for no chat.

    Those in the model's own file come before those beside it; in a folder of Hugging Face's form, files of
    templates come before tokenizer_config.json, as in `transformers`.
    """
    result: dict[str, ChatTemplate] = {}
    texts = set[tuple[str, str]]()
    for template in _in_order(vocabulary):
        if (template.name, template.text) not in texts and len(result) < MOST_TEMPLATES:
            texts.add((template.name, template.text))
            name = template.name if template.name not in result else f"{template.name}, {template.source}"
            result.setdefault(name, replace(template, name=name))
    return tuple(sorted(result.values(), key=lambda template: template.name != DEFAULT))


def _in_order(vocabulary: Vocabulary) -> Iterator[ChatTemplate]:
    content = vocabulary.metadata
    for key, value in content.items():
        name = key.removeprefix(GGUF_KEY).removeprefix(".") or DEFAULT
        if key.startswith(GGUF_KEY) and key != f"{GGUF_KEY}s" and isinstance(value, str):
            yield ChatTemplate(name, value, key)
    if vocabulary.path is not None:
        yield from _sidecar_templates(vocabulary.path)
    yield from _named(content.get(KEY), CONFIG)


def _sidecar_templates(path: Path) -> Iterator[ChatTemplate]:
    """In files by the side of a model's; of X.tokenizer.json only those that begin with X. too."""
    prefix = name_before(path) or ""
    files = [(path.with_name(prefix + TEMPLATE), DEFAULT), (path.with_name(prefix + JSON), DEFAULT)]
    if not prefix:
        more = sorted(path.with_name(FOLDER).glob("*.jinja"))[:MOST_TEMPLATES]
        files += [(each, each.stem) for each in more]
    for file, name in files:
        if isfile(file):
            for template in _in_file(file):
                yield template if template.name != DEFAULT else replace(template, name=name)


def _in_file(file: Path) -> Iterator[ChatTemplate]:
    """The template that a file is, or those that a JSON file has an entry for."""
    try:
        with file.open("rb") as opened:
            data = opened.read(4 * LONGEST_TEMPLATE + 1)
    except OSError as error:
        raise ChatError(f"{quoted(file.name)} cannot be read: {error.strerror}.") from error
    try:
        content = read_json(data)
    except ValueError:
        content = None
    if isinstance(content, dict):
        yield from _named(content.get(KEY), quoted(file.name))
    else:
        yield ChatTemplate(DEFAULT, data.decode("utf-8", "replace").replace("\r\n", "\n"), quoted(file.name))


def _named(content: Any, source: str) -> Iterator[ChatTemplate]:
    """What an entry `chat_template` says: one, or several with names."""
    if isinstance(content, str):
        yield ChatTemplate(DEFAULT, content, source)
    elif isinstance(content, list):
        for each in content:
            if isinstance(each, dict) and isinstance(each.get("template"), str):
                yield ChatTemplate(str(each.get("name", DEFAULT)), each["template"], source)


def chosen_template(vocabulary: Vocabulary, has_tools: bool, given: str | Path | None = None) -> ChatTemplate:
    """The template to use: the one of this name or in this file, or else what `transformers` would take.

    Raises ChatError where there is none.
    """
    if isinstance(given, str) and is_text(given):
        return ChatTemplate(GIVEN, given, AS_GIVEN)
    templates = {template.name: template for template in templates_of(vocabulary)}
    if given is None:
        name = WITH_TOOLS if has_tools and WITH_TOOLS in templates else next(iter(templates), None)
        if name is None:
            raise ChatError("This model has no chat template. Give the file of one.")
        return templates[name]
    if str(given) in templates:
        return templates[str(given)]
    file = Path(given)
    if isfile(file):
        if (template := next(_in_file(file), None)) is None:
            raise ChatError(f"{quoted(file.name)} has no chat template.")
        return template
    names = f"It has: {', '.join(map(quoted, templates))}." if templates else "It has none at all."
    raise ChatError(f"“{quoted(str(given))}” is no template of this model, and no file. {names}")


def special_texts(vocabulary: Vocabulary) -> dict[str, str]:
    """What templates are given as `bos_token`, `eos_token` and so on."""
    ids = vocabulary.special_ids
    roles = {"bos": ids.bos, "eos": ids.eos, "unk": ids.unk, "sep": ids.sep, "pad": ids.pad, "mask": ids.mask}
    return {
        f"{role}_token": vocabulary.raw_text(token_id).decode("utf-8", "replace")
        for role, token_id in roles.items()
        if token_id is not None and token_id < len(vocabulary)
    }
