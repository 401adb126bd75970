"""What is made once for a vocabulary, and freed with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from guiapp.core.vocab.vocabulary import Vocabulary

T = TypeVar("T")


def once_per_vocabulary(make: Callable[[Vocabulary], T]) -> Callable[[Vocabulary], T]:
    """The same function, but it remembers its result, which must not refer to the vocabulary."""
    results = WeakKeyDictionary[Vocabulary, T]()

    def remembered(vocabulary: Vocabulary) -> T:
        if (result := results.get(vocabulary)) is None:
            result = results[vocabulary] = make(vocabulary)
        return result

    return remembered
