"""The processes that run chat templates, which are untrusted programs.

The main process reads frames: HASH_BYTES of a template, and JSON {"template", "messages", "tools",
"variables", "add_generation_prompt"}.  It forks a copy of itself for each template; the system limits the
copy, which answers all prompts of its template until it fails.  An answer is the exit status if the copy
has ended, and lines of JSON: {"text", "elapsed_ns", "generated"} or {"error", "line"}; after a text
{"runs", "lines"} and {"prompt_start"}.  A batch has many conversations, each with its own limits and one
line.  For what happens without a sandbox, see CVE-2024-34359.
"""

from __future__ import annotations

import encodings.unicode_escape  # noqa: F401  # now, as no file can be opened later; so with all F401 below
import html  # noqa: F401
import json
import os
import random
import signal
import sys
import textwrap  # noqa: F401
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Any

import jinja2.constants
import jinja2.debug  # noqa: F401
from jinja2.environment import Template
from jinja2.exceptions import SecurityError, TemplateSyntaxError

from guiapp.analysis.chat.traced import CONTENT, TEMPLATE, CharacterOrigin, Origins, Traced
from guiapp.analysis.chat.tracing import ChatEnvironment, OutputTooLongError, RefusedError, TracingEnvironment
from guiapp.analysis.chat.written_turns import written_turns
from guiapp.core.processes import read_frame, write_frame

TURNS_S = 10.0  # to render all beginnings of a conversation: long ones have many
SECONDS, LATE_S = 1.4, 0.4  # with the start of a process less than 2
MOST_BYTES, MOST_WRITTEN = 200_000_000, 64_000_000
MOST_CHARACTERS, MOST_RUNS = 4 << 20, 100_000
MOST_OWN = 1 << 18  # characters of literal text; public templates write at most some 20,000
MOST_COPIES = 4  # how often a template may write its input, such as again with indentation
MOST_ALIVE = 4  # copies, each with a compiled template
MOST_GROWTH = 2  # factor of the memory of a copy
MOST_OPEN = 1 << 16
HASH_BYTES = 32
END = b""
ROLE = "role"
BATCH = b'{"batch"'  # the start of a request with many conversations


def main() -> None:
    copies = dict[bytes, _Copy]()  # by hash of the template, least recently used first
    while (request := read_frame(sys.stdin.buffer)) is not None:
        key, request = request[:HASH_BYTES], request[HASH_BYTES:]
        if not hasattr(os, "fork"):  # the caller starts this process again for the next prompt
            write_frame(sys.stdout.buffer, b"\n".join((b"", *_answers(request, RunningTemplate()))))
            return
        copy = copies.pop(key, None) or _Copy()
        status, answers = copy.answer(request)
        if status is None:
            copies[key] = copy
        if len(copies) > MOST_ALIVE:
            copies.pop(next(iter(copies))).end()
        write_frame(sys.stdout.buffer, b"\n".join((b"" if status is None else b"%d" % status, *answers)))


class _Copy:
    """A copy of this process, for the prompts of one template."""

    def __init__(self) -> None:
        (requests, self._requests), (self._answers, answers) = os.pipe(), os.pipe()
        self._process = os.fork()
        if self._process == 0:
            try:
                os.dup2(requests, 0)
                os.dup2(answers, 1)
                os.closerange(3, MOST_OPEN)
                _serve()
            finally:
                os._exit(1)
        os.close(requests)
        os.close(answers)

    def answer(self, request: bytes) -> tuple[int | None, list[bytes]]:
        """Its exit status, None while it is alive, and its answers."""
        answers, size, is_batch = list[bytes](), 0, request.startswith(BATCH)
        signal.signal(signal.SIGALRM, lambda *_: os.kill(self._process, signal.SIGKILL))
        longest_s = (TURNS_S if is_batch else SECONDS) + LATE_S
        signal.setitimer(signal.ITIMER_REAL, longest_s)  # if it does not end by itself
        with suppress(BrokenPipeError), open(self._requests, "wb", closefd=False) as requests:
            write_frame(requests, request)
        with open(self._answers, "rb", closefd=False) as read:
            while size < MOST_WRITTEN and (answer := read_frame(read)):
                answers.append(answer)
                size += len(answer)
                if is_batch:
                    signal.setitimer(signal.ITIMER_REAL, longest_s)
        signal.setitimer(signal.ITIMER_REAL, 0)
        return (None, answers) if answer == END else (self.end(), answers)

    def end(self) -> int:
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        os.close(self._requests)
        os.close(self._answers)
        return os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])


