"""`tokenloupe lesson`"""

from __future__ import annotations

import argparse
from collections.abc import Callable

from guiapp.cli.files import InputError, add_force_option, file_path, output_path
from guiapp.core.text.numbers_in_words import printable

PAGE_ENDING = ".html"


def add_options(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="what to do", metavar="ACTION", required=True)
    list_ = _action(actions, "list", "the lessons that come with the program", _list)
    list_.set_defaults(files=[])
    check = _action(actions, "check", "whether lessons can be used, and all they claim is true", _check)
    check.add_argument("files", nargs="+", metavar="FILE", type=file_path)
    export = _action(actions, "export", "a page that steps in a browser, or is printed as a handout", _export)
    export.add_argument(
        "file", metavar="FILE", type=file_path, help="or the name of a lesson that `list` has"
    )
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
    """Lessons: list ours, check your own, export one as a page for browsers."""
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
        raise InputError(f"{options.output} names no page. End its name with {PAGE_ENDING}.")
    save_lesson(load(own if own.is_file() else options.file), options.output)
    return 0
