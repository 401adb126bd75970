"""Bytes as visible text, and the characters of a text that mislead: hidden or look-alike ones.

Hidden characters are those that Unicode draws as nothing (Default_Ignorable_Code_Point).  Not counted are
those that belong to well-formed script or emoji: joiners within Persian and Indic words, joiners and
selectors of emoji, a selector after its ideograph, zero-width spaces in scripts without spaces, Mongolian
selectors, fillers of Hangul syllables.  Spaces of all widths are not hidden.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.normalized import decode, encode
from guiapp.core.text.unicode_tables import ranges_of
from guiapp.native.checkpoint import checkpoint

PASS_FOR_LATIN = {
    "Cyrillic": (
        "аеорсухіјѕԁԛԝһӏѵАВЕЅІЈКМНОРСТУХҮԌԚԜӀѴ",
        "aeopcyxijsdqwhlvABESIJKMHOPCTYXYGQWIV",
    ),
    "Greek": ("οϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿνρ", "ocjABEZHIKMNOPTYXCJvp"),
    "Armenian": ("օոսհզցյՕՏՍԼ", "onuhqgjOSUL"),
    "Cherokee": ("ᎠᎡᎢᎪᎫᎬᎳᎷᎻᏀᏃᏚᏞᏟᏢᏦᏴᏔ", "DRTAJEWMHGZSLCPKBW"),
}
_LETTERS = {
    "Latin": "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff",
    "Greek": "\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u03ff\u1f00-\u1fff",
    "Cyrillic": "\u0400-\u0481\u048a-\u052f",
    "Armenian": "\u0531-\u0556\u0561-\u0587",
    "Cherokee": "\u13a0-\u13fd\uab70-\uabbf",
}
_SEEMS = {
    script: dict(zip(letters, latin, strict=True)) for script, (letters, latin) in PASS_FOR_LATIN.items()
}
_PASSES = {script: {latin: own for own, latin in seems.items()} for script, seems in _SEEMS.items()}
_IN = {script: re.compile(f"[{ranges}]") for script, ranges in _LETTERS.items()}
_OTHERS = "".join(ranges for script, ranges in _LETTERS.items() if script != "Latin")
_WORD = re.compile(f"[{_LETTERS['Latin']}{_OTHERS}\u0300-\u036f]+")
_MEETING = re.compile(
    f"[{_LETTERS['Latin']}][\u0300-\u036f]*[{_OTHERS}]|[{_OTHERS}][\u0300-\u036f]*[{_LETTERS['Latin']}]"
)
IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)  # Default_Ignorable_Code_Point in DerivedCoreProperties.txt of Unicode 18.0
SPACES = "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # of category Z, all but U+0020
BLANKS = "\u2800\ufff9-\ufffb\U00013441\U00013442\U0001d159"  # others that are drawn without ink
INVISIBLE = re.compile(f"[{IGNORABLE}{SPACES}{BLANKS}]+")

EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3"
    "\u23f8-\u23fa\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u2604\u260e\u2611\u2614\u2615\u2618"
    "\u261d\u2620\u2622\u2623\u2626\u262a\u262e\u262f\u2638-\u263a\u2640\u2642\u2648-\u2653\u265f\u2660"
    "\u2663\u2665\u2666\u2668\u267b\u267e\u267f\u2692-\u2697\u2699\u269b\u269c\u26a0\u26a1\u26a7\u26aa\u26ab"
    "\u26b0\u26b1\u26bd\u26be\u26c4\u26c5\u26c8\u26ce\u26cf\u26d1\u26d3\u26d4\u26e9\u26ea\u26f0-\u26f5"
    "\u26f7-\u26fa\u26fd\u2702\u2705\u2708-\u270d\u270f\u2712\u2714\u2716\u271d\u2721\u2728\u2733\u2734"
    "\u2744\u2747\u274c\u274e\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27a1\u27b0\u27bf\u2934\u2935"
    "\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030\u303d\u3297\u3299\U0001f004\U0001f0cf\U0001f170\U0001f171"
    "\U0001f17e\U0001f17f\U0001f18e\U0001f191-\U0001f19a\U0001f201\U0001f202\U0001f21a\U0001f22f"
    "\U0001f232-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f321\U0001f324-\U0001f393\U0001f396\U0001f397"
    "\U0001f399-\U0001f39b\U0001f39e-\U0001f3f0\U0001f3f3-\U0001f3f5\U0001f3f7-\U0001f4fd"
    "\U0001f4ff-\U0001f53d\U0001f549-\U0001f54e\U0001f550-\U0001f567\U0001f56f\U0001f570"
    "\U0001f573-\U0001f57a\U0001f587\U0001f58a-\U0001f58d\U0001f590\U0001f595\U0001f596\U0001f5a4\U0001f5a5"
    "\U0001f5a8\U0001f5b1\U0001f5b2\U0001f5bc\U0001f5c2-\U0001f5c4\U0001f5d1-\U0001f5d3\U0001f5dc-\U0001f5de"
    "\U0001f5e1\U0001f5e3\U0001f5e8\U0001f5ef\U0001f5f3\U0001f5fa-\U0001f64f\U0001f680-\U0001f6c5"
    "\U0001f6cb-\U0001f6d2\U0001f6d5-\U0001f6d9\U0001f6dc-\U0001f6e5\U0001f6e9\U0001f6eb\U0001f6ec\U0001f6f0"
    "\U0001f6f3-\U0001f6fc\U0001f7e0-\U0001f7eb\U0001f7f0\U0001f90c-\U0001f93a\U0001f93c-\U0001f945"
    "\U0001f947-\U0001f9ff\U0001fa70-\U0001fa7c\U0001fa80-\U0001fac6\U0001fac8\U0001facc-\U0001fadd"
    "\U0001fadf-\U0001faeb\U0001faef-\U0001fafa"
)  # Emoji in emoji-data.txt of Unicode 18.0, without digits and the letters of flags
REGIONS = ("gbeng", "gbsct", "gbwls")  # regions whose flags Unicode recommends
JOINING = re.compile("\u200d|\U000e007f")  # between pictures, and after the tags of a region
_TAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in REGIONS)
_PICTURE = f"[{EMOJI}](?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
_SEQUENCE = re.compile(f"[0-9#*]\ufe0f\u20e3|\U0001f3f4(?:{_TAGS})\U000e007f|{_PICTURE}(?:\u200d{_PICTURE})*")
BLOCK_BYTES = 1 << 20  # processed between two checkpoints
SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
IDEOGRAPHS = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
MONGOLIAN = "\u1800-\u180a\u1810-\u18af"
JOINED = (  # scripts in which a joiner or non-joiner between two characters changes how they are drawn
    "\u0620-\u06ff\u0700-\u077f\u07ca-\u07ff\u0840-\u085f\u0860-\u08ff\u0900-\u0dff\u0f40-\u0fbc\u1000-\u109f"
    "\u1780-\u17d3\u1820-\u18af\u1900-\u194f\u1a20-\u1aad\u1b00-\u1b7f\u1b80-\u1bff\u1c00-\u1c4f\ua800-\ua82f"
    "\ua840-\ua87f\ua880-\ua8df\ua930-\ua95f\ua980-\ua9df\uaa00-\uaa5f\uaa60-\uaa7f\uabc0-\uabff\ufb50-\ufdff"
    "\ufe70-\ufefc\U00010d00-\U00010d3f\U00011000-\U00011fff\U0001e900-\U0001e95f"
)
UNSPACED = "\u0e01-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua980-\uaa7f"
_HIDDEN, _EMOJI, _SELECTOR, _IDEOGRAPH, _MONGOLIAN, _JOINED, _UNSPACED, _KEYCAP = (
    1 << bit for bit in range(8)
)
_CLASSES = (
    (_HIDDEN, IGNORABLE),
    (_EMOJI, EMOJI),
    (_SELECTOR, SELECTORS),
    (_IDEOGRAPH, IDEOGRAPHS),
    (_MONGOLIAN, MONGOLIAN),
    (_JOINED, JOINED),
    (_UNSPACED, UNSPACED),
    (_KEYCAP, "0-9#-#*-*"),
)
_RANGE = re.compile(r"(.)(?:-(.))?", re.DOTALL)
_SIZES = np.array([1] * 0x80 + [0] * 0x42 + [2] * 0x1E + [3] * 0x10 + [4] * 5 + [0] * 11, np.int64)
_BITS = np.array([0, 0x7F, 0x1F, 0x0F, 0x07], np.uint32)  # of the first byte of a character, by its size
_LEAST = np.array([0, 0, 0x80, 0x800, 0x10000], np.uint32)
_LAST_POINT = 0x10FFFF
TAG, FLAG = 0xE0000, 0x1F3F4

KINDS = (
    ("tag characters", "\U000e0000-\U000e007f"),
    ("variation selectors", SELECTORS + "\u180b-\u180d\u180f"),
    ("zero-width characters", "\u200b-\u200d\u2060\ufeff\u180e\u034f"),
    ("direction marks", "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"),
    ("soft hyphens", "\u00ad"),
    ("blank letters", "\u115f\u1160\u17b4\u17b5\u3164\uffa0"),
    ("invisible operators", "\u2061-\u2064"),
)
OTHER_KIND = "characters that draw nothing"
SIGNS = {" ": "·", "\n": "↵", "\t": "→", "\r": "␍"}
FIRST_RIGHT_TO_LEFT = "\u0590"
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs"}
FIRST_ESCAPED_BYTE, LAST_ESCAPED_BYTE = "\udc80", "\udcff"  # a stray byte under "surrogateescape"


class VisibleRun(NamedTuple):
    """A run of visible text; `is_symbol` if it stands for something else (`·`, `↵`, `<E2 82>`)."""

    text: str
    is_symbol: bool


def visible_text(data: bytes, limit: int = 200) -> str:
    """`data` as one visible line of at most about `limit` characters, with `…` at the end if it was cut."""
    head = data[: 4 * limit].decode("utf-8", "surrogateescape")
    if (plain := _plain(head[:limit])) is None:
        return "".join(run.text for run in visible_runs(data, limit))
    return f"{plain}…" if len(head) > limit or len(data) > 4 * limit else plain


def visible_runs(data: bytes, limit: int = 200) -> list[VisibleRun]:
    """Like `visible_text`, with symbols separate from the characters that stand for themselves."""
    head = data[: 4 * limit].decode("utf-8", "surrogateescape")  # 4 bytes per character at most
    runs = list(_runs(head[:limit]))
    if len(head) > limit or len(data) > 4 * limit:
        runs.append(VisibleRun("…", True))
    return runs


def isolate(text: str) -> str:
    """Keep right-to-left text from reordering the text around it (first strong isolate)."""
    return f"\u2068{text}\u2069" if max(text, default="") >= FIRST_RIGHT_TO_LEFT else text


def _plain(text: str) -> str | None:
    """The usual case, fast: characters that stand for themselves, and white space; else None."""
    shown = text.replace(" ", SIGNS[" "])
    if not shown.isprintable():
        for character, sign in SIGNS.items():
            shown = shown.replace(character, sign)
    if not shown.isprintable() or INVISIBLE.search(text) or _begins_with_mark(text):
        return None
    return shown


def _runs(text: str) -> Iterator[VisibleRun]:
    if _begins_with_mark(text):
        yield VisibleRun("◌", True)  # a combining mark needs a base character
    at = 0
    for emoji in emoji_sequences(text):
        yield from _signed(text[at : emoji.start()])
        yield VisibleRun(emoji[0], False)  # with joiners that are part of the picture
        at = emoji.end()
    yield from _signed(text[at:])


def _signed(text: str) -> Iterator[VisibleRun]:
    for is_symbol, characters in groupby(text, _needs_symbol):
        segment = "".join(characters)
        if is_symbol is None:
            yield VisibleRun(f"<{segment.encode('utf-8', 'surrogateescape').hex(' ').upper()}>", True)
        else:
            yield VisibleRun("".join(map(_symbol_for, segment)) if is_symbol else segment, is_symbol)


def _begins_with_mark(text: str) -> bool:
    return text != "" and unicodedata.category(text[0])[0] == "M" and not INVISIBLE.match(text)


@lru_cache(1 << 14)
def _needs_symbol(character: str) -> bool | None:
    """Whether a character is shown as a symbol; None for a stray byte."""
    if FIRST_ESCAPED_BYTE <= character <= LAST_ESCAPED_BYTE:
        return None
    is_unseen = unicodedata.category(character) in UNSEEN or bool(INVISIBLE.match(character))
    return character in SIGNS or is_unseen or bool(unassigned().match(character))


def _symbol_for(character: str) -> str:
    return SIGNS.get(character) or f"<U+{ord(character):04X}>"


class HiddenSpans(NamedTuple):
    """The positions of hidden characters; adjacent ones form one span.

    starts, ends  int64[k]  span i is the bytes [starts[i], ends[i]); ascending, not touching
    counts        int64[k]  the number of characters in each
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def n_characters(self) -> int:
        return int(self.counts.sum())


