"""What is said about two compared vocabularies first: identical, or in which of four respects they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guiapp.analysis.compare.vocabularies import VocabularyComparison, lists_merges
from guiapp.core.text.figures import counted
from guiapp.pages.compare.vocabulary_rows import GROUPS

ROLES, RULES = "roles", "rules"  # panels that show what a part is about
MOST_NAMED = 3


class Part(NamedTuple):
    """A few words; `target` is the group of GROUPS that they count, or ROLES or RULES, "" for neither."""

    text: str
    target: str = ""


class Respect(NamedTuple):
    """One respect in which both are compared; `is_equal` is None where files cannot be compared in it."""

    name: str
    is_equal: bool | None
    parts: tuple[Part, ...]


def respects(found: VocabularyComparison) -> tuple[Respect, ...]:
    """All four, each with what there is to say."""
    return _tokens(found), _merges(found), _special(found), _rules(found)


def title(found: VocabularyComparison) -> str:
    """In a word or two."""
    if found.is_identical:
        return "Identical"
    return "Not identical" if any(found.counts.values()) else "No difference found"


def summary(told: tuple[Respect, ...]) -> str:
    """In a sentence which respects are the same and which are not."""
    groups = {
        is_equal: [each.name.lower() for each in told if each.is_equal is is_equal]
        for is_equal in (True, False, None)
    }
    if len(groups[True]) == len(told):
        return "Tokens, merge rules, special tokens and rules are all the same."
    sentences = [
        f"{_listing(names).capitalize()} {words}."
        for names, words in (
            (groups[False], "differ"),
            (groups[True], "are the same"),
            (groups[None], "cannot be compared in all"),
        )
        if names
    ]
    return " ".join(sentences)


def first_difference(told: tuple[Respect, ...]) -> str:
    """The target of the first part that tells of a difference; all tokens where none does."""
    for respect in told:
        if respect.is_equal is not True:
            return next(part.target for part in respect.parts if part.target not in ("both", "merges"))
    return "all"


def _listing(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _tokens(found: VocabularyComparison) -> Respect:
    differing = [
        Part(f"{len(found.only[0]):,} only in A", "first"),
        Part(f"{len(found.only[1]):,} only in B", "second"),
        Part(f"{int(found.other_id.sum()):,} with another id", "id"),
        Part(f"{int(found.other_kind.sum()):,} of another kind", "kind"),
        Part(f"{int(found.other_search.sum()):,} searched for otherwise", "search"),
        Part(f"{int(found.other_score.sum()):,} with another score", "score"),
    ]
    return _counted("Tokens", len(found.both), "both", differing, found)


def _merges(found: VocabularyComparison) -> Respect:
    merges = found.merges
    if merges is None:
        lists = [lists_merges(each) for each in found.tokenizers]
        who = {(True, False): "B lists none", (False, True): "A lists none"}.get((lists[0], lists[1]))
        return Respect("Merge rules", True if who is None else None, (Part(who or "neither lists any"),))
    differing = [
        Part(f"{len(merges.only[0]):,} only in A", "merges first"),
        Part(f"{len(merges.only[1]):,} only in B", "merges second"),
        Part(f"{int(merges.moved.sum()):,} in another order", "moved"),
    ]
    return _counted("Merge rules", len(merges.both), "merges", differing, found)


def _counted(
    name: str, n_both: int, target: str, differing: list[Part], found: VocabularyComparison
) -> Respect:
    """Parts of groups that are empty are left out."""
    kept = tuple(part for part in differing if len(GROUPS[part.target].rows(found)))
    if kept:
        return Respect(name, False, (Part(f"{n_both:,} in both", target), *kept))
    return Respect(name, True, (Part(f"all {n_both:,} are the same", target),))


def _special(found: VocabularyComparison) -> Respect:
    n_special = len(GROUPS["special"].rows(found))
    tokens = Part(counted(n_special, "special token"), "special")
    differing = [role.name for role in found.roles if role.differs]
    n_roles = counted(len(differing or found.roles), "role")
    if differing:
        verb = "differs" if len(differing) == 1 else "differ"
        return Respect(
            "Special tokens", False, (Part(f"{n_roles} {verb}: {_first_of(differing)}", ROLES), tokens)
        )
    same = "is" if len(found.roles) == 1 else "are"
    return Respect("Special tokens", True, (Part(f"{n_roles} {same} the same", ROLES), tokens))


def _rules(found: VocabularyComparison) -> Respect:
    differing = [each.name for each in found.other_settings]
    untold = [each.name for each in found.untold_settings]
    is_equal = False if differing else None if untold else True
    return Respect("Rules", is_equal, tuple(_rule_parts(found, differing, untold)))


def _rule_parts(found: VocabularyComparison, differing: list[str], untold: list[str]) -> Iterator[Part]:
    if differing:
        verb = "differs" if len(differing) == 1 else "differ"
        yield Part(f"{len(differing)} {verb}: {_first_of(differing)}", RULES)
    if untold:
        yield Part(f"said in different ways: {_first_of(untold)}", RULES)
    n_equal = len(found.settings) - len(differing) - len(untold)
    yield Part(f"{n_equal} are the same" if differing or untold else f"all {n_equal} are the same", RULES)


def _first_of(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
