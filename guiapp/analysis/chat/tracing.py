"""Run a chat template, tracking the origin of each character and how often each line ran.

The code that jinja2 generates from a template changes only in this: literal texts are Traced, statements
are counted, and results of operations that lose marks get marks from their operands.  The caller has to
check that the text equals the text of a plain run.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import wraps
from typing import Any, NamedTuple

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.environment import Template
from jinja2.exceptions import SecurityError, TemplateError
from jinja2.ext import Extension, loopcontrols
from jinja2.filters import make_attrgetter
from jinja2.lexer import TOKEN_RAW_BEGIN, TOKEN_RAW_END, Token, TokenStream, ignored_tokens, newline_re
from jinja2.nodes import Name
from jinja2.parser import Parser
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from guiapp.analysis.chat.traced import (
    CHANGED,
    TEMPLATE,
    UNKNOWN,
    CharacterOrigin,
    Origins,
    Safe,
    Traced,
    joined,
)

BODIES = ("body", "else_", "elif_")
LINES = re.compile(r"[^\n]*\n|[^\n]+")
DICT_NAMES = frozenset(dir(dict))
SAFE = frozenset(name for name in dir(str) if not name.startswith("_")) - {"format", "format_map"}
LOOP_NAMES = frozenset(name for name in dir(LoopContext) if not name.startswith("_"))
BLOCKS = ("if", "for", "macro", "call", "filter", "block", "with", "autoescape", "generation")


class RefusedError(TemplateError):
    """A template has called `raise_exception`."""


class OutputTooLongError(TemplateError):
    """A template writes more than the limit."""


class Generation(Extension):
    """`{% generation %}`: a block of text that the model is to write; it prints its contents."""

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
    """A jinja2 namespace that refuses entries that begin with an underscore."""

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
        raise SecurityError(f"{name!r} is not allowed as the name of a namespace entry")


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
    """Plain JSON; jinja2's own filter escapes it for HTML."""
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def raise_exception(message: str) -> None:
    raise RefusedError(message)


class ChatEnvironment(ImmutableSandboxedEnvironment):
    """Compiles chat templates, and runs them repeatedly.

    n_written  characters so far
    generated  the start and end of each generation block, counted as in `transformers`, which is wrong for a
               block within a macro or a set
    """

    def __init__(self, optimized: bool = True) -> None:
        super().__init__(
            trim_blocks=True, lstrip_blocks=True, optimized=optimized, extensions=[Generation, loopcontrols]
        )
        self.filters["tojson"] = tojson
        self.globals |= {
            "raise_exception": raise_exception,
            "dict": MakesDicts(),
            "namespace": OwnNamespace,
        }
        self.begin(datetime.now())

    def getattr(self, obj: Any, attribute: str) -> Any:
        """As in jinja2, with a fast path for entries, and for attributes that it always allows."""
        kind = type(obj)
        if kind is dict and attribute not in DICT_NAMES:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        if kind is OwnNamespace and attribute[:1] != "_":
            with suppress(AttributeError):
                return getattr(obj, attribute)
        is_safe = (kind is str and attribute in SAFE) or (kind is LoopContext and attribute in LOOP_NAMES)
        return getattr(obj, attribute) if is_safe else super().getattr(obj, attribute)

    def begin(self, now: datetime) -> None:
        """Prepare a run; `now` is the time that `strftime_now` formats."""
        self.globals["strftime_now"] = now.strftime
        self.n_written, self.generated = 0, list[tuple[int, int]]()

    def rendered(self, template: Template, given: dict[str, Any], limit: int) -> str:
        """Run a template.  Raises OutputTooLongError as soon as the text is longer than the limit."""
        parts = []
        for part in template.generate(given):
            parts.append(part)
            self.n_written += len(part)
            if self.n_written > limit:
                what = f"writes more than {limit:,} characters, far more than the messages have"
                raise OutputTooLongError(f"{what}: choose another template")
        return "".join(parts)


class _Nested(NodeTransformer):
    """Rewrites `elif` as an `if` in the `else`, a separate statement."""

    def visit_If(self, node: nodes.If) -> nodes.If:
        if node.elif_:
            first, *others = node.elif_
            first.elif_, first.else_ = others, node.else_
            node.elif_, node.else_ = [], [first]
        self.generic_visit(node)
        return node


