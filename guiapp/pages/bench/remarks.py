"""Remarks on a run as rich text: where ids differ, a click leads there."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, unquote

from guiapp.analysis.bench.remarks import LinkedRemark


def linked(remark: str) -> str:
    """The sentence, its links to be clicked on."""
    if not isinstance(remark, LinkedRemark):
        return escape(remark)
    return "".join(
        _link(remark.contender, text, words) if text else escape(words) for words, text in remark.parts
    )


def _link(contender: str, text: str, shown: str) -> str:
    return f'<a href="{quote(contender, safe="")}/{quote(text, safe="")}">{escape(shown)}</a>'


def contender_and_text(link: str) -> tuple[str, str]:
    """Whom a link is about, and on which text."""
    contender, _, text = link.partition("/")
    return unquote(contender), unquote(text)
