"""`tokenloupe lesson`"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from guiapp.cli.files import InputError, add_force_option, file_path, output_path
from guiapp.core.text.numbers_in_words import printable

PAGE_ENDING = ".html"
EXAMPLES = "tokenloupe lesson check lesson.toml", "tokenloupe lesson export 7-wordpiece -o wordpiece.html"
STATUSES = {1: "invalid input, or `check` found something wrong"}


def add_options(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _action(actions, "list", "list the built-in lessons", _list)
    check = _action(actions, "check", "check lesson files: exit with 1 if one is wrong", _check)
    check.add_argument("files", nargs="+", metavar="FILE", type=file_path, help="a lesson file")
    export = _action(actions, "export", "write an HTML page for a browser, or to print", _export)
    about = "a lesson file, or a name from `tokenloupe lesson list`"
    export.add_argument("file", metavar="FILE", type=file_path, help=about)
    export.add_argument("-o", "--output", metavar="PAGE.html", type=output_path, required=True)
    add_force_option(export)


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    about: str,
    action: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    parser.set_defaults(action=action)
    return parser


def run(options: argparse.Namespace) -> int:
    """List the built-in lessons, check your own, or export one as an HTML page."""
    return int(options.action(options))


def _list(options: argparse.Namespace) -> int:
    from guiapp.analysis.lessons.lesson import load_each

    for lesson in load_each()[0]:
        print(f"{lesson.name:32}{lesson.title}")
        print(f"{'':32}{lesson.path}")
    return 0


def _check(options: argparse.Namespace) -> int:
    from guiapp.analysis.lessons.lesson import check

    n_faults = 0
    for path in options.files:
        for fault in check(path):
            n_faults += 1
            print(printable(f"{path}:{fault.line}: {fault.reason}").replace("\n", " "))
    return int(n_faults > 0)


def _export(options: argparse.Namespace) -> int:
    from guiapp.analysis.lessons.lesson import ENDING, lessons_folder, load, save_lesson

    own = lessons_folder() / f"{options.file}{ENDING}"
    if options.output.suffix.lower() != PAGE_ENDING:
        raise InputError(f"The page is HTML. Name a file that ends with {PAGE_ENDING}.")
    save_lesson(load(own if own.is_file() else options.file), options.output)
    return 0