def _serve() -> None:
    """Answer until the pipe is closed, or a prompt has used much memory, which the next prompt would lack."""
    import resource

    _limit()
    template, held = RunningTemplate(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with open(0, "rb") as requests, open(1, "wb") as answers:
        while (request := read_frame(requests)) is not None:
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            for answer in _answers(request, template, _allow_turns):
                write_frame(answers, answer)
                if request.startswith(BATCH):
                    signal.setitimer(signal.ITIMER_REAL, SECONDS)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MOST_GROWTH * held:
                return
            write_frame(answers, END)


def _allow_turns() -> None:
    signal.setitimer(signal.ITIMER_REAL, TURNS_S)


def _answers(
    request: bytes, template: RunningTemplate, allow_turns: Callable[[], None] = lambda: None
) -> Iterator[bytes]:
    """Answer a request; `allow_turns` is called before locating turns, which takes many renderings."""
    asked, now = json.loads(request), datetime.now()
    if "batch" in asked:
        for record, size in zip(asked["batch"], asked["sizes"], strict=True):
            yield json.dumps(template.of_batch(asked, record, now, size, allow_turns)).encode()
        return
    answer = template.rendered(asked, now)
    yield json.dumps(answer).encode()
    if "text" in answer:
        for more in (template.traced, template.prompt_start):
            with suppress(Exception):  # then origins are unknown, which a hint reports
                yield json.dumps(more(asked, now, answer["text"])).encode()


class RunningTemplate:
    """A template, compiled once, at the first prompt."""

    def __init__(self) -> None:
        self._environment = ChatEnvironment()
        self._template: Template | None = None
        self._tracing: TracingEnvironment | None = None

    def of_batch(
        self,
        batch: Mapping[str, Any],
        record: Mapping[str, Any],
        now: datetime,
        size: int,
        allow_turns: Callable[[], None],
    ) -> dict[str, Any]:
        """Render one conversation of a batch, of `size` characters; with `turns` if requested."""
        request = {
            "template": batch["template"],
            "variables": batch["variables"],
            "add_generation_prompt": False,
            **record,
        }
        answer = self.rendered(request, now, size)
        if not (batch["turns"] and "text" in answer):
            return answer

        def render(messages: Sequence[Any], add_generation_prompt: bool) -> str | None:
            changed = {"messages": messages, "add_generation_prompt": add_generation_prompt}
            text: str | None = self.rendered({**request, **changed}, now, size).get("text")
            return text

        allow_turns()
        eos = str(batch["variables"].get("eos_token", ""))
        given = record["messages"], answer["text"], record["first"], eos, batch["header"]
        turns = written_turns(render, *given)
        return {**answer, "turns": list(turns)}

    def rendered(
        self, request: Mapping[str, Any], now: datetime, given_characters: int | None = None
    ) -> dict[str, Any]:
        started_ns = time.perf_counter_ns()
        try:
            random.seed(0)
            self._environment.begin(now)
            self._template = self._template or self._environment.from_string(request["template"])
            given = _given(request, request)
            size = len(json.dumps(given)) if given_characters is None else given_characters
            limit = min(MOST_OWN + MOST_COPIES * size, MOST_CHARACTERS)
            text = self._environment.rendered(self._template, given, limit)
            text.encode()  # raises for surrogates, which JSON would combine
        except MemoryError:
            return {"error": "takes too much memory"}
        except Exception as error:
            return {"error": _reason(error) + _in_parts(error, request["messages"]), "line": _line(error)}
        elapsed_ns = time.perf_counter_ns() - started_ns
        return {"text": text, "elapsed_ns": elapsed_ns, "generated": self._environment.generated}

    def traced(self, request: Mapping[str, Any], now: datetime, expected: str) -> dict[str, Any]:
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
        self._tracing = tracing = self._tracing or TracingEnvironment(request["template"])
        text = tracing.run(now, origins, entries["messages"], _given(request, entries))
        if text != expected or not isinstance(text, Traced):
            return {}
        runs = [[run.start, *run.origin, run.offset] for run in islice(origins.runs(text), MOST_RUNS + 1)]
        return {} if len(runs) > MOST_RUNS else {"runs": runs, "lines": tracing.line_counts()}

    def prompt_start(self, request: Mapping[str, Any], now: datetime, text: str) -> dict[str, Any]:
        """The length of the text without a generation prompt, if the text begins with it."""
        if not request["add_generation_prompt"]:
            return {}
        shorter = self.rendered({**request, "add_generation_prompt": False}, now)["text"]
        return {"prompt_start": len(shorter)} if text.startswith(shorter) else {}


def _given(request: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of a template, named as in `transformers`."""
    return {
        "messages": entries["messages"],
        "tools": entries["tools"],
        "documents": None,
        "add_generation_prompt": request["add_generation_prompt"],
        **entries["variables"],
    }


def _entries(value: Any, origins: Origins, message: int | None, field: str) -> Any:
    """Make all strings in a value Traced; the keys and the role of a message are not content."""
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
    """The predicate of a sentence whose subject is the template."""
    line = _line(error)
    where = f" in line {line}" if line else ""
    message = str(error) or type(error).__name__
    if isinstance(error, OutputTooLongError):
        return message
    if isinstance(error, RefusedError):
        return f"refuses these messages: {message}"
    if isinstance(error, TemplateSyntaxError):
        return f"has a syntax error{where}: {message}"
    if isinstance(error, SecurityError):
        return f"was stopped{where} by the sandbox: {message}"
    if isinstance(error, RecursionError):
        return f"is nested too deeply or recurses without end{where}"
    return f"fails{where}: {message}"


def _in_parts(error: Exception, messages: list[dict[str, Any]]) -> str:
    """Which content is a list of parts, if that is why the template fails; else ""."""
    if not (isinstance(error, TypeError) and '"list"' in str(error)):
        return ""
    rows = (row for row, each in enumerate(messages, 1) if isinstance(each.get("content"), list))
    return next((f"; the content of message {row} is a list of parts" for row in rows), "")


def _line(error: Exception) -> int:
    """The line of the template that raised an error; 0 if unknown."""
    if isinstance(error, TemplateSyntaxError):
        return error.lineno
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _limit() -> None:
    """From now on, the system ends this process if it takes too much, and it can open no files.

    Windows has no such limits: there, only the parent process enforces the time.
    """
    if sys.platform != "win32":
        import resource

        def limit(what: int, most: int) -> None:
            resource.setrlimit(what, (most, most))

        limit(resource.RLIMIT_AS, MOST_BYTES)
        limit(resource.RLIMIT_FSIZE, MOST_WRITTEN)
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_NOFILE, 3)
        limit(resource.RLIMIT_NPROC, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


if __name__ == "__main__":
    main()
