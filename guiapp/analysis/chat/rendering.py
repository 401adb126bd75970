"""The text that a chat template makes of messages, rendered by a process that has no means to do harm."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import ChainMap
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Any

from guiapp.analysis.chat.messages import (
    Conversation,
    arguments_as_object,
    arguments_as_text,
    with_arguments,
    with_reasoning,
)
from guiapp.analysis.chat.traced import CHANGED, CharacterOrigin, OriginRun
from guiapp.core.processes import TICK_S, command_of, environment
from guiapp.core.text.figures import quoted
from guiapp.errors import ChatError

LONGEST_TEMPLATE = 1 << 20  # characters
LONGEST_REASON = 300
PATIENCE_S = 10.0  # for a process that has to start on a busy machine; the template itself has 2 s


@dataclass(frozen=True)
class Rendering:
    """What a template made of messages.

    text        of the whole prompt
    runs        its stretches by origin, in order; together they are the whole
    lines       how often each line of the template ran, None for those with nothing to run; () if unknown
    elapsed_ns  of compiling and running the template, without starting the process
    generated   characters that are in `generation` blocks, which the assistant writes; as in `transformers`
    prompt_start  the character where the generation prompt begins; None where it is no end of the text
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
    """Run a template, within 2 s, 200 MB and a multiple of what it is given.  Raises ChatError.

    variables   what it is given besides, such as `bos_token`, or `enable_thinking`
    checkpoint  called again and again; what it raises ends the process
    """
    if taken := {"messages", "tools", "add_generation_prompt"}.intersection(variables):
        raise ChatError(f"{min(taken)} is no variable: it is given to the template by itself.")
    if len(template) > LONGEST_TEMPLATE:
        raise ChatError(f"The template is longer than {LONGEST_TEMPLATE:,} characters.")
    request = {
        "template": template,
        "messages": [with_reasoning(message) for message in conversation.messages],
        "tools": conversation.tools,
        "variables": variables,
        "add_generation_prompt": add_generation_prompt,
    }
    first, *others = _answers(json.dumps(request).encode(), checkpoint)
    if "error" in first:
        reason = quoted(first["error"], LONGEST_REASON).rstrip(".")
        raise ChatError(f"The template {reason}.{_advice(request, checkpoint)}", first.get("line", 0))
    text, more = first["text"], ChainMap(*others)
    runs = tuple(OriginRun(row[0], CharacterOrigin(*row[1:-1]), row[-1]) for row in more.get("runs", ()))
    if not runs and text:
        runs = (OriginRun(0, CharacterOrigin(CHANGED), 0),)
    lines, generated = tuple(more.get("lines", ())), tuple(map(tuple, first["generated"]))
    return Rendering(text, runs, lines, first["elapsed_ns"], generated, more.get("prompt_start"))


def _advice(request: dict[str, Any], checkpoint: Callable[[], None]) -> str:
    """What helps a template that fails only for the form that arguments of tool calls have."""
    given = request["messages"]
    forms = {"objects, not as text": arguments_as_object, "JSON in a text, not as objects": arguments_as_text}
    for form, change in forms.items():
        changed = [with_arguments(message, change) for message in given]
        number = next((n for n, message in enumerate(given, 1) if message != changed[n - 1]), 0)
        with suppress(ChatError):
            if (
                number
                and "text" in _answers(json.dumps({**request, "messages": changed}).encode(), checkpoint)[0]
            ):
                return f" It takes the arguments of tool calls as {form}: change those of message {number}."
    return ""


def _answers(request: bytes, checkpoint: Callable[[], None]) -> list[dict[str, Any]]:
    try:  # the system lets no file grow without end
        with TemporaryFile() as asked, TemporaryFile() as answered:
            asked.write(request)
            asked.seek(0)
            status = _status(asked, answered, checkpoint)
            answered.seek(0)
            lines = answered.read().split(b"\n")[:-1]
    except OSError as error:
        raise ChatError(f"There is no means to run the template: {error.strerror}.") from error
    if lines:
        return [json.loads(line) for line in lines]
    if status is None or (sys.platform != "win32" and status == -signal.SIGALRM):
        raise ChatError("The template takes more time than it may.")
    raise ChatError("The template takes more memory than it may, or breaks the process that runs it.")


def _status(asked: IO[bytes], answered: IO[bytes], checkpoint: Callable[[], None]) -> int | None:
    """The exit status of a process that is given these files; None where it had to be ended."""
    deadline = time.monotonic() + PATIENCE_S
    process = subprocess.Popen(
        command_of("guiapp.analysis.chat.sandbox"),
        stdin=asked,
        stdout=answered,
        stderr=subprocess.DEVNULL,
        env=environment(),
        start_new_session=True,
    )
    try:
        while time.monotonic() < deadline:
            checkpoint()
            try:
                return process.wait(TICK_S)
            except subprocess.TimeoutExpired:
                continue
        return None
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it may have started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
