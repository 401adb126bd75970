"""Read the keys of a component in a tokenizer.json, and check their types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from guiapp.core.text.numbers_in_words import quoted

MOST_NESTED = 32
MOST_COMPONENTS = 100  # several times as many as in any known file
EXPRESSION = 4  # components that a regular expression counts as: compiling one may take a tenth of a second
LONGEST_CONTENT = 1 << 16  # characters in the value of a key, also of patterns and replacements
MISSING = object()
Component = TypeVar("Component")


class ComponentError(ValueError):
    """A component that cannot be used; the message is the end of a sentence about the file."""


def flattened(component: Component) -> tuple[Component, ...]:
    """The parts of a sequence, also of nested ones; a single component as a tuple."""
    parts = getattr(component, "parts", None)
    return (component,) if parts is None else tuple(each for part in parts for each in flattened(part))


class Spec:
    """A JSON object that describes a component.

    what   “normalizer”, “pre-tokenizer” or “decoder”
    depth  the number of sequences around it
    seen   the number of parts in all sequences so far, shared by all of them; see EXPRESSION
    """

    def __init__(self, what: str, values: Any, depth: int = 0, seen: list[int] | None = None) -> None:
        if not isinstance(values, Mapping):
            raise ComponentError(f"has a {what} that is not a JSON object")
        if depth > MOST_NESTED:
            raise ComponentError(f"nests its {what}s too deeply")
        self.what, self._values, self._depth = what, values, depth
        self._seen = [0] if seen is None else seen
        self.type = self._of_type("type", str, "text")

    def unknown(self) -> ComponentError:
        return ComponentError(f"uses a {self.what} “{quoted(self.type)}”, which is unknown")

    def error(self, what_is_wrong: str) -> ComponentError:
        """An error about this component: “has a normalizer “Replace” that …”."""
        return ComponentError(f"has a {self.what} “{quoted(self.type)}” {what_is_wrong}")

    def flag(self, key: str, default: object = MISSING) -> bool:
        value: bool = self._of_type(key, bool, "true or false", default)
        return value

    def text(self, key: str, default: object = MISSING, longest: int = LONGEST_CONTENT) -> str:
        value: str = self._of_type(key, str, "text", default)
        if len(value) > longest:
            raise self.error(f"whose “{key}” is too long ({len(value):,} characters)")
        if any("\ud800" <= character <= "\udfff" for character in value):
            raise self.error(f"whose “{key}” is not valid Unicode")
        return value

    def character(self, key: str) -> str:
        value = self.text(key)
        if len(value) != 1:
            raise self.error(f"whose “{key}” is not a single character")
        return value

    def count(self, key: str, default: object = MISSING) -> int:
        value: int = self._of_type(key, int, "a whole number", default)
        if isinstance(value, bool) or not 0 <= value < 1 << 64:
            raise self.error(f"whose “{key}” is not a whole number")
        return value

    def choice(self, key: str, choices: tuple[str, ...], default: object = MISSING) -> str:
        value = self.text(key, default)
        if value not in choices:
            raise self.error(f"whose “{key}” has the unknown value “{quoted(value)}”")
        return value

    def pattern(self) -> tuple[str, bool]:
        """The text to search for, and whether it is a regular expression."""
        value = self._of_type("pattern", Mapping, "a pattern")
        if len(value) != 1 or next(iter(value)) not in ("String", "Regex"):
            raise self.error("whose “pattern” is neither a String nor a Regex")
        kind = next(iter(value))
        if kind == "Regex":
            self._count(EXPRESSION - 1)
        return Spec(self.what, {"type": self.type, kind: value[kind]}).text(kind), kind == "Regex"

    def has(self, key: str) -> bool:
        return self._values.get(key) is not None

    def parts(self, key: str) -> list[Spec]:
        """The components of a sequence."""
        value = self._of_type(key, list, "a list")
        self._count(len(value))
        return [Spec(self.what, each, self._depth + 1, self._seen) for each in value]

    def _count(self, n_parts: int) -> None:
        self._seen[0] += n_parts
        if self._seen[0] > MOST_COMPONENTS:
            raise self.error(
                f"beyond the limit of {MOST_COMPONENTS:,} parts; a regular expression counts as {EXPRESSION}"
            )

    def _of_type(self, key: str, expected: type, name: str, default: object = MISSING) -> Any:
        value = self._values.get(key, MISSING)
        if value is MISSING and default is not MISSING:
            return default
        if value is MISSING and key == "type":
            raise ComponentError(f"has a {self.what} without a type")
        if value is MISSING:
            raise self.error(f"without “{key}”")
        if not isinstance(value, expected):
            raise ComponentError(f"has a {self.what} whose “{key}” is not {name}")
        return value
