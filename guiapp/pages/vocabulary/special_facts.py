"""All about a special token in words, for the column at the right."""

from __future__ import annotations

from guiapp.analysis.vocabulary_list.special_tokens import TOKENIZER_KEYS, Reach, SpecialToken
from guiapp.core.text.figures import times

FACTS = (
    *("id", "kind", "role", "the file says", "from text", "around texts", "end of generation"),
    *("white space", "chat template", "reserved", "in this text"),
)
WAYS = {
    Reach.TEXT: "always: its own text leads to it",
    Reach.UNKNOWN: "each character does that the vocabulary does not know",
    Reach.PARSED: "its own text does while special tokens are parsed",
    Reach.NEVER: "its own text does not lead to it",
}
STRIPS = {
    "lstrip": "takes the blanks before it along",
    "rstrip": "takes the blanks behind it along",
    "single_word": "is found only where no letter is beside it",
}


def facts_of(token: SpecialToken, is_parsed: bool, n_occurrences: int) -> dict[str, str]:
    """Names of FACTS with what there is to say; `is_parsed`: special tokens are looked for in the text."""
    way = WAYS[token.reach]
    if token.reach is Reach.PARSED and not is_parsed:
        way += ", which is switched off now"
    values = (
        str(token.token_id),
        token.kind,
        "\n".join(f"{role.name.upper().replace('_', ' ')}, {_source(role.source)}" for role in token.roles),
        token.mark,
        way,
        f"stands {token.around} each" if token.around else "",
        _end(token),
        "\n".join(STRIPS[each] for each in token.strips),
        "writes it" if token.in_template else "",
        _reserved(token),
        times(n_occurrences),
    )
    return {name: value for name, value in zip(FACTS, values, strict=True) if value}


def _source(source: str) -> str:
    """In few letters: the details are narrow, and all these keys begin alike."""
    if source == "its text":
        return "from its text"
    return source if source.startswith("usual") else f"by {source.removeprefix(TOKENIZER_KEYS)}"


def _end(token: SpecialToken) -> str:
    if token.end:
        return (
            "yes, from its text"
            if token.end == "its text"
            else f"yes, as {token.end.replace(TOKENIZER_KEYS, '')}"
        )
    return "no, though it looks like one: llama.cpp goes on" if token.looks_ended else "no"


def _reserved(token: SpecialToken) -> str:
    if token.is_unused:
        return "yes, and nothing in the files uses it"
    return "by its name, but it is used" if token.is_reserved else ""