NOTHING_HIDDEN = HiddenSpans(*(np.zeros(0, np.int64) for _ in range(3)))


def hidden_spans(text: bytes) -> HiddenSpans:
    """Find the hidden characters; bytes that are not UTF-8 hide nothing."""
    if text.isascii():
        return NOTHING_HIDDEN
    classes, leads, pairs = _tables()
    view = np.frombuffer(text, np.uint8)
    matches = []
    for block in range(0, len(view), BLOCK_BYTES):
        checkpoint()
        starts = np.flatnonzero(leads[view[block : block + BLOCK_BYTES]]) + block
        second = view.take(starts + 1, mode="clip")
        starts = starts[pairs[view[starts].astype(np.uint16) << 8 | second]]
        points, _ = _points_at(view, starts)
        matches.append(starts[(classes[points] & _HIDDEN) != 0])
    starts = np.concatenate(matches)
    if not len(starts):
        return NOTHING_HIDDEN
    points, sizes = _points_at(view, starts)
    is_hidden = ~_is_written(view, starts, points, sizes, classes)
    return _joined(starts[is_hidden], sizes[is_hidden])


def without(text: bytes, spans: HiddenSpans) -> bytes:
    """The text without these spans."""
    edges = np.zeros(len(text) + 1, np.int8)
    edges[spans.starts] = 1
    edges[spans.ends] -= 1
    left: bytes = np.frombuffer(text, np.uint8)[np.cumsum(edges[:-1], dtype=np.int8) == 0].tobytes()
    return left


