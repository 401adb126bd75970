"""`tokenloupe screenshot`"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from dataclasses import fields

from guiapp.analysis.sessions.name import ALIASES, PAGES
from guiapp.cli.files import (
    MODEL_HELP,
    add_force_option,
    add_pre_option,
    add_spelling_option,
    file_path,
    need_no_display,
    output_path,
    picture_size,
)

EXAMPLES = ("tokenloupe screenshot --model a.gguf --page compare --beside b.gguf -o page.png",)
MOST_BESIDE = 3
STATUSES = {1: "invalid input, or the picture was not ready in time"}


def add_options(parser: argparse.ArgumentParser) -> None:
    pages = *ALIASES, *PAGES, "presentation", "start"
    parser.add_argument("--page", choices=pages, default="text")
    parser.add_argument("--model", metavar="MODEL", default="demo:bpe", help=MODEL_HELP)
    add_pre_option(parser)
    several = "up to three models to compare with; on the Steps page, one model to race against"
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
    """Check the form of an argument that a page parses later. An empty one is allowed."""
    if text and not re.fullmatch(pattern, text, re.ASCII):
        raise argparse.ArgumentTypeError(f"“{text}” is not {shape}")
    return text


OPTIONS: tuple[tuple[str, str, Callable[[str], object], object, str], ...] = (
    ("--text", "TEXT", str, None, "the text to show (default: the sample text)"),
    ("--size", "WxH", picture_size, (1440, 900), "size of the window (default: 1440x900)"),
    ("--encoder", "NAME", str, "", "an encoder that `tokenloupe info` lists"),
    ("--at-text", "WORDS", str, "", "Text page: select the token where these words begin"),
    ("--difference", "N", int, 0, "Compare page: go to difference N"),
    ("--against", "TEXT", str, "", "page of two texts: the second text"),
    ("--hunt-seconds", "S", float, 0.0, "Hunt page: hunt for S seconds first"),
    ("--filter", "FILTER", str, "", "Vocabulary and Data pages: a filter; see `tokenloupe vocab --help`"),
    ("--at", "BREAKPOINT", str, "", "Steps page: run to this breakpoint"),
    ("--languages", "FOLDER", str, "", "page of languages: the folder of parallel texts"),
    ("--race", "ENCODER", str, "", "Steps page: race against this encoder"),
    ("--lesson", "NAME:STEP", _lesson, "", "Steps page: a step of a lesson, from 1, or “list”"),
    ("--train", "KIND:TOKENS:STEP", _training, "", "Steps page: a step of a training, such as bpe:300:4"),
    ("--run", "FILE.json", file_path, None, "Bench page: a run that `tokenloupe bench --json` wrote"),
    (
        "--chart",
        "NAME",
        str,
        "",
        "Bench page: enlarge one chart or table; page of languages: Curves, Table",
    ),
    ("--bench-seconds", "S", float, 0.0, "Bench page: measure for S seconds first"),
    ("--messages", "FILE.json", file_path, None, "Chat page: messages in OpenAI's format"),
    ("--data", "FILE.jsonl", file_path, None, "Data page: training data"),
    ("--template", "FILE", str, "", "Chat and Data pages: another template"),
    (
        *("--compared", "text|prompt|llama.cpp|FILE", str, ""),
        "Chat page: compare with control tokens as text, no generation prompt, llama.cpp or another template",
    ),
)
CHOICES: tuple[tuple[str, tuple[str, ...], str, str | None], ...] = (
    ("--theme", ("dark", "light"), "dark", None),
    ("--shape", ("sunburst", "icicle"), "sunburst", "Tree page: the kind of picture"),
    ("--color", ("token", "cost", "kind", "rarity"), "", "Text page: colour tokens by this"),
    ("--detail", ("token", "why", "dearest", "hidden"), "", "Text page: open this panel"),
)
SWITCHES = {
    "--embeddings": "Vocabulary page: read the embeddings, and list untrained tokens",
    "--more": "Bench page: open “More”",
}


def run(options: argparse.Namespace) -> int:
    """Save a picture of a page, without a display."""
    if len(options.counterpart) > MOST_BESIDE:
        options.refuse(f"argument --beside: takes at most {MOST_BESIDE} models")
    need_no_display()
    from guiapp.window.screenshots import ScreenshotOptions, save_screenshot

    text = None if options.text is None else os.fsencode(options.text)
    details = {field.name: getattr(options, field.name) for field in fields(ScreenshotOptions)}
    style = ScreenshotOptions(**details)
    page = ALIASES.get(options.page, options.page)
    save_screenshot(page, options.model, text, style, options.output, options.pre)
    return 0
