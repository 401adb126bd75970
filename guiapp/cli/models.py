"""`tokenloupe models`"""

from __future__ import annotations

import argparse
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from guiapp.cli.files import InputError, print_json, refuse_with
from guiapp.core.text.numbers_in_words import in_bytes, printable

if TYPE_CHECKING:
    from guiapp.core.formats.table import Glance
    from guiapp.core.sources.installed import Installed


EXAMPLES = "tokenloupe models", "tokenloupe models --add ~/models"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print a JSON list")
    parser.add_argument("--add", metavar="FOLDER", type=Path, help="search this folder, too, from now on")
    parser.add_argument("--remove", metavar="FOLDER", type=Path, help="no longer search this folder")
    parser.add_argument("--clear", action="store_true", help="delete the files downloaded from the web")


def run(options: argparse.Namespace) -> int:
    """List the tokenizers on this machine: Ollama's, LM Studio's, Hugging Face's and more, offline."""
    from guiapp.core.formats.table import glance
    from guiapp.core.sources import cached
    from guiapp.core.sources.installed import installed_models, own_folders

    if options.add or options.remove or options.clear:
        if options.json:
            refuse_with(options, "--json", add="--add", remove="--remove", clear="--clear")
        return _change(options)
    models = list(installed_models(own_folders()))
    if options.json:
        print_json([_record(model, glance(model.path)) for model in models], indent=2)
        return 0
    if not models:
        print("No models found. Add a folder to search: tokenloupe models --add FOLDER")
    width = max((len(_shown(model.name)) for model in models), default=0)
    for source, group in groupby(models, key=attrgetter("source")):
        print(_shown(source))
        for model in group:  # each is printed as soon as it is found
            name, size = _shown(model.name), in_bytes(model.size_bytes)
            summary = _summary(glance(model.path))
            print(f"  {name:{width}}  {summary:32}  {size:>9}  {_shown(model.path)}", flush=True)
    if downloaded_bytes := cached.size_bytes():
        size = in_bytes(downloaded_bytes)
        print(f"Downloaded from the web: {size}. To delete it: tokenloupe models --clear")
    return 0


def _change(options: argparse.Namespace) -> int:
    from guiapp.core.sources import cached
    from guiapp.core.sources.installed import add_folder, remove_folder

    if options.add is not None:
        if not options.add.is_dir():
            raise InputError(f"{options.add} is not a folder. Choose a folder.")
        add_folder(options.add)
    if options.remove is not None and not remove_folder(options.remove):
        raise InputError(f"{options.remove} is not a folder that you added with --add.")
    if options.clear:
        size_bytes = cached.size_bytes()
        cached.clear()
        print(f"Deleted {in_bytes(size_bytes)}.")
    return 0


def _record(model: Installed, seen: Glance) -> dict[str, object]:
    return {
        "name": _shown(model.name),
        "path": _shown(model.path),
        "source": _shown(model.source),
        "format": seen.format,
        "size_bytes": model.size_bytes,
        "type": seen.type,
        "pre": seen.pre,
        "tokens": seen.n_tokens,
        "problem": seen.problem,
    }


def _shown(text: str | Path) -> str:
    """The text in one line; a name may contain bytes that are not text."""
    return printable(str(text)).replace("\n", "\\n")


def _summary(seen: Glance) -> str:
    if seen.problem:
        return "cannot be opened"
    size = "" if seen.n_tokens is None else f"{seen.n_tokens:,}"
    return " · ".join(filter(None, (seen.type or seen.format, _shown(seen.pre), size)))
