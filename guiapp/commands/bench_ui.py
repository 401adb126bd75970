"""`tokenloupe bench ui`"""

from __future__ import annotations

import argparse
import json

from guiapp import open_model
from guiapp.commands.files import add_force_option, output_path, write


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="MODEL", default="demo:bpe", help="what is opened (%(default)s)")
    parser.add_argument(
        "--looks",
        action="store_true",
        help="instead, type and scroll in each colouring, with counts, budget and edges, beside plain text",
    )
    parser.add_argument(
        "--json", metavar="FILE", type=output_path, help="write the measurements as a JSON object"
    )
    add_force_option(parser)


def run(options: argparse.Namespace) -> int:
    """Measure the window's own latencies: start-up, opening, typing, scrolling, tree, steps, charts."""
    from guiapp.latencies.measurement import report, table_lines
    from guiapp.latencies.run import measure_all, measure_each_look

    open_model(options.model)  # says what is wrong with it now rather than after a while
    measurements = measure_each_look(options.model) if options.looks else measure_all(options.model)
    if str(options.json) != "-":
        print(*table_lines(measurements), sep="\n")
    if options.json is not None:
        write(str(options.json), json.dumps(report(measurements), indent=2).encode() + b"\n")
    return 0
