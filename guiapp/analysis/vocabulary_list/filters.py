r"""Filters of tokens: a filter is a list of terms separated by spaces, all of which must match.

the  "new york"      tokens that contain these characters; inside quotes, write a quote as ""
/^\s+$/              tokens that the regular expression matches
0xE282               tokens that contain these bytes
#9906  100..200      tokens with this id, or with an id in this range
kind:control  script:Han
length:>=8  rank:..500  characters:1  …       for numeric columns: a value, a range or a comparison
is:unreached  is:untrained  is:notutf8  is:duplicate  is:byte  is:reserved  is:special
-kind:byte           `-` before a term: all other tokens

An unfinished term such as `kind:` matches all tokens, and its `missing` describes what to add.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.matches import QueryError, contains, distances_from
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.analysis.tree.trials import unreached_apart
from guiapp.analysis.vocabulary_list.columns import (
    BY_NAME,
    COLUMNS,
    NOT_READ,
    TokenColumn,
    TokenFigures,
    columns_of,
    named,
)
from guiapp.analysis.vocabulary_list.listing import Flags, Ids, TokenList, Values, in_order
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.vocabulary.attributes import KIND_NAMES
from guiapp.native.checkpoint import Progress

Counts = NDArray[np.int64]
LONGEST_COUNTED = 32  # bytes
LENGTHS = (
    *(counted(length, "byte") for length in range(LONGEST_COUNTED)),
    f"{LONGEST_COUNTED} bytes or more",
)
LENGTH_LABELS = {length: str(length) for length in (1, 8, 16, 24)} | {LONGEST_COUNTED: f"{LONGEST_COUNTED}+"}
N_STRETCHES = 32
WORTHS = ("score", "rank", "id")  # the histogram uses the first that the vocabulary has
REACHED = "reached"
Fits = Callable[[TokenFigures, Progress], Flags]

WORD = re.compile(
    r'(?P<minus>-?)(?P<body>/.+?/(?=\s|$)|[a-zA-Z]+:"(?:[^"]|"")*"?|"(?:[^"]|"")*"?|\S+)', re.DOTALL
)
QUOTED = re.compile(r'"((?:[^"]|"")*)"?', re.DOTALL)
HEX = re.compile("0x([0-9a-fA-F]*)")
ID = re.compile(r"#(\d{1,12})")
ID_RANGE = re.compile(r"#?\d{1,12}\.\.(#?\d{1,12})?|\.\.#?\d{1,12}")
KEY = re.compile("([a-zA-Z]+):(.*)", re.DOTALL)
NUMBER = r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
COMPARED = re.compile(f"(>=|<=|>|<|=)?{NUMBER}")
RANGE = re.compile(f"{NUMBER}?\\.\\.{NUMBER}?")
ALIKE, NEAR = 0.8, 0.6  # least similarity to suggest a key for a misspelt one (lenght), or a name
UNFINISHED = re.compile("(>=|<=|>|<|=)?[-+]?")
COMPARISONS = {">=": np.greater_equal, "<=": np.less_equal, ">": np.greater, "<": np.less, "=": np.equal}
NOT_TRIED = "The search for unreached tokens is not finished."


class Flag(NamedTuple):
    """The filter `is:NAME`; `lacking` is the message if `fits` returns None."""

    about: str
    fits: Callable[[TokenFigures], Flags | None]
    lacking: str = ""


def _unreached(figures: TokenFigures) -> Flags | None:
    return None if figures.is_reached is None else figures.is_reached == 0


def _untrained(figures: TokenFigures) -> Flags | None:
    return None if figures.indicators is None else figures.flags(figures.indicators.suspects)


FLAGS = {
    "unreached": Flag("no test text gives it", _unreached, NOT_TRIED),
    "untrained": Flag("its embedding looks untrained", _untrained, NOT_READ),
    "notutf8": Flag("its bytes are not whole characters", lambda figures: figures.is_broken),
    "duplicate": Flag("another token has the same bytes", lambda figures: figures.is_duplicate),
    "byte": Flag("stands for a single byte", lambda figures: figures.is_byte),
    "reserved": Flag("reserved by its kind or name", lambda figures: figures.is_reserved),
    "special": Flag("control, unknown or user-defined", lambda figures: figures.is_special),
}


@dataclass(frozen=True)
class FilterTerm:
    """One term of a filter.

    written  the term as typed
    is_not   whether it is negated
    needle   the bytes that tokens must contain; None for other terms
    text     the text that tokens must contain, if the term was typed as text
    missing  a sentence about what to add; "" if the term is finished
    """

    written: str
    is_not: bool
    fits: Fits
    needle: bytes | None = None
    needs_trials: bool = False
    missing: str = ""
    text: str = ""


def terms_of(query: str) -> tuple[FilterTerm, ...]:
    """Parse a filter.  Raises QueryError."""
    return tuple(map(_term, WORD.finditer(query)))


def needs_trials(query: str) -> bool:
    """Whether a filter needs to know which tokens text reaches; False for an invalid filter."""
    try:
        return any(term.needs_trials for term in terms_of(query))
    except QueryError:
        return False


def check_filter(query: str) -> None:
    """Raise QueryError for an invalid or unfinished filter."""
    for term in terms_of(query):
        if term.missing:
            raise QueryError(term.missing)


def fitting(figures: TokenFigures, query: str, progress: Progress) -> Flags:
    """Whether each token matches a filter.  Raises QueryError."""
    flags = np.ones(len(figures), np.bool_)
    for term in terms_of(query):
        flags &= term.fits(figures, progress) ^ term.is_not
    return flags


def in_any_case(figures: TokenFigures, query: str, progress: Progress) -> tuple[str, int]:
    """The filter with case-insensitive texts, and how many tokens match it.

    ("", 0) if it has no text, or has a regular expression, which needs a child process.
    """
    terms, flags, written = terms_of(query), np.ones(len(figures), np.bool_), list[str]()
    if not any(term.text and not term.is_not for term in terms) or "/" in query:
        return "", 0
    tree = figures.tree
    data = np.frombuffer(tree.data.tobytes().lower(), np.uint8)  # lowers ASCII; `cases` handles the rest
    for term in terms:
        if term.is_not or not term.text:
            flags &= term.fits(figures, progress) ^ term.is_not
            written.append(term.written)
            continue
        cases = {change(term.text) for change in (str.lower, str.upper, str.title)}
        needles = {case.encode("utf-8", "surrogatepass").lower() for case in cases}
        flags &= reduce(np.logical_or, (contains(tree, needle, data) for needle in needles))
        written.append(f"/(?i){re.escape(term.text)}/")
    return " ".join(written), int(flags.sum())


def listed(
    figures: TokenFigures, query: str, sort: TokenColumn | None, is_descending: bool, progress: Progress
) -> Ids:
    """The tokens that match a filter, sorted; without `sort`, the closest matches of its texts first.

    Raises QueryError.
    """
    flags = fitting(figures, query, progress)
    if sort is not None:
        return in_order(figures, flags, sort, is_descending)
    ids = np.flatnonzero(flags).astype(np.int32)
    return ids[np.argsort(distances(figures, query, ids), kind="stable")]


def distances(figures: TokenFigures, query: str, ids: Ids) -> NDArray[np.int16]:
    """The distance of matching tokens from the texts in a filter, see `matches.distances_from`."""
    far, has_space = np.zeros(len(ids), np.int16), query.startswith(" ")
    for term in terms_of(query):
        if term.needle is not None and not term.is_not:
            far += distances_from(figures.tree, term.needle, ids, has_space).astype(np.int16)
        has_space = False  # the leading space belongs to the first term only
    return far


def without(query: str, key: str) -> str:
    """A filter without its terms `key:…`."""
    return " ".join(
        word[0] for word in WORD.finditer(query) if not word["body"].lower().startswith(f"{key}:")
    )


def without_terms(query: str, written: str) -> str:
    """A filter without the terms in `written`."""
    return " ".join(word[0] for word in WORD.finditer(query) if word[0] not in _words(written))


def _words(query: str) -> set[str]:
    return {word[0] for word in WORD.finditer(query)}


def has(query: str, written: str) -> bool:
    """Whether a filter contains all terms in `written`."""
    return _words(written) <= _words(query)


def with_term(query: str, written: str) -> str:
    """A filter with the terms in `written` added."""
    return f"{query.strip()} {written}".strip()


def script_term(script: int) -> str:
    """The term that matches a script, given as an index into SCRIPT_NAMES."""
    name = SCRIPT_NAMES[script]
    return f'script:"{name}"' if " " in name else f"script:{name}"


def _term(word: re.Match[str]) -> FilterTerm:
    written, body, is_not = word[0], word["body"], bool(word["minus"])
    term = partial(FilterTerm, written, is_not)
    if len(body) > 2 and body[0] == body[-1] == "/":
        return term(partial(_expression, body[1:-1]))
    if match := HEX.fullmatch(body):
        needle = bytes.fromhex(match[1][: len(match[1]) // 2 * 2])
        is_whole = match[1] and len(match[1]) % 2 == 0
        lacking = "" if is_whole else f"“{written}” is incomplete: a byte has two hex digits, such as 0xE2."
        if not needle:
            return _unfinished(written, lacking)
        return term(partial(_containing, needle), needle, missing=lacking)
    if match := ID.fullmatch(body):
        return term(partial(_in_range, BY_NAME["id"], int(match[1]), int(match[1])))
    if ID_RANGE.fullmatch(body):
        low, high = (float(end) if end else None for end in body.replace("#", "").split(".."))
        return _range(written, BY_NAME["id"], low, high, term)
    if (match := KEY.fullmatch(body)) and (key := match[1].lower()) in KEYS:
        return _keyed(written, key, _unquoted(match[2]), term)
    doubled = body.replace('"', '""')
    as_text = f'To search for this text, write it in quotes: "{doubled}".'
    near = get_close_matches(key, sorted(KEYS), 1, ALIKE) if match else []
    if match and (near or match[2][:1] not in ("", ":", "/")):  # std::vector, http://
        meant = f" Did you mean {near[0]}:?" if near else ""
        raise QueryError(f"There is no filter {match[1]}:.{meant} {as_text}")
    if body.startswith("0x"):
        raise QueryError(f"“{body}” is not bytes, such as 0xE282. {as_text}")
    text = _unquoted(body)
    needle = text.encode("utf-8", "surrogatepass")
    if not needle:
        return _unfinished(written, f"“{written}” is incomplete: write text between the quotes.")
    return term(partial(_containing, needle), needle, text=text)


def _unfinished(written: str, lacking: str) -> FilterTerm:
    return FilterTerm(written, False, lambda figures, _: np.ones(len(figures), np.bool_), missing=lacking)


def _unquoted(text: str) -> str:
    """Remove quotes around a text; a lone quote stands for itself."""
    match = QUOTED.fullmatch(text) if len(text) > 1 else None
    return text if match is None else match[1].replace('""', '"')


def _keyed(written: str, key: str, value: str, term: Callable[..., FilterTerm]) -> FilterTerm:
    """Parse the term `key:value`, finished or not."""
    begun = f"“{written}” is incomplete: "
    if key == "is":
        if value in FLAGS:
            return term(partial(_flagged, FLAGS[value]), needs_trials=value == "unreached")
        if possible := [f"is:{name}" for name in FLAGS if name.startswith(value)]:
            return _unfinished(written, f"{begun}write {' or '.join(possible)}.")
        raise _unknown("is:", value, list(FLAGS))
    if key in NAMED:
        if not value:
            return _unfinished(written, f"{begun}write a {key}, such as {key}:{EXAMPLES[key]}.")
        return term(partial(_of_names, key, _numbers(key, value)))
    column = BY_NAME[key]
    if UNFINISHED.fullmatch(value) or value == "..":
        return _unfinished(written, f"{begun}write a number, such as {key}:>8 or {key}:4..8.")
    if match := COMPARED.fullmatch(value):
        return term(partial(_compared, column, match[1] or "=", float(match[2])))
    if match := RANGE.fullmatch(value):
        low, high = (None if end is None else float(end) for end in match.groups())
        return _range(written, column, low, high, term)
    raise QueryError(f"“{value}” is not a number or a range, such as 4..8 or >=4.")


def _range(
    written: str, column: TokenColumn, low: float | None, high: float | None, term: Callable[..., FilterTerm]
) -> FilterTerm:
    """The term for a range; it is unfinished if its end is below its start, which may get more digits."""
    if low is not None and high is not None and high < low:
        return _unfinished(written, f"“{written}” is an empty range: write the smaller number first.")
    return term(partial(_in_range, column, low, high))


def _numbers(key: str, value: str) -> NDArray[np.int64]:
    """The kinds or scripts with this name, else those whose names begin with it.  Raises QueryError."""
    names, needle = [_plain(name) for name in NAMED[key]], _plain(value)
    numbers = [number for number, name in enumerate(names) if name == needle]
    numbers = numbers or [number for number, name in enumerate(names) if name.startswith(needle)]
    if not numbers:
        raise _unknown(f"{key} ", value, NAMED[key])
    return np.array(numbers)


def _unknown(kind: str, value: str, names: Sequence[str]) -> QueryError:
    """An error that suggests similar names and lists all."""
    by_plain_name = {_plain(name): name for name in names}
    near = [by_plain_name[each] for each in get_close_matches(_plain(value), by_plain_name, cutoff=NEAR)]
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return QueryError(f"There is no {kind}“{value}”.{meant} Choose from: {', '.join(names)}.")


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


NAMED = {"kind": KIND_NAMES, "script": SCRIPT_NAMES}
EXAMPLES = {"kind": "control", "script": "Han"}
KEYS = {"is", *NAMED, *(column.name for column in COLUMNS if column.is_figure)}


def _containing(needle: bytes, figures: TokenFigures, progress: Progress) -> Flags:
    return contains(figures.tree, needle)


def _expression(expression: str, figures: TokenFigures, progress: Progress) -> Flags:
    return figures.flags(figures.matcher.matching(figures.tree, expression, progress))


def _flagged(flag: Flag, figures: TokenFigures, progress: Progress) -> Flags:
    flags = flag.fits(figures)
    if flags is None:
        raise QueryError(flag.lacking)
    return flags


def _of_names(key: str, numbers: NDArray[np.int64], figures: TokenFigures, progress: Progress) -> Flags:
    values = BY_NAME[key].values(figures)
    assert values is not None
    return np.isin(values, numbers)


def _compared(
    column: TokenColumn, comparison: str, number: float, figures: TokenFigures, progress: Progress
) -> Flags:
    return np.asarray(COMPARISONS[comparison](_values(column, figures), number), np.bool_)


def _in_range(
    column: TokenColumn, low: float | None, high: float | None, figures: TokenFigures, progress: Progress
) -> Flags:
    """Whether values are in [low, high]; False for tokens without a value."""
    values = _values(column, figures)
    above = values >= (-np.inf if low is None else low)
    return np.asarray(above & (values <= (np.inf if high is None else high)), np.bool_)


def _values(column: TokenColumn, figures: TokenFigures) -> NDArray[np.number]:
    values = column.values(figures)
    if values is None and column.lacking:
        raise QueryError(column.lacking)
    if values is None:
        kind = figures.vocabulary.type.value
        raise QueryError(f"The tokens of a {kind} vocabulary have no {column.name}.")
    return values


# The list of tokens that match a filter, for the command line and scripts


def vocabulary_list(
    tokenizer: Tokenizer,
    query: str = "",
    sort: str | None = None,
    is_descending: bool = False,
    columns: Sequence[str] | None = None,
    spelling: Spelling = Spelling.SIGNS,
    progress: Callable[[float], None] = lambda share: None,
    reads_embeddings: bool = False,
    unused: Sequence[int] | None = None,
) -> TokenList[TokenFigures]:
    """The tokens that match a filter, sorted by a column; by default, the closest matches of its texts first.

    If the filter, the order or a column needs it, test which tokens text reaches: some seconds.
    reads_embeddings  adds columns and `is:untrained`; takes up to a minute
    unused            rows of the embeddings to compare the others with, instead of the detected ones
    Raises QueryError, TrialError if tokens cannot be tested, VocabError if there are no embeddings.
    """
    check_filter(query)
    names = [] if columns is None else columns
    shown, order = named(names), None if sort is None else named([sort])[0]
    figures = TokenFigures(tokenizer)
    if reads_embeddings:
        from guiapp.analysis.vocabulary_list.embeddings import (
            token_indicators,  # imports gguf, which is slow
        )

        figures = figures.with_indicators(token_indicators(tokenizer.vocabulary, progress, unused))
    if needs_trials(query) or REACHED in (*names, sort):
        figures = figures.with_unreached(unreached_apart(tokenizer, progress))
    ids = listed(figures, query, order, is_descending, progress)
    shown = shown or [column for column in columns_of(figures) if column.is_usual]
    return TokenList(figures, ids, shown, query, spelling, summary=figures.summary)


# Histograms of the tokens by script, length and rank; each bar has a filter for its tokens


@dataclass(frozen=True, eq=False)
class Histogram:
    """A histogram of one column.

    name    of the column
    names   of the bars
    terms   the filter for each bar
    of      int16[n]: the bar of each token, or -1
    totals  int64[k]: the number of tokens in each bar
    """

    name: str
    names: tuple[str, ...]
    terms: tuple[str, ...]
    of: NDArray[np.int16]
    totals: Counts

    def counts(self, ids: Ids) -> Counts:
        """int64[k]: how many of the tokens `ids` are in each bar."""
        return np.bincount(self.of[ids] + 1, minlength=len(self.names) + 1)[1:]


def histograms(figures: TokenFigures) -> tuple[Histogram, ...]:
    """Histograms by script, by length, and by the first of WORTHS that the vocabulary has."""
    scripts = list(map(script_term, range(len(SCRIPT_NAMES))))
    lengths = [*(f"length:{length}" for length in range(LONGEST_COUNTED)), f"length:>={LONGEST_COUNTED}"]
    worths = ((name, BY_NAME[name].values(figures)) for name in WORTHS)
    return (
        _histogram("script", SCRIPT_NAMES, scripts, figures.scripts),
        _histogram("length", LENGTHS, lengths, np.minimum(figures.lengths, LONGEST_COUNTED)),
        next(_binned(name, values) for name, values in worths if values is not None),
    )


def _binned(name: str, values: Values) -> Histogram:
    """A histogram with bins of equal width from the least value to the greatest."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    width = (high - low) / N_STRETCHES
    if not np.issubdtype(values.dtype, np.float32):  # whole numbers
        width = np.ceil(max(width, 1))
    edges = [float(f"{low + width * number:.6g}") for number in range(N_STRETCHES)] if width else [low]
    edges = [edge for edge in edges if edge <= high]
    edges[0] = min(edges[0], low)
    of = np.full(len(values), -1, np.int16)
    for edge in edges:
        of += values >= edge
    ends = [f"{edge:.9g}" for edge in edges]
    above = [f"{name}:>={end}" for end in ends]
    terms = [f"{term} {name}:<{end}" for term, end in zip(above, ends[1:], strict=False)] + above[-1:]
    names = [f"{name} {edge:,.6g} to {end:,.6g}" for edge, end in zip(edges, [*edges[1:], high], strict=True)]
    return _histogram(name, names, terms, np.where(np.isfinite(values), of, -1))


def doubling_histogram(figures: TokenFigures, name: str, n_single: int) -> Histogram:
    """A histogram with a bin for each whole number up to `n_single`, then with bins of doubling width."""
    values, starts, start = BY_NAME[name].values(figures), [*range(n_single + 1)], n_single + 1
    assert values is not None
    most = int(values.max(initial=0))
    while start <= most:
        starts, start = [*starts, start], 2 * start - 1
    starts = starts[: most + 1]
    ends = [*(each - 1 for each in starts[1:]), most]
    spans = [
        str(first) if first == last else f"{first}..{last}" for first, last in zip(starts, ends, strict=True)
    ]
    terms, names = [f"{name}:{span}" for span in spans], [f"{name} {span}" for span in spans]
    return _histogram(name, names, terms, np.searchsorted(starts, values, "right") - 1)


def _histogram(name: str, names: Sequence[str], terms: Sequence[str], of: Values) -> Histogram:
    bars = of.astype(np.int16)
    totals = np.bincount(bars + 1, minlength=len(names) + 1)[1:]
    return Histogram(name, tuple(names), tuple(terms), bars, totals)
