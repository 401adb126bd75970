"""What can go wrong for the user, said in sentences that can be shown as they stand."""

from __future__ import annotations


class TokenloupeError(Exception):
    """The base of every error that the user's input can cause."""


class VocabError(TokenloupeError):
    """A model file whose vocabulary cannot be used; the message says what is wrong, where, and what to do."""


class EncodeError(TokenloupeError):
    """A text or a list of ids that this vocabulary cannot turn into the other; the message says why."""
