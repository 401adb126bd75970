"""The words that a chat template searches for in messages, from its syntax tree: it is never run.

Many templates search for markers, calls of tools, switches and the keys of parts.  A template that searches
for an ordinary word behaves differently if a message contains that word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2 import nodes
from jinja2.exceptions import TemplateError

from guiapp.analysis.chat.tracing import ChatEnvironment

LONGEST_PARSED = 1 << 17  # characters; half a second
MOST_RENAMED = 3  # assignments from variable to variable that are followed
ASKING = ("startswith", "endswith", "find", "rfind", "index", "rindex", "count")
IS_WORD = re.compile(r"[^\W\d_]{2}")
IS_MARKER = re.compile(r"[<>\[\]{}|｜]|^/")  # also a call of a tool, or a switch such as /think
KEYS = (
    *("text", "type", "image", "image_url", "input_image", "video", "video_url"),
    *("audio", "audio_url", "input_audio"),
)
"""Keys of the parts of a multimodal message."""


def words_asked_for(text: str) -> Iterator[tuple[int, str]]:
    """Yield each word that messages are searched for, with its line; none if parsing fails."""
    try:
        asked = list(_asked(ChatEnvironment().parse(text[:LONGEST_PARSED])))
    except (TemplateError, RecursionError):
        return  # the Chat page reports the error
    for line, word in asked:
        if IS_WORD.search(word) and not IS_MARKER.search(word) and word not in KEYS:
            yield line, word


def _asked(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """All strings that content is searched for or compared with, each with its line."""
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
    """Whether an expression is the content of a message, by one of these names, or derived from it."""
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
    """The string, or the strings of a list."""
    for each in node.iter_child_nodes() if isinstance(node, nodes.List | nodes.Tuple) else [node]:
        if isinstance(each, nodes.Const) and isinstance(each.value, str):
            yield each.value