def decoded(text: str) -> str:
    """The message in hidden characters, "" if there is none: tags stand for ASCII, selectors for bytes.

    Selector n of 256 stands for byte n - 1, the usual way to hide UTF-8; a single one has no meaning.
    """
    letters = "".join(chr(ord(each) - TAG) for each in text if "\U000e0020" <= each <= "\U000e007e")
    if letters:
        return letters
    numbers = [_selected_byte(ord(each)) for each in text]
    hidden = bytes(number for number in numbers if number is not None)
    spelling = hidden.decode("utf-8", "replace") if len(hidden) > 1 else ""
    n_printed = sum(character.isprintable() and character != "\ufffd" for character in spelling)
    return spelling if 2 * n_printed > len(spelling) else ""


def kinds_of(text: str) -> list[str]:
    """The kinds of these hidden characters, the most frequent first."""
    counts = {name: len(matches) for name, ranges in KINDS if (matches := re.findall(f"[{ranges}]", text))}
    if n_others := len(text) - sum(counts.values()):
        counts[OTHER_KIND] = n_others
    return sorted(counts, key=counts.__getitem__, reverse=True)


def kind_name(kind: str, number: int) -> str:
    """The name of a kind of `kinds_of`, in the singular or plural of a number."""
    if number != 1:
        return kind
    return "character that draws nothing" if kind == OTHER_KIND else kind.removesuffix("s")


