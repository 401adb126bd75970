"""Chat templates: those in a model's files, their rendering, and the markers of turns."""

from __future__ import annotations

import json
import re
import sys
from collections import ChainMap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from os.path import isfile
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.analysis.chat.messages import (
    Conversation,
    arguments_as_object,
    arguments_as_text,
    is_text,
    with_arguments,
    with_reasoning,
)
from guiapp.analysis.chat.traced import CHANGED, CharacterOrigin, OriginRun
from guiapp.analysis.chat.written_turns import MARKER, WrittenTurn
from guiapp.core.formats.tokenizer_config import CONFIG, TEMPLATE, name_before
from guiapp.core.processes import ApartError, PersistentProcesses
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import ChatError
from guiapp.native.checkpoint import stoppable

ENDS = (
    "<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|end_of_text|>",
    "</s>", "<turn|>", "<｜end▁of▁sentence｜>", "<|eom_id|>", "<|return|>", "<|END_OF_TURN_TOKEN|>",
    "<end_of_utterance>",
)  # fmt: skip
BEGINNINGS = (
    "<|im_start|>", "<|start_header_id|>", "<|end_header_id|>", "<start_of_turn>",
    "<|begin_of_text|>", "<s>", "[INST]", "[/INST]", "<|system|>", "<|user|>", "<|assistant|>",
    "<|start|>", "<|turn>", "<|START_OF_TURN_TOKEN|>", "<｜begin▁of▁sentence｜>",
)  # fmt: skip
KNOWN_MARKERS = frozenset(ENDS + BEGINNINGS)
ANY_MARKER = re.compile(rf"{MARKER.pattern}|<\|turn>|<turn\|>")
MOST_NAMES = 8  # sets of special tokens whose spellings are cached
ENDS_BY_LOOK = frozenset(
    (
        *("eot", "eos", "eom", "eod", "eoa", "eot_id", "eom_id", "im_end", "end", "return", "endoftext"),
        *("end_of_text", "end_of_turn", "end_of_turn_token", "end_of_sentence", "end_of_message"),
        *("end_of_utterance", "end_of_document", "turn_end"),
    )
)
BRACKETS = "<>|[]_/ "
DIGIT = re.compile(r"\d")  # no end of turn has one; most of the many special tokens have
LONGEST_TEMPLATE = 1 << 20  # characters
LONGEST_REASON = 300
EACH_S, MOST_ENDED = 12.0, 8  # time for each conversation of a batch; how many may end the process
PATIENCE_S = 10.0  # to start a process on a busy machine; the template itself has 2 s
SANDBOXES = PersistentProcesses("guiapp.analysis.chat.sandbox")
OUT_OF_TIME = (-14, -9)  # SIGALRM, or SIGKILL if that did not end it
NOT_TRIED = (
    "Not rendered: the template took too long, or too much memory, for several records before this one."
)
TOO_LONG = "The template takes too long."
TOO_MUCH = "The template takes too much memory or crashes."
DEFAULT, WITH_TOOLS = "default", "tool_use"
KEY = "chat_template"
GGUF_KEY = "tokenizer.chat_template"
JSON, FOLDER = "chat_template.json", "additional_chat_templates"
GIVEN, AS_GIVEN = "given", "as given"  # name and source of a template given as text
MOST_TEMPLATES = 100
CHATML = """\
{%- for message in messages %}
  {{- '<|im_start|>' + message.role + '\\n' }}
  {{- message.content }}
  {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
  {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""
CHARACTER = re.compile(
    r"\\(?:[0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|N\{[^}]*\}|[\\'\"abfnrtv\n])|.", re.DOTALL
)  # of a quoted string; before any other character, a backslash is literal
ENDS_OF_LINES = re.compile("\r\n?")


@dataclass(frozen=True)
class ChatTemplate:
    """A template of a model, from a file, or given as text.

    name    to choose it by: `default`, `tool_use` …
    text    in jinja's language
    source  the key or file that contains it
    """

    name: str
    text: str
    source: str

    @cached_property
    def source_text(self) -> str:
        """The text with LF for all ends of lines, as jinja counts lines."""
        return ENDS_OF_LINES.sub("\n", self.text)

    def string_at(self, offset: int) -> tuple[str, list[int]]:
        """The value of a quoted string, and the offsets of its characters and its end in `source_text`.

        ("", [offset + 1]) if no string begins there.
        """
        source, at = self.source_text, offset + 1
        quote, content, offsets = source[offset:at], list[str](), [at]
        if quote not in ("'", '"'):
            return "", offsets
        while (result := CHARACTER.match(source, at)) and result[0] != quote:
            at, character = result.end(), result[0]
            try:
                if len(character) > 1:
                    character = character.encode("ascii", "backslashreplace").decode("unicode-escape")
            except UnicodeDecodeError:
                break
            content += character
            offsets[len(content) :] = [at]
        return "".join(content), offsets


def templates_of(vocabulary: Vocabulary) -> tuple[ChatTemplate, ...]:
    """All templates of a model, the default first; empty for a model without chat.

    Templates in the model's own file come before sidecar files; in a folder in Hugging Face's form, template
    files come before tokenizer_config.json, as in `transformers`.
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
    """Templates in sidecar files of a model; for X.tokenizer.json, only in files that begin with `X.`."""
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
    """The template that a file consists of, or the templates in the entry of a JSON file."""
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
    """The templates of an entry `chat_template`: one text, or a list with names."""
    if isinstance(content, str):
        yield ChatTemplate(DEFAULT, content, source)
    elif isinstance(content, list):
        for each in content:
            if isinstance(each, dict) and isinstance(each.get("template"), str):
                yield ChatTemplate(str(each.get("name", DEFAULT)), each["template"], source)


