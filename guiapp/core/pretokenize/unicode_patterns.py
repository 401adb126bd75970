r"""Patterns from tokenizer files, in the syntax of Rust's `regex` or Oniguruma, expanded for our own engine.

Those patterns use all of Unicode 16.0: `\p{Lu}`, `\s` and `(?i:…)`.  An expanded pattern has only literal
characters, classes, groups, `|`, greedy repetitions and look-ahead, which Python's `re` and regex.py read
alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from guiapp.core.text.unicode_tables import (
    CATEGORIES,
    N_CODES,
    WHITESPACE_RANGES,
    Range,
    property_names,
    property_ranges,
    ranges_of,
)

ONIGURUMA_CONTROLS = {"r": 0x0D, "n": 0x0A, "t": 0x09, "f": 0x0C, "v": 0x0B, "a": 0x07, "e": 0x1B}
HEX_DIGITS: Ranges = ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66))
CODE = re.compile(r"x\{\s*([0-9A-Fa-f]{1,8})\s*\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")
PROPERTY = re.compile(r"\{(\^?)([A-Za-z0-9 _-]{1,60})\}")
POSIX = re.compile(r"\[:(\^?)([a-z]{1,10}):\]")
ONE_LETTER_FOR_TWO = {"ss", "st", "ff", "fi", "fl"}
EVERYTHING: Ranges = ((0, N_CODES - 1),)
CATEGORY_NAMES = """
letter=L uppercaseletter=Lu lowercaseletter=Ll titlecaseletter=Lt modifierletter=Lm
otherletter=Lo mark=M nonspacingmark=Mn spacingmark=Mc enclosingmark=Me number=N
decimalnumber=Nd letternumber=Nl othernumber=No punctuation=P connectorpunctuation=Pc
dashpunctuation=Pd openpunctuation=Ps closepunctuation=Pe initialpunctuation=Pi
finalpunctuation=Pf otherpunctuation=Po symbol=S mathsymbol=Sm currencysymbol=Sc
modifiersymbol=Sk othersymbol=So separator=Z spaceseparator=Zs lineseparator=Zl
paragraphseparator=Zp other=C control=Cc format=Cf surrogate=Cs privateuse=Co unassigned=Cn
"""
LONG_NAMES = dict(pair.split("=") for pair in CATEGORY_NAMES.split())
LATIN_NUMBERS: Ranges = ((0xB2, 0xB3), (0xB9, 0xB9), (0xBC, 0xBE))  # word characters only as \\w
SHORT_NAMES = {name.lower(): name for name in (*CATEGORIES, *"LMNPSZC")}
MOST_COUNTED = 1000  # maximum count in {n} and {n,m}
LONGEST = 1 << 14  # of a pattern in a file
MOST_NESTED = 50  # groups
MOST_RANGES = 1 << 17  # of all classes of an expanded pattern; those in use have some thousands
CONTROLS = {"r": "\r", "n": "\n", "t": "\t", "f": "\f", "v": "\v"}
FOLDED = {"s": "s\u017f", "k": "k\u212a"}
"""Letters that match without regard to case, in addition to their own two forms."""

OTHER_LETTERS = re.compile("[^\x00-\x7f]")

Ranges = tuple[Range, ...]


class PatternError(ValueError):
    """A pattern with unsupported syntax; the message names it."""


def expanded(source: str) -> str:
    """The same pattern without categories, `\\s`, `(?i:…)` and possessive repetitions.

    Raises PatternError for all other special syntax.
    """
    return _Speller(source).pattern()


class PatternReader:
    """Reads a pattern from left to right.  Raises PatternError for groups and sizes that are not allowed."""

    groups: tuple[str, ...] = ("(?:", "(?=", "(?!", "(?i:")  # in addition to a plain bracket
    counts = re.compile(r"\{(\d{1,4})(,(\d{0,4}))?\}")
    may_repeat_without_end = False  # whether {n,} is supported

    def __init__(self, source: str) -> None:
        if len(source) > LONGEST:
            raise PatternError(f"it is too long ({len(source):,} characters)")
        self._source = source
        self._at = 0
        self._ignores_case = [False]  # in each open group
        self._n_ranges = 0

    def _next(self) -> str:
        if self._at >= len(self._source):
            raise PatternError("it ends too early")
        self._at += 1
        return self._source[self._at - 1]

    def _begin_group(self) -> str:
        """The plain group for the one that begins here; "" if none does."""
        if not self._source.startswith("(", self._at):
            return ""
        group = next((start for start in self.groups if self._source.startswith(start, self._at)), "(")
        if group == "(" and self._source.startswith("(?", self._at):
            raise PatternError(f"unsupported group {self._source[self._at : self._at + 4]}")
        self._at += len(group)
        if len(self._ignores_case) > MOST_NESTED:
            raise PatternError("its groups are nested too deeply")
        self._ignores_case.append(group == "(?i:" or (group != "(?-i:" and self._ignores_case[-1]))
        return group if group in ("(?=", "(?!") else "(?:"

    def _end_group(self) -> None:
        if len(self._ignores_case) == 1:
            raise PatternError("a group is closed but was not opened")
        self._ignores_case.pop()

    def _check_end(self) -> None:
        if len(self._ignores_case) != 1:
            raise PatternError("a group is not closed")

    def _repetition(self) -> str:
        """The greedy repetition that comes next; "" for none."""
        count = self.counts.match(self._source, self._at)
        character = self._source[self._at : self._at + 1]
        if count and (count[1] or count[3]):
            self._at = count.end()
            character = self._counted(int(count[1] or 0), count[2], count[3])
        elif character and character in "*+?":
            self._at += 1
        else:
            return ""
        if self._source.startswith("?", self._at):
            raise PatternError("lazy repetition is not supported")
        return character

    def _counted(self, least: int, comma: str | None, most: str | None) -> str:
        spelled = f"{{{least}{comma or ''}}}"
        is_endless = comma is not None and not most
        if max(least, int(most or 0)) > MOST_COUNTED or (is_endless and not self.may_repeat_without_end):
            raise PatternError(f"the repetition {spelled} is not supported")
        if most and int(most) < least:
            raise PatternError(f"the repetition {spelled} is not supported")
        return spelled

    def _count_ranges(self, ranges: Ranges) -> None:
        """Count ranges; raise PatternError for too many."""
        self._n_ranges += len(ranges)
        if self._n_ranges > MOST_RANGES:
            raise PatternError("its classes are too large")


class _Speller(PatternReader):
    """Possessive repetitions become greedy: the same in patterns whose parts exclude each other."""

    def pattern(self) -> str:
        parts, may_repeat = list[str](), False
        while self._at < len(self._source):
            part, may_repeat = self._part(may_repeat)
            parts.append(part)
        self._check_end()
        return "".join(parts)

    def _part(self, may_repeat: bool) -> tuple[str, bool]:
        """The next part, and whether it may be repeated."""
        if may_repeat and (repetition := self._repetition()):
            self._at += self._source.startswith("+", self._at)
            return repetition, False
        if group := self._begin_group():
            return group, False
        character = self._next()
        if character == ")":
            self._end_group()
            return ")", True
        if character == "|":
            return "|", False
        if character == "$":
            return "\\Z", False
        if character == "[":
            return self._class(), True
        if character == ".":
            return "[^\n]", True
        if character in "*+?{}^]":
            raise PatternError(f"unexpected {character} at character {self._at}")
        return self._written(self._ranges_of(character)), True

    def _class(self) -> str:
        """A class in brackets, expanded."""
        is_negated = self._source.startswith("^", self._at)
        self._at += is_negated
        ranges, is_first = list[Range](), True
        while not self._source.startswith("]", self._at) or is_first:
            ranges += self._member()
            is_first = False
        self._at += 1
        return self._written(tuple(ranges), is_negated)

    def _written(self, ranges: Ranges, is_negated: bool = False) -> str:
        self._count_ranges(ranges)
        return written(ranges, is_negated)

    def _member(self) -> Ranges:
        character = self._next()
        if character == "[" or self._source.startswith(("&&", "--", "~~"), self._at - 1):
            raise PatternError("a class contains another class")
        members = self._ranges_of(character)
        is_range = self._source.startswith("-", self._at) and self._source[self._at + 1 : self._at + 2] != "]"
        if not is_range:
            return members
        self._at += 1
        last = self._ranges_of(self._next())
        if self._ignores_case[-1]:
            raise PatternError("case-insensitive ranges of letters are not supported")
        return _between(members, last)

    def _ranges_of(self, character: str) -> Ranges:
        """The ranges of a character or an escape."""
        if character != "\\":
            return self._cased(character)
        character = self._next()
        if character in "pP":
            return self._category(is_negated=character == "P")
        if character in "sS":
            return complement(WHITESPACE_RANGES) if character == "S" else WHITESPACE_RANGES
        if character in "dD":
            return complement(ranges_of("Nd")) if character == "D" else ranges_of("Nd")
        if character in CONTROLS:
            return ((ord(CONTROLS[character]),) * 2,)
        if character.isalnum() or character.isspace():
            raise PatternError(f"unexpected \\{character} at character {self._at}")
        return ((ord(character),) * 2,)

    def _category(self, is_negated: bool) -> Ranges:
        """The ranges of the name in braces, or of the single letter, after `\\p`."""
        name = self._next()
        if name == "{":
            end = self._source.find("}", self._at)
            name, self._at = self._source[self._at : max(end, 0)], end + 1
        try:
            members = ranges_of(name)
        except KeyError:
            raise PatternError(f"there is no category {name[:20]!r}") from None
        return complement(members) if is_negated else members

    def _cased(self, character: str) -> Ranges:
        if not self._ignores_case[-1]:
            return ((ord(character),) * 2,)
        if OTHER_LETTERS.match(character):
            raise PatternError("case-insensitive letters beyond ASCII are not supported")
        forms = {character.lower(), character.upper(), *FOLDED.get(character.lower(), "")}
        return tuple((ord(form),) * 2 for form in sorted(forms))


def _between(first: Ranges, last: Ranges) -> Ranges:
    """All characters from one to another."""
    are_single = [len(ends) == 1 and ends[0][0] == ends[0][1] for ends in (first, last)]
    if not all(are_single) or first[0][0] > last[0][0]:
        raise PatternError("a class contains a range that is not in order")
    return ((first[0][0], last[0][0]),)


def complement(ranges: Ranges) -> Ranges:
    """All characters in none of some ranges, which are in order."""
    edges = [(-1, -1), *ranges, (N_CODES, N_CODES)]
    return tuple((one[1] + 1, two[0] - 1) for one, two in pairwise(edges) if one[1] + 1 < two[0])


def written(ranges: Ranges, is_negated: bool = False) -> str:
    """A class, or a lone character."""
    if not is_negated and len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _literal(ranges[0][0])
    parts = (
        _literal(first) if first == last else f"{_literal(first)}-{_literal(last)}" for first, last in ranges
    )
    return f"[{'^' if is_negated else ''}{''.join(parts)}]"


def _literal(code: int) -> str:
    """A character in the syntax of `re`, with a backslash if it has a meaning there."""
    character = chr(code)
    is_plain = character.isalnum() or character in "\r\n\t " or code >= 0x80
    return character if is_plain else f"\\{character}"


def expanded_oniguruma(source: str) -> str:
    r"""The same pattern in plain parts only.  Raises PatternError for unsupported syntax.

    Hugging Face's `tokenizers` reads patterns with Oniguruma 6.9 in its Ruby mode: `$` ends a line, classes
    contain other classes and `&&`, `\h` is a hexadecimal digit.  A possessive repetition becomes a greedy one
    with a look-ahead.
    Syntax: https://github.com/kkos/oniguruma/blob/master/doc/RE
    """
    return _OnigurumaSpeller(source).pattern()


class _OnigurumaSpeller(PatternReader):
    groups = (*PatternReader.groups, "(?-i:")
    counts = re.compile(r"\{(\d{0,5})(,(\d{0,5}))?\}")
    may_repeat_without_end = True
    _before = ""  # the previous letter, if case is ignored

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._looks_ahead = list[bool]()  # for each open group

    def pattern(self) -> str:
        if self._source.startswith("(?i)"):  # applies to the rest
            self._at, self._ignores_case = 4, [True]
        parts, repeatable = list[str](), ""
        while self._at < len(self._source):
            if repeatable and (repeated := self._repeated(repeatable, parts)):
                repeatable = ""
                if repeated != "=":
                    parts[-1] = repeated
                continue
            part, repeatable = self._part()
            parts.append(part)
        self._check_end()
        return "".join(parts)

    def _part(self) -> tuple[str, str]:
        """The next part, and the same again if it may be repeated; the end of a group is “)”."""
        if group := self._begin_group():
            self._looks_ahead.append(group != "(?:")
            return group, ""
        character = self._next()
        if character == ")":
            self._end_group()
            return ")", "" if self._looks_ahead.pop() else ")"
        if character == "|":
            self._before = ""
            return "|", ""
        if character == "$":
            return "(?![^\n])", ""
        if character == "\\" and self._source.startswith("z", self._at):
            self._at += 1
            return "\\Z", ""
        if character in "*+?^{" or (character == "]"):
            raise PatternError(f"unexpected {character} at character {self._at}")
        members = self._set_of(character)
        return (members, members)

    def _set_of(self, character: str) -> str:
        """A class, an escape, a dot or a character."""
        if character == "[":
            members = self._class(0)
        elif character == ".":
            members = complement(((0x0A, 0x0A),))
        else:
            members = self._ranges_of(character)
        if len(members) == 1 and members[0][0] == members[0][1] and self._ignores_case[-1]:
            letter = chr(members[0][0]).lower()
            if self._before + letter in ONE_LETTER_FOR_TWO:
                raise PatternError("case-insensitive letters that may match as one are not supported")
            self._before = letter
        else:
            self._before = ""
        if not members:
            raise PatternError("a class is empty")
        self._count_ranges(members)
        return written(self._cased(members))

    def _repeated(self, part: str, parts: list[str]) -> str:
        """`part` with the repetition after it; "" if there is none.  “=”: `parts` already has it."""
        if not (spelled := self._repetition()):
            return ""
        is_possessive = self._source.startswith("+", self._at)
        if is_possessive and (spelled.startswith("{") or part == ")"):
            raise PatternError("a repeated part is repeated again")
        if part == ")":
            parts.append(spelled)
            return "="
        if not is_possessive:
            return f"{part}{spelled}"
        self._at += 1
        return f"(?:{part}|(?!{part}))" if spelled == "?" else f"{part}{spelled}(?!{part})"

    def _class(self, depth: int) -> Ranges:
        """A class after its opening bracket."""
        if depth > MOST_NESTED:
            raise PatternError("its classes are nested too deeply")
        is_negated = self._source.startswith("^", self._at)
        self._at += is_negated
        members, meets = list[tuple[int, int]](), EVERYTHING
        is_first = True
        while is_first or not self._source.startswith("]", self._at):
            if self._source.startswith("&&", self._at):
                self._at += 2
                meets, members = _both(meets, _united(members)), []
                continue
            member = self._member(depth)
            self._count_ranges(member)
            members += member
            is_first = False
        self._at += 1
        result = _both(meets, _united(members))
        return complement(result) if is_negated else result

    def _member(self, depth: int) -> Ranges:
        if posix := POSIX.match(self._source, self._at):
            self._at = posix.end()
            named = _posix(posix[2])
            return complement(named) if posix[1] else named
        character = self._next()
        if character == "[":
            return self._class(depth + 1)
        members = self._ranges_of(character)
        is_range = self._source.startswith("-", self._at) and self._source[
            self._at + 1 : self._at + 2
        ] not in ("]", "")
        if not is_range:
            return members
        self._at += 1
        last = self._next()
        return _between(members, () if last == "[" else self._ranges_of(last))

    def _ranges_of(self, character: str) -> Ranges:
        """The ranges of a character or an escape."""
        if character != "\\":
            return ((ord(character),) * 2,)
        if code := CODE.match(self._source, self._at):
            self._at = code.end()
            value = int(code[1] or code[2] or code[3], 16)
            if value >= N_CODES or (code[2] and value >= 0x80):
                raise PatternError(f"\\{code[0]} is not a character")
            return ((value, value),)
        character = self._next()
        if character in "pP":
            return self._named(is_negated=character == "P")
        if character.lower() in "sdhw":
            members = {
                "s": WHITESPACE_RANGES,
                "d": ranges_of("Nd"),
                "h": HEX_DIGITS,
                "w": _property("word"),
            }[character.lower()]
            return complement(members) if character.isupper() else members
        if character in ONIGURUMA_CONTROLS:
            return ((ONIGURUMA_CONTROLS[character],) * 2,)
        if character.isalnum() or ord(character) >= 0x80:
            raise PatternError(f"unexpected \\{character} at character {self._at}")
        return ((ord(character),) * 2,)

    def _named(self, is_negated: bool) -> Ranges:
        name = PROPERTY.match(self._source, self._at)
        if name is None:
            raise PatternError(f"unexpected \\p at character {self._at}")
        self._at = name.end()
        members = _property(name[2])
        return complement(members) if is_negated != bool(name[1]) else members

    def _cased(self, members: Ranges) -> Ranges:
        """The ranges with the other case of all letters, if case is ignored."""
        if not self._ignores_case[-1]:
            return members
        if members[-1][1] >= 0x80 and members not in CASELESS:
            raise PatternError("case-insensitive letters beyond ASCII are not supported")
        letters = [chr(code) for first, last in members if last < 0x80 for code in range(first, last + 1)]
        forms = [
            form for each in letters for form in (each.lower(), each.upper(), *FOLDED.get(each.lower(), ""))
        ]
        return _united([*members, *((ord(form),) * 2 for form in forms)])


def _property(name: str) -> Ranges:
    """The code points of a category, a script or a class of POSIX."""
    plain = re.sub("[ _-]", "", name).lower()
    if plain in SHORT_NAMES or plain in LONG_NAMES:
        return ranges_of(SHORT_NAMES.get(plain) or LONG_NAMES[plain])
    if plain == "punct":
        return ranges_of("P")
    if plain == "word":
        return _united([*property_ranges("word"), *LATIN_NUMBERS])
    if plain in property_names():
        return property_ranges(plain)
    raise PatternError(f"there is no property {name!r}")


def _posix(name: str) -> Ranges:
    """The same in double brackets, where some names mean slightly more or less."""
    return property_ranges(name) if name in ("punct", "word") else _property(name)


def _united(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same code points as ranges in order that do not touch."""
    members = list[tuple[int, int]]()
    for first, last in sorted(ranges):
        if members and first <= members[-1][1] + 1:
            members[-1] = (members[-1][0], max(members[-1][1], last))
        else:
            members.append((first, last))
    return tuple(members)


def _both(one: Ranges, other: Ranges) -> Ranges:
    """The code points in both; each in order."""
    return complement(_united([*complement(one), *complement(other)]))


CASELESS = (WHITESPACE_RANGES, ranges_of("Nd"), ranges_of("N"), ranges_of("P"), ranges_of("Z"))