def _selected_byte(point: int) -> int | None:
    if 0xFE00 <= point <= 0xFE0F:
        return point - 0xFE00
    return point - 0xE0100 + 16 if 0xE0100 <= point <= 0xE01EF else None


def _is_written(
    view: NDArray[np.uint8],
    starts: NDArray[np.int64],
    points: NDArray[np.uint32],
    sizes: NDArray[np.int64],
    classes: NDArray[np.uint8],
) -> NDArray[np.bool_]:
    """Which of all characters that draw nothing belong to the spelling of a script or an emoji."""
    before, following = _points_before(view, starts), _points_at(view, starts + sizes)[0]
    left, right = classes[before], classes[following]
    left[(left & _HIDDEN) != 0] &= _SELECTOR  # a hidden character cannot be the letter before another one
    is_last = (right & _HIDDEN) == 0
    is_joiner = (points == 0x200C) | (points == 0x200D)
    of_emoji = ((points == 0xFE0E) | (points == 0xFE0F)) & ((left & _EMOJI) != 0)
    of_emoji |= (points == 0xFE0F) & ((left & _KEYCAP) != 0) & (following == 0x20E3)
    behind_selector = (before == 0xFE0F) & np.append(False, of_emoji[:-1])
    is_ideographic = ((points >= 0xFE00) & (points <= 0xFE02)) | ((points >= 0xE0100) & (points <= 0xE01EF))
    is_mongolian = (points >= 0x180B) & (points <= 0x180F) & (left & _MONGOLIAN != 0)
    is_written: NDArray[np.bool_] = (
        of_emoji
        | ((points == 0x200D) & ((left & _EMOJI != 0) | behind_selector) & (right & _EMOJI != 0))
        | (is_ideographic & (left & _IDEOGRAPH != 0) & (right & _SELECTOR == 0))
        | (is_joiner & (left & _JOINED != 0) & is_last)
        | ((points == 0x200B) & (left & _UNSPACED != 0) & is_last)
        | (is_mongolian & is_last)
        | ((points == 0x115F) & (following >= 0x1161) & (following <= 0x11A7))
        | ((points == 0x1160) & (before >= 0x1100) & (before <= 0x115E))
        | _is_of_flag(starts, points, before)
    )
    return is_written