def chosen_template(vocabulary: Vocabulary, has_tools: bool, given: str | Path | None = None) -> ChatTemplate:
    """The template to use: by name, from a file, or as text; by default the one that `transformers` takes.

    Raises ChatError if there is none.
    """
    if isinstance(given, str) and is_text(given):
        return ChatTemplate(GIVEN, given, AS_GIVEN)
    templates = {template.name: template for template in templates_of(vocabulary)}
    if given is None:
        name = WITH_TOOLS if has_tools and WITH_TOOLS in templates else next(iter(templates), None)
        if name is None:
            raise ChatError("This model has no chat template. Choose a template file.")
        return templates[name]
    if str(given) in templates:
        return templates[str(given)]
    file = Path(given)
    if isfile(file):
        if (template := next(_in_file(file), None)) is None:
            raise ChatError(f"{quoted(file.name)} has no chat template.")
        return template
    names = f"Templates: {', '.join(map(quoted, templates))}." if templates else "The model has no templates."
    raise ChatError(f"“{quoted(str(given))}” is neither a template of this model nor a file. {names}")


def special_texts(vocabulary: Vocabulary) -> dict[str, str]:
    """The texts that templates receive as `bos_token`, `eos_token` and so on."""
    ids = vocabulary.special_ids
    roles = {"bos": ids.bos, "eos": ids.eos, "unk": ids.unk, "sep": ids.sep, "pad": ids.pad, "mask": ids.mask}
    return {
        f"{role}_token": vocabulary.raw_text(token_id).decode("utf-8", "replace")
        for role, token_id in roles.items()
        if token_id is not None and token_id < len(vocabulary)
    }


# The text that a chat template makes of messages, rendered by a sandboxed process


@dataclass(frozen=True)
class Rendering:
    """The result of a template.

    text        of the whole prompt
    runs        by origin, in order; they tile the text
    lines       how often each line of the template ran, None for lines with nothing to run; () if unknown
    elapsed_ns  of compiling and running the template, without starting the process
    generated   character ranges in `generation` blocks, which the assistant writes; as in `transformers`
    prompt_start  the character where the generation prompt begins; None if the text does not end with one
    """

    text: str
    runs: tuple[OriginRun, ...]
    lines: tuple[int | None, ...]
    elapsed_ns: int
    generated: tuple[tuple[int, int], ...] = ()
    prompt_start: int | None = None