class _Numbered(Extension):
    """Replaces the line of each token by its number, from 1, which gives its offset as well."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        return (Token(number, token.type, token.value) for number, token in enumerate(stream, 1))


class _Generator(CodeGenerator):
    """jinja2's generator; its code also calls the environment, to trace what runs."""

    environment: TracingEnvironment

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._loops: dict[int, nodes.For] = {}  # by the id of the body
        self._writes = False  # whether the expression being compiled is printed

    def blockvisit(self, nodes: Iterable[nodes.Node], frame: Frame) -> None:
        self.writeline("pass")
        if loop := self._loops.get(id(nodes)):
            self.writeline(f"environment.ran({self.environment.number(loop)})")
            if isinstance(loop.target, Name):
                self.writeline(f"environment.turn({frame.symbols.ref(loop.target.name)})")
        for node in nodes:
            self.writeline(f"environment.ran({self.environment.number(node)})", node)
            self.visit(node, frame)

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        self._loops[id(node.body)] = node
        before = self.temporary_identifier()
        self.writeline(f"{before} = environment.message")
        super().visit_For(node, frame)
        self.writeline(f"environment.message = {before}")

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        if isinstance(node.value, str):
            self.write(f"environment.literal({node.value!r}, {node.lineno})")
        else:
            super().visit_Const(node, frame)

    def visit_TemplateData(self, node: nodes.TemplateData, frame: Frame) -> None:
        self.write(f"environment.data({node.data!r}, {node.lineno})")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.write("concat([environment.printed(each) for each in (")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write(")])")

    def visit_Name(self, node: nodes.Name, frame: Frame) -> None:
        self._loaded(super().visit_Name, node, frame, is_load=node.ctx == "load")

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        self._loaded(super().visit_Getattr, node, frame)

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        self._loaded(super().visit_Getitem, node, frame)

    def _loaded(
        self, visit: Callable[[Any, Frame], None], node: nodes.Node, frame: Frame, is_load: bool = True
    ) -> None:
        does = "written" if self._writes else "taken"
        self.write(f"environment.{does}({node.lineno}, " if is_load else "")
        visit(node, frame)
        self.write(")" if is_load else "")

    def _output_child_to_const(self, *_given: Any) -> str:
        raise nodes.Impossible

    def _output_child_pre(self, node: nodes.Expr, *_given: Any) -> None:
        self._writes = True
        self.write(f"environment.emit({node.lineno}, ")

    def _output_child_post(self, *_given: Any) -> None:
        self._writes = False
        self.write(")")