def _is_of_flag(
    starts: NDArray[np.int64], points: NDArray[np.uint32], before: NDArray[np.uint32]
) -> NDArray[np.bool_]:
    """Which characters are the tags of the flags of regions."""
    is_tag = np.zeros(len(points), np.bool_)
    for region in REGIONS:
        tags = [TAG + ord(letter) for letter in region] + [0xE007F]
        firsts = np.flatnonzero((before == FLAG) & (points == tags[0]))
        firsts = firsts[firsts + len(tags) <= len(points)]
        for at, tag in enumerate(tags):
            firsts = firsts[(points[firsts + at] == tag) & (starts[firsts + at] == starts[firsts] + 4 * at)]
        is_tag[(firsts[:, None] + np.arange(len(tags))).ravel()] = True
    return is_tag


def _joined(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> HiddenSpans:
    """Characters combined to spans."""
    if not len(starts):
        return NOTHING_HIDDEN
    ends = starts + sizes
    is_first = np.append(True, starts[1:] != ends[:-1])
    firsts = np.flatnonzero(is_first)
    return HiddenSpans(
        starts[firsts], ends[np.append(is_first[1:], True)], np.diff(firsts, append=len(starts))
    )


def _points_at(
    view: NDArray[np.uint8], starts: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The characters that begin at these offsets, with their sizes; 0 if none does."""
    first = view.take(starts, mode="clip")
    sizes = _SIZES[first]
    points = first & _BITS[sizes]
    is_whole = starts + sizes <= len(view)
    for at in range(1, 4):
        goes_on, byte = sizes > at, view.take(starts + at, mode="clip")
        is_whole &= ~goes_on | (byte & 0xC0 == 0x80)
        points = np.where(goes_on, points << 6 | (byte & 0x3F), points)
    is_whole &= (points >= _LEAST[sizes]) & (points <= _LAST_POINT)
    return np.where(is_whole, points, 0), sizes


def _points_before(view: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The characters that end at these offsets; 0 if none does."""
    starts = ends - 1
    for _ in range(3):
        starts = starts - (view.take(starts, mode="clip") & 0xC0 == 0x80)
    points, sizes = _points_at(view, starts)
    return np.where(starts + sizes == ends, points, 0)


@lru_cache(maxsize=1)
def _tables() -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.bool_]]:
    """The classes of each character, as bits; the first bytes, and first two bytes, of hidden characters."""
    classes, pairs = np.zeros(_LAST_POINT + 1, np.uint8), np.zeros(1 << 16, np.bool_)
    for bit, ranges in _CLASSES:
        for first, last in _RANGE.findall(ranges):
            classes[ord(first) : ord(last or first) + 1] |= bit
    for point in np.flatnonzero(classes & _HIDDEN).tolist():
        lead, second, *_ = chr(point).encode()
        pairs[lead << 8 | second] = True
    leads = np.zeros(256, np.bool_)
    leads[np.flatnonzero(pairs) >> 8] = True
    return classes, leads, pairs


