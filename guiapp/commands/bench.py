"""`tokenloupe bench`"""

from __future__ import annotations

import argparse
import json

from guiapp.commands.files import write


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", choices=("ui",), help="ui: the latencies of the window")
    parser.add_argument("--model", metavar="MODEL", default="demo:bpe")
    parser.add_argument("--json", metavar="FILE", help="write the figures as a JSON object")


def run(options: argparse.Namespace) -> int:
    """Measure the window's own latencies: start-up, opening a model, typing, scrolling."""
    from guiapp.latencies.measurement import report, table_lines
    from guiapp.latencies.run import measure_all

    measurements = measure_all(options.model)
    print(*table_lines(measurements), sep="\n")
    if options.json is not None:
        write(options.json, json.dumps(report(measurements), indent=2).encode() + b"\n")
    return 0
