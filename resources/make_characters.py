"""Rebuild what is known about characters because `tokenizers` knows it: core/hugging_face/characters
and core/text/unicode_16_0/properties.npz.

The library is compiled with data of Unicode 8, 9, 16 and 17, so each set is asked of it, code point by code
point.  Needs `tokenizers==0.23.3`:

    python resources/make_characters.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import tokenizers
from numpy.typing import NDArray
from tokenizers import Regex, normalizers, pre_tokenizers
from tokenizers.normalizers import NFC, NFD, NFKC, NFKD

from guiapp.core.hugging_face.characters import FOLDER, of_ranges
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.text.unicode_tables import FOLDER as TEXT_FOLDER
from guiapp.core.text.unicode_tables import N_CODES, ranges_of, whitespace

LIBRARY_VERSION = "0.23.3"
POSIX_CLASSES = """
alnum alpha ascii blank cntrl digit graph lower print punct space upper word xdigit
"""
SCRIPTS = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali
Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian
Chakma Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret
Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay
Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul
Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi
Inscriptional_Parthian Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi
Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin Lepcha Limbu Linear_A Linear_B
Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi
Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian
Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu
Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian
Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya
Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan
Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese
Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut
Telugu Thaana Thai Tibetan Tifinagh Tirhuta Todhri Toto Tulu_Tigalari Ugaritic Vai Vithkuqi
Wancho Warang_Citi Yezidi Yi Zanabazar_Square
"""
KA, KHA, VIRAMA, ACUTE, JOINER = "\u0915", "\u0916", "\u094d", "\u0301", "\u200d"
CODES = [code for code in range(N_CODES) if not 0xD800 <= code < 0xE000]


def build() -> dict[str, NDArray[np.int32]]:
    """Sets of code points as the edges of their runs, int32[2 n].

    lower    int32[2, n]: characters that become one other, and which
    scripts  int32[2, n]: where runs of one script begin, and its number, the first one found being 1; 0 for
             characters that fit any
    """
    plain_bert = {"clean_text": False, "lowercase": False}
    clean = normalizers.BertNormalizer(**{**plain_bert, "clean_text": True}, strip_accents=False)
    strip = normalizers.BertNormalizer(**plain_bert, strip_accents=True)
    whitespace_or_word = pre_tokenizers.Whitespace()
    digits, punctuation = pre_tokenizers.Digits(True), pre_tokenizers.Punctuation()
    return {
        "punctuation": _edges(lambda each: len(punctuation.pre_tokenize_str(f"a{each}")) == 2),
        "control": _edges(lambda each: clean.normalize_str(each) == ""),
        "combining": _edges(lambda each: normalizers.StripAccents().normalize_str(each) == ""),
        "nonspacing": _edges(lambda each: strip.normalize_str(each) == ""),
        "numeric": _edges(lambda each: len(digits.pre_tokenize_str(f"a{each}")) == 2),
        "word": _edges(
            lambda each: (
                ord(each) not in whitespace() and len(whitespace_or_word.pre_tokenize_str(f"a{each}")) == 1
            )
        ),
        "lower": _lower(),
        "scripts": _scripts(),
        **_normal_forms(),
        **_grapheme_parts(),
    }


def build_properties() -> dict[str, NDArray[np.int32]]:
    """Classes of POSIX and scripts, as the regular expressions of the library know them; edges of runs."""
    text = "".join(map(chr, CODES))

    def edges_of(expression: str) -> NDArray[np.int32]:
        left = set(normalizers.Replace(Regex(expression), "").normalize_str(text))
        return _edges(lambda each: each not in left)

    posix = {name: edges_of(f"[[:{name}:]]") for name in POSIX_CLASSES.split()}
    return posix | {name.replace("_", "").lower(): edges_of(f"\\p{{{name}}}") for name in SCRIPTS.split()}


def _edges(is_in: Callable[[str], bool]) -> NDArray[np.int32]:
    members = np.zeros(N_CODES + 1, np.bool_)
    members[[code for code in CODES if is_in(chr(code))]] = True
    return np.flatnonzero(np.diff(members, prepend=False)).astype(np.int32)


def _lower() -> NDArray[np.int32]:
    """Those that become one other character."""
    lower = normalizers.Lowercase()
    result = ((code, lower.normalize_str(chr(code))) for code in CODES)
    pairs: Iterable[tuple[int, int]] = (
        (code, ord(each)) for code, each in result if each != chr(code) and len(each) == 1
    )
    return np.array([*zip(*pairs, strict=True)], np.int32)