# Characters that draw nothing, only a blank, or have no known meaning; and emoji, which contain some


@cache
def unassigned() -> re.Pattern[str]:
    """A private or unassigned character: its code is more informative than its glyph."""
    ranges = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges_of("Co") + ranges_of("Cn"))
    return re.compile(f"[{ranges}](?<![{IGNORABLE}{EMOJI}])")  # these lists are of a newer Unicode


def emoji_sequences(text: str) -> Iterator[re.Match[str]]:
    """The emoji that contain invisible characters."""
    if not INVISIBLE.search(text):
        return iter(())
    return (match for match in _SEQUENCE.finditer(text) if INVISIBLE.search(match[0]))


def invisible_runs(
    text: str, draws_as_one: Callable[[str], bool] = lambda _: True
) -> Iterator[re.Match[str]]:
    """The runs of invisible characters that are not part of a picture.

    `draws_as_one` returns whether the font draws an emoji of several pictures, or with tags, as one.
    """
    if not INVISIBLE.search(text):
        return
    at = 0
    for emoji in emoji_sequences(text):
        if JOINING.search(emoji[0]) and not draws_as_one(emoji[0]):
            continue
        yield from INVISIBLE.finditer(text, at, emoji.start())
        at = emoji.end()
    yield from INVISIBLE.finditer(text, at)


# Letters that look like those of another script, within one word: Cyrillic а in a Latin word, and the like


class Confusable(NamedTuple):
    """A letter of a text, by its bytes [start, end), and the letter of the word's script it resembles."""

    start: int
    end: int
    letter: str
    passes_for: str


@lru_cache(maxsize=256)
def confusables(text: bytes) -> tuple[Confusable, ...]:
    """In words that mix Latin and another script, the look-alike letters of the rarer script."""
    if text.isascii():
        return ()
    characters = decode(text)
    if not _MEETING.search(characters):
        return ()
    matches: list[Confusable] = []
    at_character = at_byte = 0
    for word in _WORD.finditer(characters):
        if not (odd := _odd_letters(word[0])):
            continue
        for index, letter in enumerate(word[0], word.start()):
            if (other := odd.get(letter)) is not None:
                at_byte += len(encode(characters[at_character:index]))
                at_character = index
                matches.append(Confusable(at_byte, at_byte + len(letter.encode()), letter, other))
    return tuple(matches)


def _odd_letters(word: str) -> dict[str, str]:
    """The look-alike letters of a word, each with the letter that it resembles."""
    counts = {script: len(letters.findall(word)) for script, letters in _IN.items()}
    n_latin = counts.pop("Latin")
    script = max(counts, key=counts.__getitem__)
    if not n_latin or not counts[script]:
        return {}
    return _SEEMS[script] if counts[script] <= n_latin else _PASSES[script]
