"""The process that runs a chat template: a program from a stranger, who may want more than to write a prompt.

Reads a JSON object {"template", "messages", "tools", "variables", "add_generation_prompt"} on standard input.
Writes lines of JSON: {"text", "elapsed_ns", "generated"} or {"error", "line"}, and behind a text
{"runs", "lines"}: where it is from, each a Run, and how often each line of the template ran; then
{"prompt_start"}.  The system ends what takes too long or too much.  See CVE-2024-34359 for what happens
without a sandbox.
"""

from __future__ import annotations

import contextlib
import encodings.unicode_escape  # noqa: F401  # now, as no file can be opened later; so all with this sign
import html  # noqa: F401
import json
import random
import sys
import textwrap  # noqa: F401
import time
from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Any

import jinja2.constants
import jinja2.debug  # noqa: F401
from jinja2.exceptions import SecurityError, TemplateSyntaxError

from guiapp.analysis.chat.traced import CONTENT, TEMPLATE, CharacterOrigin, Origins, Traced
from guiapp.analysis.chat.tracing import ChatEnvironment, OutputTooLongError, RefusedError, TracingEnvironment

SECONDS = 1.4  # with the time until a process is ready, less than 2
MOST_BYTES, MOST_WRITTEN = 200_000_000, 64_000_000
MOST_CHARACTERS, MOST_RUNS = 4 << 20, 100_000
MOST_OWN = 1 << 18  # characters of a template's own; public ones write at most some 20,000
MOST_COPIES = 4  # how often it may write what it is given, such as once more with indentation
ROLE = "role"


def main() -> None:
    request = json.loads(sys.stdin.buffer.read())
    now = datetime.now()
    _limit()
    answer = _rendered(request, now)
    _write(answer)
    if "text" in answer:
        for more in (_traced, _prompt_start):
            with contextlib.suppress(Exception):  # then origins are unknown, and that is told
                _write(more(request, now, answer["text"]))


def _rendered(request: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    started_ns = time.perf_counter_ns()
    try:
        random.seed(0)
        environment = ChatEnvironment(now)
        given = _given(request, request)
        limit = min(MOST_OWN + MOST_COPIES * len(json.dumps(given)), MOST_CHARACTERS)
        text = environment.rendered(request["template"], given, limit)
        text.encode()  # fails for halves of characters, which JSON would put together
    except MemoryError:
        return {"error": "takes too much memory"}
    except Exception as error:
        return {"error": _reason(error) + _in_parts(error, request["messages"]), "line": _line(error)}
    elapsed_ns = time.perf_counter_ns() - started_ns
    return {"text": text, "elapsed_ns": elapsed_ns, "generated": environment.generated}


def _given(request: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """What a template is given, as `transformers` names it."""
    return {
        "messages": entries["messages"],
        "tools": entries["tools"],
        "documents": None,
        "add_generation_prompt": request["add_generation_prompt"],
        **entries["variables"],
    }


def _traced(request: Mapping[str, Any], now: datetime, expected: str) -> dict[str, Any]:
    origins = Origins()
    entries = {
        "messages": [_entries(each, origins, row, "") for row, each in enumerate(request["messages"])],
        "tools": _entries(request["tools"], origins, None, "tools"),
        "variables": {
            name: origins.entry(value, CharacterOrigin(TEMPLATE, None, name))
            if isinstance(value, str)
            else value
            for name, value in request["variables"].items()
        },
    }
    random.seed(0)
    environment = TracingEnvironment(now, origins, entries["messages"])
    text = environment.compiled(request["template"]).render(_given(request, entries))
    if text != expected or not isinstance(text, Traced):
        return {}
    runs = [[run.start, *run.origin, run.offset] for run in islice(origins.runs(text), MOST_RUNS + 1)]
    lines = environment.line_counts(request["template"])
    return {} if len(runs) > MOST_RUNS else {"runs": runs, "lines": lines}


def _prompt_start(request: Mapping[str, Any], now: datetime, text: str) -> dict[str, Any]:
    """Where what the template writes without a generation prompt ends, if that begins the text."""
    if not request["add_generation_prompt"]:
        return {}
    shorter = _rendered({**request, "add_generation_prompt": False}, now)["text"]
    return {"prompt_start": len(shorter)} if text.startswith(shorter) else {}


def _entries(value: Any, origins: Origins, message: int | None, field: str) -> Any:
    """The same, with the texts of a message Traced; what it is called and its role are not its content."""
    if isinstance(value, str):
        kind = TEMPLATE if field in ("", ROLE) else CONTENT
        return origins.entry(value, CharacterOrigin(kind, message, field))
    if isinstance(value, list):
        return [_entries(each, origins, message, f"{field}[{row}]") for row, each in enumerate(value)]
    if isinstance(value, dict):
        inner = f"{field}." if field else ""
        return {
            _entries(key, origins, message, field): _entries(each, origins, message, inner + key)
            for key, each in value.items()
        }
    return value


def _reason(error: Exception) -> str:
    """What became of the template, as the end of a sentence that begins with it."""
    line = _line(error)
    where = f" in line {line}" if line else ""
    said = str(error) or type(error).__name__
    if isinstance(error, OutputTooLongError):
        return said
    if isinstance(error, RefusedError):
        return f"refuses these messages: {said}"
    if isinstance(error, TemplateSyntaxError):
        return f"has a syntax error{where}: {said}"
    if isinstance(error, SecurityError):
        return f"was stopped{where} by the sandbox: {said}"
    if isinstance(error, RecursionError):
        return f"is nested too deeply or recurses without end{where}"
    return f"fails{where}: {said}"


def _in_parts(error: Exception, messages: list[dict[str, Any]]) -> str:
    """Which content is no text, for a template that fails at a list."""
    if not (isinstance(error, TypeError) and '"list"' in str(error)):
        return ""
    rows = (row for row, each in enumerate(messages, 1) if isinstance(each.get("content"), list))
    return next((f"; the content of message {row} is a list of parts" for row in rows), "")


def _line(error: Exception) -> int:
    """The line of the template where an error comes from; 0 is unknown."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _limit() -> None:
    """From now on this process ends when it takes too much; it has no files but those it was started with.

    Windows has no such limits: there only who started it looks at the clock.
    """
    if sys.platform != "win32":
        import resource
        import signal

        def limit(what: int, most: int) -> None:
            resource.setrlimit(what, (most, most))

        limit(resource.RLIMIT_AS, MOST_BYTES)
        limit(resource.RLIMIT_FSIZE, MOST_WRITTEN)
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_NOFILE, 3)
        limit(resource.RLIMIT_NPROC, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)


def _write(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