def _scripts() -> NDArray[np.int32]:
    cut = pre_tokenizers.UnicodeScripts()
    examples: list[str] = []
    runs: list[tuple[int, int]] = [(0, -1)]

    def number_of(each: str) -> int:
        if not cut.pre_tokenize_str(each):
            return 0
        last = runs[-1][1]
        order = [last, *range(1, len(examples) + 1)] if last > 0 else range(1, len(examples) + 1)
        for number in order:
            if len(cut.pre_tokenize_str(examples[number - 1] + each)) == 1:
                return number
        examples.append(each)
        return len(examples)

    for code in CODES:
        number = number_of(chr(code))
        if number != runs[-1][1]:
            runs.append((code, number))
    return np.array([*zip(*runs[1:], strict=True)], np.int32)


def _normal_forms() -> dict[str, NDArray[np.int32]]:
    """What changes in each form, and what may meet the character before: `joins`.

    These are characters whose compatible decomposition begins with a combining character or with one that
    some composition ends in.
    """
    forms = {each.__name__: each().normalize_str for each in (NFC, NFD, NFKC, NFKD)}
    seconds = {each for code in CODES for each in forms["NFD"](chr(code))[1:]}

    def joins(character: str) -> bool:
        first = forms["NFKD"](character)[0]
        is_moved = forms["NFD"](f"a\u0345{first}") == f"a{first}\u0345"  # U+0345 belongs behind all others
        return first in seconds or is_moved or first == "\u0345"

    def changed(form: Callable[[str], str]) -> NDArray[np.int32]:
        return _edges(lambda each: form(each) != each)

    return {**{name: changed(form) for name, form in forms.items()}, "joins": _edges(joins)}


def _grapheme_parts() -> dict[str, NDArray[np.int32]]:
    """What has a say in graphemes of fewer than six bytes, which `Precompiled` looks up as a whole.

    A character that the map knows takes all of such a grapheme with it if it begins it; so the library tells
    where graphemes end.
    """

    @lru_cache(4)
    def of_one(known: str) -> normalizers.Normalizer:
        return normalizers.Precompiled(build_charsmap({known: "X"}))

    def swallowed(before: str, known: str, after: str) -> bool:
        """Whether `after` is in the grapheme that `known` begins."""
        return of_one(known).normalize_str(before + known + after) == f"{before}X"

    extending = _edges(lambda each: swallowed("", "a", each))
    is_extending = np.cumsum(np.bincount(extending, minlength=N_CODES + 1)) % 2 > 0

    def of(*names: str) -> NDArray[np.bool_]:
        """Which may be something else than extending, by category, below U+10000 where they may be short."""
        return of_ranges(tuple(each for name in names for each in ranges_of(name))) & ~is_extending[:N_CODES]

    is_short = np.arange(N_CODES) < 0x10000
    known: dict[str, tuple[NDArray[np.bool_], Callable[[str], bool]]] = {
        "prepending": (of("Cf", "Lo"), lambda each: swallowed("", each, "b")),
        "breaking": (of("C", "Z") & is_short, lambda each: each == "\0" or not swallowed("", each, ACUTE)),
        "pictographic": (of("S", "P") & is_short, lambda each: not swallowed(f"\xa9{JOINER}", each, ACUTE)),
        "consonants": (of("Lo") & is_short, lambda each: not swallowed(f"{KHA}{VIRAMA}", each, ACUTE)),
        "between_pictures": (
            is_extending,
            lambda each: not swallowed(f"\xa9{each}{JOINER}", "\xae", ACUTE),
        ),
        "linkers": (is_extending, lambda each: not swallowed(f"{KHA}{each}", KA, ACUTE)),
        "linking": (is_extending, lambda each: not swallowed(f"{KHA}{VIRAMA}{each}", KA, ACUTE)),
    }

    def among(candidates: NDArray[np.bool_], is_in: Callable[[str], bool]) -> NDArray[np.int32]:
        return _edges(lambda each: bool(candidates[ord(each)]) and is_in(each))

    return {"extending": extending, **{name: among(*result) for name, result in known.items()}}


if __name__ == "__main__":
    if tokenizers.__version__ != LIBRARY_VERSION:
        raise SystemExit(f"tokenizers is {tokenizers.__version__}, not {LIBRARY_VERSION}")
    FOLDER.mkdir(exist_ok=True)
    for name, table in build().items():
        np.save(FOLDER / f"{name}.npy", table)
    properties: dict[str, Any] = build_properties()
    np.savez_compressed(TEXT_FOLDER / "unicode_16_0/properties.npz", **properties)
