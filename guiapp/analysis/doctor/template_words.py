"""Which words a chat template looks for in messages, by its syntax: it is parsed, and never run.

Many templates ask for markers, calls of tools, switches and the keys of parts.  One that asks for a word is
to behave differently when somebody says it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import nodes
from jinja2.exceptions import TemplateError

from guiapp.analysis.chat.tracing import ChatEnvironment

LONGEST_PARSED = 1 << 17  # characters; half a second
MOST_RENAMED = 3  # times that a variable is set to another one
ASKING = ("startswith", "endswith", "find", "rfind", "index", "rindex", "count")
IS_WORD = re.compile(r"[^\W\d_]{2}")
IS_MARKER = re.compile(r"[<>\[\]{}|｜]|^/")  # or a call of a tool, or a switch such as /think
KEYS = (
    *("text", "type", "image", "image_url", "input_image", "video", "video_url"),
    *("audio", "audio_url", "input_audio"),
)
"""Of the parts of a message that is more than text."""


def words_asked_for(text: str) -> Iterator[tuple[int, str]]:
    """Each word that messages are searched for, with its line; nothing of what cannot be parsed."""
    try:
        asked = list(_asked(ChatEnvironment().parse(text[:LONGEST_PARSED])))
    except (TemplateError, RecursionError):
        return  # Chat says what is wrong with it
    for line, word in asked:
        if IS_WORD.search(word) and not IS_MARKER.search(word) and word not in KEYS:
            yield line, word


def _asked(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """All strings that content is searched for or compared with."""
    names = {"content", "text"}
    renamed: list[tuple[nodes.Node, nodes.Node]] = [
        (each.target, each.node) for each in tree.find_all(nodes.Assign)
    ]
    renamed += [(each.target, each.iter) for each in tree.find_all(nodes.For)]
    for _ in range(MOST_RENAMED):
        for target, value in renamed:
            if _is_content(value, names):
                names.add(getattr(target, "attr", getattr(target, "name", "content")))
    asked = [[each.expr, *(operand.expr for operand in each.ops)] for each in tree.find_all(nodes.Compare)]
    asked += [
        [call.node.node, *call.args]
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Getattr) and call.node.attr in ASKING
    ]
    for sides in asked:
        if any(_is_content(side, names) for side in sides):
            yield from ((sides[0].lineno, word) for side in sides for word in _strings(side))


def _is_content(node: nodes.Node, names: set[str]) -> bool:
    """Whether this is the content of a message, by one of some names, or made of it."""
    match node:
        case nodes.Name():
            return node.name in names
        case nodes.Getitem(arg=nodes.Const(value=str() as key)) | nodes.Getattr(attr=key):
            return key in names
        case (
            nodes.Call(node=nodes.Getattr(node=inner)) | nodes.Getitem(node=inner) | nodes.Filter(node=inner)
        ):
            return inner is not None and _is_content(inner, names)
        case nodes.BinExpr() | nodes.Concat() | nodes.CondExpr():
            return any(_is_content(each, names) for each in node.iter_child_nodes())
    return False


def _strings(node: nodes.Node) -> Iterator[str]:
    """A string, or those of a list."""
    for each in node.iter_child_nodes() if isinstance(node, nodes.List | nodes.Tuple) else [node]:
        if isinstance(each, nodes.Const) and isinstance(each.value, str):
            yield each.value
