"""What is said about two compared vocabularies first: identical, or in which of four respects they differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from guiapp.analysis.compare.vocabularies import VocabularyComparison, lists_merges
from guiapp.core.text.figures import counted
from guiapp.pages.compare.vocabulary_rows import GROUPS

ROLES, RULES = "roles", "rules"  # panels that show what a part is about
MOST_NAMED = 3


class VerdictPart(NamedTuple):
    """A few words; `target` is the group of GROUPS that they count, or ROLES or RULES, "" for neither."""

    text: str
    target: str = ""


class Respect(NamedTuple):
    """One respect in which both are compared; `is_equal` is None where files cannot be compared in it."""

    name: str
    is_equal: bool | None
    parts: tuple[VerdictPart, ...]


def respects(comparison: VocabularyComparison) -> tuple[Respect, ...]:
    """All four, each with what there is to say."""
    return _tokens(comparison), _merges(comparison), _special(comparison), _rules(comparison)


def title(comparison: VocabularyComparison) -> str:
    """In a word or two."""
    if comparison.is_identical:
        return "Identical"
    return "Not identical" if any(comparison.counts.values()) else "No difference found"


def summary(compared: tuple[Respect, ...]) -> str:
    """In a sentence which respects are the same and which are not."""
    groups = {
        is_equal: [each.name.lower() for each in compared if each.is_equal is is_equal]
        for is_equal in (True, False, None)
    }
    if len(groups[True]) == len(compared):
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


def first_difference(compared: tuple[Respect, ...]) -> str:
    """The target of the first part that tells of a difference; all tokens where none does."""
    for respect in compared:
        if respect.is_equal is not True:
            return next(part.target for part in respect.parts if part.target not in ("both", "merges"))
    return "all"


def _listing(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _tokens(comparison: VocabularyComparison) -> Respect:
    differing = [
        VerdictPart(f"{len(comparison.only[0]):,} only in A", "first"),
        VerdictPart(f"{len(comparison.only[1]):,} only in B", "second"),
        VerdictPart(f"{int(comparison.other_id.sum()):,} with another id", "id"),
        VerdictPart(f"{int(comparison.other_kind.sum()):,} of another kind", "kind"),
        VerdictPart(f"{int(comparison.other_search.sum()):,} searched for otherwise", "search"),
        VerdictPart(f"{int(comparison.other_score.sum()):,} with another score", "score"),
    ]
    return _counted("Tokens", len(comparison.both), "both", differing, comparison)


def _merges(comparison: VocabularyComparison) -> Respect:
    merges = comparison.merges
    if merges is None:
        lists = [lists_merges(each) for each in comparison.tokenizers]
        who = {(True, False): "B lists none", (False, True): "A lists none"}.get((lists[0], lists[1]))
        return Respect(
            "Merge rules", True if who is None else None, (VerdictPart(who or "neither lists any"),)
        )
    differing = [
        VerdictPart(f"{len(merges.only[0]):,} only in A", "merges first"),
        VerdictPart(f"{len(merges.only[1]):,} only in B", "merges second"),
        VerdictPart(f"{int(merges.moved.sum()):,} in another order", "moved"),
    ]
    return _counted("Merge rules", len(merges.both), "merges", differing, comparison)


def _counted(
    name: str, n_both: int, target: str, differing: list[VerdictPart], comparison: VocabularyComparison
) -> Respect:
    """Parts of groups that are empty are left out."""
    kept = tuple(part for part in differing if len(GROUPS[part.target].rows(comparison)))
    if kept:
        return Respect(name, False, (VerdictPart(f"{n_both:,} in both", target), *kept))
    return Respect(name, True, (VerdictPart(f"all {n_both:,} are the same", target),))


def _special(comparison: VocabularyComparison) -> Respect:
    n_special = len(GROUPS["special"].rows(comparison))
    tokens = VerdictPart(counted(n_special, "special token"), "special")
    differing = [role.name for role in comparison.roles if role.differs]
    n_roles = counted(len(differing or comparison.roles), "role")
    if differing:
        verb = "differs" if len(differing) == 1 else "differ"
        return Respect(
            "Special tokens", False, (VerdictPart(f"{n_roles} {verb}: {_first_of(differing)}", ROLES), tokens)
        )
    same = "is" if len(comparison.roles) == 1 else "are"
    return Respect("Special tokens", True, (VerdictPart(f"{n_roles} {same} the same", ROLES), tokens))


def _rules(comparison: VocabularyComparison) -> Respect:
    differing = [each.name for each in comparison.other_settings]
    unknown = [each.name for each in comparison.incomparable_settings]
    is_equal = False if differing else None if unknown else True
    return Respect("Rules", is_equal, tuple(_rule_parts(comparison, differing, unknown)))


def _rule_parts(
    comparison: VocabularyComparison, differing: list[str], unknown: list[str]
) -> Iterator[VerdictPart]:
    if differing:
        verb = "differs" if len(differing) == 1 else "differ"
        yield VerdictPart(f"{len(differing)} {verb}: {_first_of(differing)}", RULES)
    if unknown:
        yield VerdictPart(f"said in different ways: {_first_of(unknown)}", RULES)
    n_equal = len(comparison.settings) - len(differing) - len(unknown)
    yield VerdictPart(
        f"{n_equal} are the same" if differing or unknown else f"all {n_equal} are the same", RULES
    )


def _first_of(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
