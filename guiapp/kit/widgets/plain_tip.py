"""Tooltips with texts from strangers' files: Qt takes what looks like HTML for that."""

from __future__ import annotations

from html import escape


def plain_tip(text: str) -> str:
    """A tooltip that shows all of a text as it is."""
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>' if "<" in text else text


def wrapped_tip(text: str) -> str:
    """The same for sentences, in lines of a readable length."""
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>'