def render(
    template: str,
    conversation: Conversation,
    add_generation_prompt: bool = True,
    variables: Mapping[str, object] = {},
    checkpoint: Callable[[], None] = lambda: None,
) -> Rendering:
    """Run a template with at most 2 s, 200 MB and a multiple of its input as output.  Raises ChatError.

    variables   that it also receives, such as `bos_token` or `enable_thinking`
    checkpoint  called repeatedly; an exception from it ends the process
    """
    if taken := {"messages", "tools", "add_generation_prompt"}.intersection(variables):
        raise ChatError(f"“{min(taken)}” cannot be set as a variable: the template always receives it.")
    if len(template) > LONGEST_TEMPLATE:
        raise ChatError(f"The template is longer than {LONGEST_TEMPLATE:,} characters.")
    request = {
        "template": template,
        "messages": [with_reasoning(message) for message in conversation.messages],
        "tools": conversation.tools,
        "variables": variables,
        "add_generation_prompt": add_generation_prompt,
    }
    first, *others = _answers(request, checkpoint)
    if "error" in first:
        reason = quoted(first["error"], LONGEST_REASON).rstrip(".")
        raise ChatError(f"The template {reason}.{_advice(request, checkpoint)}", first.get("line", 0))
    text, more = first["text"], ChainMap(*others)
    runs = tuple(OriginRun(row[0], CharacterOrigin(*row[1:-1]), row[-1]) for row in more.get("runs", ()))
    if not runs and text:
        runs = (OriginRun(0, CharacterOrigin(CHANGED), 0),)
    lines, generated = tuple(more.get("lines", ())), tuple(map(tuple, first["generated"]))
    return Rendering(text, runs, lines, first["elapsed_ns"], generated, more.get("prompt_start"))


def generation_header(template: str, variables: Mapping[str, object]) -> str:
    """The text that the generation prompt adds to a user's message; "" if the template fails or adds none."""
    asked = Conversation(({"role": "user", "content": "Hi"},))
    with suppress(ChatError):
        prompt, text = (render(template, asked, adds, variables).text for adds in (True, False))
        for shorter in (text, text.removesuffix(str(variables.get("eos_token", "")))):
            if prompt.startswith(shorter):
                return prompt[len(shorter) :]
    return ""


def _advice(request: dict[str, Any], checkpoint: Callable[[], None]) -> str:
    """Advice if a template fails only because of the form of the arguments of tool calls; else ""."""
    given = request["messages"]
    forms = {"objects, not as text": arguments_as_object, "JSON text, not as objects": arguments_as_text}
    for form, change in forms.items():
        changed = [with_arguments(message, change) for message in given]
        number = next((n for n, message in enumerate(given, 1) if message != changed[n - 1]), 0)
        with suppress(ChatError):
            if number and "text" in _answers({**request, "messages": changed}, checkpoint)[0]:
                return f" It expects arguments of tool calls as {form}: change those of message {number}."
    return ""


def _answers(given: dict[str, Any], checkpoint: Callable[[], None]) -> list[dict[str, Any]]:
    status, *lines = _asked(given["template"], json.dumps(given), checkpoint, PATIENCE_S)
    if lines:
        return [json.loads(line) for line in lines]
    raise ChatError(_ended(status))


def _asked(template: str, given: str, checkpoint: Callable[[], None], longest_s: float) -> list[bytes]:
    """The exit status of the process, empty if it is alive, and its answers."""
    request = sha256(template.encode("utf-8", "surrogatepass")).digest() + given.encode()
    try:
        answer = SANDBOXES.answer(request, lambda _: checkpoint(), longest_s)
    except OSError as error:
        if isinstance(error, TimeoutError):
            raise ChatError(TOO_LONG) from error
        raise ChatError(f"The template cannot be run: {error.strerror}.") from error
    except ApartError as error:
        raise ChatError(TOO_MUCH) from error
    return answer.split(b"\n")


def _ended(status: bytes) -> str:
    return TOO_LONG if int(status) in OUT_OF_TIME else TOO_MUCH


# Many conversations at once, without origins