class TracingEnvironment(ChatEnvironment):
    """Compiles one template, `source`, and traces its runs.

    message  the number of the current message in the innermost loop over messages
    """

    code_generator_class = _Generator
    intercepted_binops = frozenset("%")
    concat = staticmethod(joined)

    def __init__(self, source: str) -> None:
        super().__init__(optimized=False)
        self.add_extension(_Numbered)
        self._locations = [
            NO_LOCATION,
            *_locations(self, source),
        ]  # of each token of the template, by its number
        self._lines: list[set[int]] = []  # of each statement
        self._tokens: list[set[int]] = []  # of each statement
        self._tags = list(_tags(self, source))
        self._n_lines = len(newline_re.split(source)[::2])
        self.filters = {name: self._adopting(each) for name, each in self.filters.items()}
        self.filters |= {
            "tojson": self._tojson,
            "join": self._join,
            "indent": _indent,
            "safe": lambda value: Safe(self.printed(value)),
        }

        code = self.compile(_Nested().visit(self.parse(source)))
        self._template = Template.from_code(self, code, self.make_globals(None))

    def run(self, now: datetime, origins: Origins, messages: list[Any], given: dict[str, Any]) -> str:
        """Render the template; `origins` has the marks of `messages`."""
        self.begin(now)
        self.message: int | None = None
        self._origins, self._line, self._counts = origins, 0, Counter[int]()
        self._numbers = {id(message): number for number, message in enumerate(messages)}
        return self._template.render(given)

    # Called by generated code

    def number(self, statement: nodes.Node) -> int:
        evaluated = list(self._lines_of(statement))
        self._lines.append({line for line, _ in evaluated})
        self._tokens.append({token for _, token in evaluated})
        return len(self._lines) - 1

    def ran(self, statement: int) -> None:
        self._counts[statement] += 1
        self._line = min(self._lines[statement], default=self._line)

    def turn(self, item: object) -> None:
        self.message = self._numbers.get(id(item), self.message)

    def literal(self, text: str, token: int) -> Traced:
        """A quoted string."""
        return Traced(text, array("I", (self._own(self._locations[token]),)) * len(text))

    def data(self, text: str, token: int) -> Traced:
        """Text between tags."""
        (line, offset), marks = self._locations[token], array("I")
        for number, each in enumerate(LINES.findall(text), line):
            marks.extend(array("I", (self._own(_Location(number, offset)),)) * len(each))
            offset += len(each)
        return Traced(text, marks)

    def taken(self, token: int, value: Any) -> Any:
        return self._origins.taken(value, *self._locations[token]) if isinstance(value, Traced) else value

    def written(self, token: int, value: Any) -> Any:
        return self._origins.written(value, *self._locations[token]) if isinstance(value, Traced) else value

    def printed(self, value: Any) -> Traced:
        text: Traced = self._adopted(str(value), (value,))
        return text

    def emit(self, token: int, value: Any) -> Traced:
        text = self._origins.written(self.printed(value), self._locations[token].line, -1, is_printed=True)
        if UNKNOWN in text._marks:
            own = self._own(self._locations[token]._replace(start=-1))
            return Traced(text, array("I", (mark or own for mark in text._marks)))
        return text

    def _own(self, location: _Location) -> int:
        return self._origins.mark(CharacterOrigin(TEMPLATE, self.message, "", *location))

    def _lines_of(self, statement: nodes.Node) -> Iterator[tuple[int, int]]:
        """The lines and tokens that a statement evaluates, without nested statements."""
        todo = [statement]
        while todo:
            node = todo.pop()
            line, _ = self._locations[node.lineno or 0]
            if isinstance(node, nodes.TemplateData):
                rows = node.data.split("\n")
                yield from ((line + row, node.lineno) for row, text in enumerate(rows) if text.strip())
                continue
            if line and not isinstance(node, nodes.Output):
                yield line, node.lineno
            todo += node.iter_child_nodes(exclude=BODIES)

    # Operations that lose marks

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        result = super().call(__context, __obj, *args, **kwargs)
        given = (getattr(__obj, "__self__", None), *args, *kwargs.values())
        return __self._adopted(result, given)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        return self._adopted(super().call_binop(context, operator, left, right), (left, right))

    def _adopting(self, work: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(work)
        def adopting(*args: Any, **kwargs: Any) -> Any:
            return self._adopted(work(*args, **kwargs), (*args, *kwargs.values()))

        return adopting

    def _adopted(self, result: Any, given: tuple[Any, ...]) -> Any:
        """The result of an operation, with marks from its operands as far as they are known."""
        if not isinstance(result, str) or (isinstance(result, Traced) and any(result._marks)):
            return result
        for each in given:
            if isinstance(each, Traced) and each == result:
                return each
        return Traced(result, array("I", (self._mark_of(given),)) * len(result))

    def _mark_of(self, given: Iterable[Any]) -> int:
        """The mark of a result made of content; UNKNOWN if no operand contains content."""
        found = self._origins.within(given)
        if not found:
            return UNKNOWN
        messages = {each.message for each in found}
        fields = {re.split(r"[.[]", each.field)[0] for each in found}
        message = messages.pop() if len(messages) == 1 else None
        field = fields.pop() if len(fields) == 1 else ""
        return self._origins.mark(CharacterOrigin(CHANGED, message, field, self._line))

    def _join(self, value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> Traced:
        if attribute is not None:
            value = map(make_attrgetter(self, attribute), value)
        return Traced(d).join(map(self.printed, value))

    def _tojson(self, value: Any, *given: Any, **settings: Any) -> Any:
        text = tojson(value, *given, **settings)
        pieces = joined(self._json_pieces(value, *given, **settings))
        if pieces != text:
            return self._adopted(text, (value,))
        if UNKNOWN in pieces._marks:
            own = self._mark_of((value,))
            return Traced(text, array("I", (mark or own for mark in pieces._marks)))
        return pieces

    def _json_pieces(
        self,
        value: Any,
        ensure_ascii: bool = False,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> Iterator[str]:
        """The JSON that `json.dumps` writes; texts retain their marks."""
        item, colon = separators or (", " if indent is None else ",", ": ")
        step = " " * indent if isinstance(indent, int) else indent

        def pieces(value: Any, level: int) -> Iterator[str]:
            if isinstance(value, str):
                yield from _quoted(value, ensure_ascii)
            elif isinstance(value, dict | list | tuple) and value:
                before = "" if step is None else "\n" + step * (level + 1)
                after = "" if step is None else "\n" + step * level
                is_dict = isinstance(value, dict)
                yield ("{" if is_dict else "[") + before
                for number, each in enumerate(sorted(value) if is_dict and sort_keys else value):
                    yield item + before if number else ""
                    if is_dict:
                        yield from pieces(each, level + 1)
                        yield colon
                    yield from pieces(value[each] if is_dict else each, level + 1)
                yield after + ("}" if is_dict else "]")
            else:
                yield json.dumps(value)

        return pieces(value, 0)

    # Counts

    def line_counts(self) -> list[int | None]:
        """How often each line of the template ran; None for a line with nothing to run."""
        counts, by_token = dict[int, int](), dict[int, int]()
        for numbers, all_numbers in ((counts, self._lines), (by_token, self._tokens)):
            for statement, each in enumerate(all_numbers):
                for number in each:
                    numbers[number] = max(numbers.get(number, 0), self._counts[statement])
        opened: list[int] = []
        for tag in self._tags:
            if tag.name.startswith("end") or tag.name == "else":
                count = opened[-1] if opened else 0
                del opened[len(opened) - (tag.name != "else") :]
            else:
                count = max(by_token.get(token, 0) for token in tag.tokens)
                opened += [count] if tag.has_end else []
            for line in tag.lines:
                counts[line] = max(counts.get(line, 0), count)
        return [counts.get(line + 1) for line in range(self._n_lines)]


class _Location(NamedTuple):
    """A line of the template and an offset in the template: `line` and `source_offset` of CharacterOrigin."""

    line: int
    start: int


NO_LOCATION = _Location(0, -1)


def _locations(environment: ChatEnvironment, source: str) -> Iterator[_Location]:
    """The location of each token that the parser receives, in order: no white space and no comments."""
    text, at = newline_re.sub("\n", source), 0
    for line, kind, value in environment.lex(source):
        at = text.index(value, at)  # jinja may have dropped white space before it
        if kind not in ignored_tokens and kind not in (TOKEN_RAW_BEGIN, TOKEN_RAW_END):
            yield _Location(line, at)
        at += len(value)


class _Tag(NamedTuple):
    """A tag of a template: its name, "" if it prints, and whether it begins a block that another tag ends."""

    lines: range
    tokens: range
    name: str
    has_end: bool


def _tags(environment: ChatEnvironment, source: str) -> Iterator[_Tag]:
    first, begin, number, words = 0, 0, 0, list[str]()
    for line, kind, value in environment.lex(source):
        number += kind not in ignored_tokens and kind not in (TOKEN_RAW_BEGIN, TOKEN_RAW_END)
        if kind in ("block_begin", "variable_begin"):
            first, begin, words = line, number, [] if kind == "block_begin" else [""]
        elif kind in ("block_end", "variable_end"):
            has_end = words[0] in BLOCKS or (words[0] == "set" and "=" not in words)
            yield _Tag(range(first, line + 1), range(begin, number + 1), words[0], has_end)
        elif kind in ("name", "operator"):
            words.append(value)


def _indent(s: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    """jinja2's filter, which would join with a plain str."""
    indention = width if isinstance(width, str) else " " * width
    lines = (Traced(s) + "\n").splitlines()
    rest = (indention + line if line or blank else line for line in lines[1:])
    text = Traced("\n").join((lines[0], *rest))
    return indention + text if first else text


def _quoted(text: str, ensure_ascii: bool) -> Iterator[str]:
    """A text in JSON; an escape has the mark of its character."""
    yield '"'
    if len(json.dumps(text, ensure_ascii=ensure_ascii)) == len(text) + 2:  # nothing is escaped
        yield text
    else:
        for each in text:
            escaped = json.dumps(each, ensure_ascii=ensure_ascii)[1:-1]
            yield Traced(escaped, each._marks * len(escaped)) if isinstance(each, Traced) else escaped
    yield '"'
