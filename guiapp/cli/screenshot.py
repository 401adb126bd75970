"""`tokenloupe screenshot`"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from dataclasses import fields

from guiapp.analysis.sessions.name import ALIASES, PAGES
from guiapp.cli.files import (
    add_force_option,
    add_pre_option,
    add_spelling_option,
    file_path,
    need_no_display,
    output_path,
    picture_size,
)


def add_options(parser: argparse.ArgumentParser) -> None:
    pages = *ALIASES, *PAGES, "presentation", "start"
    parser.add_argument("--page", choices=pages, default="text")
    parser.add_argument("--model", metavar="MODEL", default="demo:bpe")
    add_pre_option(parser)
    several = "models to compare with, up to three; of Steps, the first one runs beside"
    parser.add_argument("--beside", dest="counterpart", metavar="MODEL", nargs="+", default=(), help=several)
    for flag, metavar, convert, default, about in OPTIONS:
        parser.add_argument(flag, metavar=metavar, type=convert, default=default, help=about)
    for flag, choices, first, tip in CHOICES:
        parser.add_argument(flag, choices=choices, default=first, help=tip)
    for flag, about in SWITCHES.items():
        parser.add_argument(flag, action="store_true", help=about)
    add_spelling_option(parser)
    parser.add_argument("-o", "--output", metavar="FILE.png", type=output_path, required=True)
    add_force_option(parser)


def _lesson(text: str) -> str:
    return _shaped(text, r"[^:]+(:\d+)?", "NAME:STEP, such as 7-wordpiece:2")


def _training(text: str) -> str:
    return _shaped(text, r"(bpe|wordpiece|unigram):\d+(:\d+)?", "KIND:TOKENS:STEP, such as bpe:300:4")


def _shaped(text: str, pattern: str, shape: str) -> str:
    """An argument that a page takes apart, as it was given; an empty one asks for nothing."""
    if text and not re.fullmatch(pattern, text, re.ASCII):
        raise argparse.ArgumentTypeError(f"“{text}” is not {shape}")
    return text


OPTIONS: tuple[tuple[str, str, Callable[[str], object], object, str], ...] = (
    ("--text", "TEXT", str, None, "the sample text by default"),
    ("--size", "WxH", picture_size, (1440, 900), "of the window"),
    ("--encoder", "NAME", str, "", "an algorithm that `info` lists"),
    ("--at-text", "WORDS", str, "", "on the Text page: select the token they begin in"),
    ("--difference", "N", int, 0, "on the Compare page: the one to go to"),
    ("--against", "TEXT", str, "", "on the page of two texts"),
    ("--hunt-seconds", "S", float, 0.0, "on the Hunt page: hunt before"),
    ("--filter", "FILTER", str, "", "on the Vocabulary page: see `tokenloupe vocab --help`"),
    ("--at", "BREAKPOINT", str, "", "of Steps: where to stop"),
    ("--race", "ENCODER", str, "", "of Steps: run it beside"),
    ("--lesson", "NAME:STEP", _lesson, "", "of Steps, from 1; “list” for the list"),
    ("--train", "KIND:TOKENS:STEP", _training, "", "of Steps"),
    ("--run", "FILE.json", file_path, None, "on the Bench page: what `bench` wrote"),
    ("--chart", "NAME", str, "", "on the Bench page: one chart, enlarged, or a table"),
    ("--bench-seconds", "S", float, 0.0, "on the Bench page: measure before"),
    ("--messages", "FILE.json", file_path, None, "on the Chat page: messages in OpenAI's form"),
    ("--template", "FILE", str, "", "on the Chat page: another template"),
    (
        *("--compared", "text|prompt|llama.cpp|FILE", str, ""),
        "on the Chat page: put beside content as text, another generation prompt or another template",
    ),
)
CHOICES: tuple[tuple[str, tuple[str, ...], str, str | None], ...] = (
    ("--theme", ("dark", "light"), "dark", None),
    ("--shape", ("sunburst", "icicle"), "sunburst", "of the picture on the Tree page"),
    ("--color", ("token", "cost", "kind", "rarity"), "", "on the Text page, by what"),
    ("--detail", ("token", "why", "dearest", "hidden"), "", "on the Text page"),
)
SWITCHES = {
    "--embeddings": "on the Vocabulary page: read them, list what looks untrained",
    "--more": "on the Bench page: open “More”",
}


def run(options: argparse.Namespace) -> int:
    """A picture of a page, made without a display."""
    need_no_display()
    from guiapp.window.screenshots import ScreenshotOptions, save_screenshot

    text = None if options.text is None else os.fsencode(options.text)
    details = {field.name: getattr(options, field.name) for field in fields(ScreenshotOptions)}
    style = ScreenshotOptions(**details)
    page = ALIASES.get(options.page, options.page)
    save_screenshot(page, options.model, text, style, options.output, options.pre)
    return 0