class BatchRendering(NamedTuple):
    """The text of a conversation in a batch, or an error.

    generated  as in Rendering
    turns      of the assistant, if requested
    error      a sentence, or ""; `line`: of the template that raised it, 0 if unknown
    """

    text: str = ""
    generated: tuple[tuple[int, int], ...] = ()
    turns: tuple[WrittenTurn, ...] = ()
    error: str = ""
    line: int = 0


def render_batch(
    template: str,
    conversations: Sequence[tuple[Conversation, int]],
    variables: Mapping[str, object],
    with_turns: bool,
    header: str = "",
    checkpoint: Callable[[], None] = lambda: None,
) -> list[BatchRendering]:
    """Run a template for each of many conversations, without generation prompt; limits as for `render`.

    conversations  each with the index of the first message whose turn is wanted
    with_turns     whether to locate the assistant's turns
    header         the template's `generation_header`, which helps to locate them
    If one fails or takes too long, the others are still rendered; but after MOST_ENDED that ended the
    process, the remaining ones are not tried.
    """
    if len(template) > LONGEST_TEMPLATE:
        raise ChatError(f"The template is longer than {LONGEST_TEMPLATE:,} characters.")
    rows = [
        json.dumps(
            {
                "messages": list(map(with_reasoning, conversation.messages)),
                "tools": conversation.tools,
                "first": first,
            }
        )
        for conversation, first in conversations
    ]
    more = {"template": template, "variables": dict(variables), "turns": with_turns, "header": header}
    result, n_ended = list[BatchRendering](), 0
    while len(result) < len(rows):
        left = rows[len(result) :]
        if n_ended == MOST_ENDED:
            return result + [BatchRendering(error=NOT_TRIED)] * len(left)
        more["sizes"] = list(map(len, left))
        request = f'{{"batch": [{", ".join(left)}], {json.dumps(more)[1:]}'
        status, *lines = _asked(template, request, checkpoint, PATIENCE_S + EACH_S * len(left))
        result += [_of_batch(json.loads(line)) for line in lines[: len(left)]]
        if len(lines) < len(left):
            n_ended += 1
            result.append(BatchRendering(error=_ended(status or b"0")))
    return result


def _of_batch(answer: dict[str, Any]) -> BatchRendering:
    if "error" in answer:
        reason = quoted(answer["error"], LONGEST_REASON).rstrip(".")
        return BatchRendering(error=f"The template {reason}.", line=answer.get("line", 0))
    turns = tuple(WrittenTurn(*turn) for turn in answer.get("turns", ()))
    return BatchRendering(answer["text"], tuple(map(tuple, answer["generated"])), turns)


# The markers of turns, in templates, in texts and as names of tokens


def confusable_key(name: str) -> str:
    """A key that is equal for names which look the same to a reader."""
    return "".join(name.split()).replace("｜", "|").replace("▁", "_").lower()


def markers_as_text(
    special_texts: Collection[str], text: str, start: int = 0, end: int = sys.maxsize
) -> Iterator[tuple[re.Match[str], str]]:
    """Markers that are no special tokens, each with the special token that it looks like, or ""."""
    names = frozenset(special_texts)
    by_key = _by_confusable_key(names)
    for marker in stoppable(ANY_MARKER.finditer(text, start, end)):
        if marker[0] not in names:
            yield marker, by_key.get(confusable_key(marker[0]), "")


@lru_cache(MOST_NAMES)
def _by_confusable_key(names: frozenset[str]) -> dict[str, str]:
    """Special tokens by key, cached for many short texts."""
    return {confusable_key(name): name for name in names}


def near_misses(
    special_texts: Collection[str], text: str, start: int = 0, end: int = sys.maxsize
) -> Iterator[tuple[re.Match[str], str]]:
    """`markers_as_text` without tags that no known model has, such as HTML tags."""
    for marker, meant in markers_as_text(special_texts, text, start, end):
        if meant or marker[0] in KNOWN_MARKERS:
            yield marker, meant


def resembles_end(name: str) -> bool:
    """Whether the name of a token looks like the end of a turn."""
    return not DIGIT.search(name) and confusable_key(name).strip(BRACKETS) in ENDS_BY_LOOK
