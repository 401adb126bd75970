"""Characters that draw nothing, only a blank, or nobody knows what; and emoji, which some are part of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from guiapp.core.text.unicode_tables import ranges_of

IGNORABLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)  # Default_Ignorable_Code_Point in DerivedCoreProperties.txt of Unicode 18.0
SPACES = "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # of category Z, all but U+0020
BLANKS = "\u2800\ufff9-\ufffb\U00013441\U00013442\U0001d159"  # and others that are drawn without ink
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
REGIONS = ("gbeng", "gbsct", "gbwls")  # those whose flags Unicode recommends
JOINING = re.compile("\u200d|\U000e007f")  # between pictures, and behind the tags of a region
_TAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in REGIONS)
_PICTURE = f"[{EMOJI}](?:\ufe0f|[\U0001f3fb-\U0001f3ff])?"
_SEQUENCE = re.compile(f"[0-9#*]\ufe0f\u20e3|\U0001f3f4(?:{_TAGS})\U000e007f|{_PICTURE}(?:\u200d{_PICTURE})*")


@cache
def unassigned() -> re.Pattern[str]:
    """A character that is private, or stands for nothing yet: its code says more than what a font draws."""
    ranges = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges_of("Co") + ranges_of("Cn"))
    return re.compile(f"[{ranges}](?<![{IGNORABLE}{EMOJI}])")  # these are of a newer Unicode


def emoji_sequences(text: str) -> Iterator[re.Match[str]]:
    """The emoji that have invisible characters in them."""
    return (match for match in _SEQUENCE.finditer(text) if INVISIBLE.search(match[0]))


def invisible_runs(
    text: str, draws_as_one: Callable[[str], bool] = lambda _: True
) -> Iterator[re.Match[str]]:
    """The stretches of invisible characters that are no part of a picture.

    `draws_as_one` says of an emoji of several pictures, or with tags, whether the font has it as one.
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
