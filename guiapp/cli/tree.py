"""`tokenloupe tree`"""

from __future__ import annotations

import argparse
import os

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.reports import Subtree, dot_lines, json_lines, tree_lines
from guiapp.cli.files import (
    add_force_option,
    add_model_option,
    add_spelling_option,
    need_no_display,
    open_tokenizer,
    output_path,
    picture_size,
    positive_count,
    print_lines,
    refuse_with,
)

COLORINGS = ("script", "type", "worth", "depth", "length")
EXAMPLES = "tokenloupe tree demo:bpe th --levels 2", "tokenloupe tree model.gguf -o tree.png --shape icicle"


def add_options(parser: argparse.ArgumentParser) -> None:
    add_model_option(parser)
    parser.add_argument("prefix", metavar="PREFIX", nargs="?", default="", help="start of the tokens to show")
    about = "print N levels (default: 1 for text without PREFIX, otherwise all)"
    parser.add_argument("--levels", metavar="N", type=positive_count, help=about)
    add_spelling_option(parser)
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--json", action="store_true", help="print a JSON object")
    style.add_argument("--dot", action="store_true", help="print a graph for Graphviz")
    style.add_argument("-o", "--output", metavar="FILE.png|FILE.svg", type=output_path, help="draw a picture")
    add_force_option(parser)
    picture = parser.add_argument_group("picture (with --output)")
    picture.add_argument("--shape", choices=("sunburst", "icicle"), default="sunburst")
    picture.add_argument("--theme", choices=("dark", "light"), default="dark")
    picture.add_argument("--color", choices=COLORINGS, default="script", help="what the colours show")
    picture.add_argument("--size", metavar="WxH", type=picture_size, default=(1600, 1000))
    picture.add_argument(
        "--scale", metavar="N", type=_scale, default=1.0, help="scale a PNG by this factor (default: 1)"
    )


def run(options: argparse.Namespace) -> int:
    """Show the token tree: each token below the longest shorter token that it begins with."""
    prefix, levels = os.fsencode(options.prefix), options.levels
    if options.output is not None:
        refuse_with(options, "--output", levels="--levels")
        return _draw(options, prefix)
    tokenizer = open_tokenizer(options.model, options.pre)
    if not (prefix or levels or options.json or options.dot):
        levels = 1
    branch = Subtree(tokenizer.vocabulary, prefix, levels, spelling=Spelling(options.spelling))
    if options.json:
        print(*json_lines(branch), sep="")
        return 0
    print_lines(dot_lines(branch) if options.dot else tree_lines(branch))
    return 0


def _draw(options: argparse.Namespace, prefix: bytes) -> int:
    need_no_display()
    from guiapp.window.screenshots import TreeImageOptions, save_tree_picture

    spelling = Spelling(options.spelling)
    look = TreeImageOptions(
        options.shape, options.theme, options.color, options.size, options.scale, spelling
    )
    save_tree_picture(options.model, options.pre, prefix, look, options.output)
    return 0


def _scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.1 <= scale <= 100:
        raise argparse.ArgumentTypeError(f"“{text}” is not a number from 0.1 to 100")
    return scale
