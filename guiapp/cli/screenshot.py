"""`tokenloupe screenshot`"""

from __future__ import annotations

import argparse
import os
import re
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
    parser.add_argument("--page", choices=(*ALIASES, *PAGES, "presentation", "start"), default="text")
    parser.add_argument("--model", metavar="MODEL", default="demo:bpe")
    add_pre_option(parser)
    parser.add_argument(
        "--beside",
        dest="counterpart",
        metavar="MODEL",
        nargs="+",
        default=(),
        help="models to compare with, up to three; of Steps, the first one runs beside",
    )
    parser.add_argument(
        "--difference", metavar="N", type=int, default=0, help="on the Compare page: the one to go to"
    )
    parser.add_argument("--against", metavar="TEXT", default="", help="on the page of two texts")
    parser.add_argument(
        "--hunt-seconds", metavar="S", type=float, default=0.0, help="on the Hunt page: hunt before"
    )
    parser.add_argument(
        "--filter", metavar="FILTER", default="", help="on the Vocabulary page: see `tokenloupe vocab --help`"
    )
    parser.add_argument(
        "--embeddings",
        action="store_true",
        help="on the Vocabulary page: read them, list what looks untrained",
    )
    parser.add_argument("--text", metavar="TEXT", help="the sample text by default")
    parser.add_argument(
        "--color",
        choices=("token", "cost", "kind", "rarity"),
        default="",
        help="on the Text page, by what",
    )
    parser.add_argument(
        "--detail", choices=("token", "why", "dearest", "hidden"), default="", help="on the Text page"
    )
    parser.add_argument(
        "--at-text", metavar="WORDS", default="", help="on the Text page: select the token they begin in"
    )
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--size", metavar="WxH", type=picture_size, default=(1440, 900))
    parser.add_argument(
        "--shape", choices=("sunburst", "icicle"), default="sunburst", help="of the picture on the Tree page"
    )
    parser.add_argument("--encoder", metavar="NAME", default="", help="an algorithm that `info` lists")
    parser.add_argument("--at", metavar="BREAKPOINT", default="", help="of Steps: where to stop")
    parser.add_argument("--race", metavar="ENCODER", default="", help="of Steps: run it beside")
    parser.add_argument(
        "--lesson",
        metavar="NAME:STEP",
        type=_lesson,
        default="",
        help="of Steps, from 1; “list” for the list",
    )
    parser.add_argument("--train", metavar="KIND:TOKENS:STEP", type=_training, default="", help="of Steps")
    parser.add_argument(
        "--run", metavar="FILE.json", type=file_path, help="on the Bench page: what `bench` wrote"
    )
    parser.add_argument(
        "--chart", metavar="NAME", default="", help="on the Bench page: one chart, enlarged, or a table"
    )
    parser.add_argument("--more", action="store_true", help="on the Bench page: open “More”")
    parser.add_argument(
        "--bench-seconds", metavar="S", type=float, default=0.0, help="on the Bench page: measure before"
    )
    parser.add_argument(
        "--messages", metavar="FILE.json", type=file_path, help="on the Chat page: messages in OpenAI's form"
    )
    parser.add_argument("--template", metavar="FILE", default="", help="on the Chat page: another template")
    parser.add_argument(
        "--compared",
        metavar="text|prompt|llama.cpp|FILE",
        default="",
        help="on the Chat page: put beside content as text, another generation prompt or another template",
    )
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
