"""Plants faults in copies of the sources, one at a time, and reports which the mirrored tests do not find.

    pip install -c constraints.txt -e '.[test,peers,mutation]'
    python tests/mutation.py --seed 1 --count 150 --jobs 2

The faults are those of cosmic-ray, and removed statements.  With the same seed and file of results, a later
run continues where it was stopped, and tries surviving faults again.
"""

import argparse
import difflib
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.operators.provider import OperatorProvider
from parso.python.tree import Keyword
from parso.tree import NodeOrLeaf

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("core", "analysis", "kit", "pages", "window", "cli")
DRAWN = ("kit", "pages", "window")
LEAST = 2  # faults, in a very small layer
LIMIT_S = {"test": 120, "all": 6000}
MEMORY_BYTES = 8 << 30  # of address space
UNWANTED = "Variable|Decorator|NoOp|_Is_Eq|_Eq_Is$|NotEq_IsNot|IsNot_NotEq|BitOr_Add|BitOr_BitXor"
STARS = (
    "parameters",
    "param",
    "lambdef",
    "arglist",
    "trailer",
    "argument",
    "dictorsetmaker",
)  # in which * is not a multiplication
APPEARANCE = re.compile(r"[^(]*(Margin|Spacing|Stretch|Size|Width|Height|resize|Frame|log\.|super\(\))")
DOTTED = re.compile(r"^\s*except [^:\n]*\.", re.M)  # names that cosmic-ray cannot replace
PLACES = re.compile(r"[^(]*(addWidget|addLayout|insertWidget)")


class Mutant(NamedTuple):
    path: str
    line: int
    difference: str
    code: str


class LeaveOutStatement(Operator):
    """A call for its effect, or an assignment to an attribute, becomes `pass`."""

    def mutation_positions(self, node):
        if node.type == "simple_stmt" and is_effect(node.children[0]):
            yield node.start_pos, node.end_pos

    def mutate(self, node, index):
        node.children[0] = Keyword("pass", node.start_pos, node.get_first_leaf().prefix)
        return node

    @classmethod
    def examples(cls):
        return ()


OPERATORS = {name: OperatorProvider()[name]() for name in OperatorProvider() if not re.search(UNWANTED, name)}
OPERATORS["LeaveOutStatement"] = LeaveOutStatement()


def code_of(node: NodeOrLeaf) -> str:
    return node.get_code(include_prefix=False).strip()


def is_effect(statement: NodeOrLeaf) -> bool:
    if statement.type == "expr_stmt":
        return statement.children[0].type == "atom_expr" and statement.children[1].type == "operator"
    return (
        statement.type == "atom_expr"
        and code_of(statement).endswith(")")
        and not APPEARANCE.match(code_of(statement))
    )


def is_trivial(leaf: NodeOrLeaf) -> bool:
    """Whether a fault here changes only types, our own assertions, sizes or appearance."""
    if leaf.type == "number" and leaf.value not in ("0", "1", "2"):
        return True
    if leaf.type == "operator" and leaf.parent.type in STARS:
        return True
    node = leaf
    while node.parent is not None:
        before = code_of(node.parent.children[max(0, node.parent.children.index(node) - 1)])
        is_annotation = before == "->" or (before == ":" and node.parent.type in ("tfpdef", "annassign"))
        is_check = node.type == "if_stmt" and code_of(node.children[1]).startswith(
            ("TYPE_CHECKING", "__name__")
        )
        is_check |= node.type == "argument" and code_of(node).startswith("strict=")
        is_style = node.type == "atom_expr" and (
            APPEARANCE.match(code_of(node)) or PLACES.match(code_of(node))
        )
        is_measure = node.type == "expr_stmt" and re.match(r"__all__|[A-Z_]+ = [^A-Za-z]*$", code_of(node))
        if node.type == "decorator" or is_annotation or is_check or is_style or is_measure:
            return True
        node = node.parent
    return False


def mutant_of(path: str, source: str, dice: random.Random) -> Mutant | None:
    """A fault at a random position, None if there is no possible one."""
    places: dict[tuple[int, int], list[tuple[str, int, NodeOrLeaf]]] = {}
    counts = Counter[str]()
    for node in ast_nodes(get_ast(source)):
        for name, operator in OPERATORS.items():
            for start, _ in operator.mutation_positions(node):
                if not (name.endswith("ExceptionReplacer") and DOTTED.search(code_of(node))):
                    places.setdefault(start, []).append((name, counts[name], node))
                counts[name] += 1
    in_any_order = (dice.choice(places[start]) for start in dice.sample(sorted(places), len(places)))
    chosen = next((place for place in in_any_order if not is_trivial(place[2])), None)
    if chosen is None:
        return None
    name, occurrence, node = chosen
    code = mutate_code(source, OPERATORS[name], occurrence)
    lines = difflib.unified_diff(source.splitlines(), code.splitlines(), n=0, lineterm="")
    changed = "  ".join(
        f"{line[0]} {line[1:].strip()}" for line in lines if line[:2] not in ("--", "++", "@@")
    )
    return Mutant(path, node.start_pos[0], changed, code)


def shares(count: int, sizes: dict[str, int]) -> dict[str, int]:
    """The number of faults of each layer, by size; half of all go to the visible layers."""
    seen = sum(sizes[layer] for layer in DRAWN)
    others = sum(sizes.values()) - seen
    share = {
        layer: max(LEAST, round(count / 2 * size / (seen if layer in DRAWN else others)))
        for layer, size in sizes.items()
    }
    return share | {"core": share["core"] + count - sum(share.values())}


def sample(seed: int, count: int) -> list[Mutant]:
    dice = random.Random(seed)
    sources = {
        layer: {
            path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(ROOT.glob(f"guiapp/{layer}/**/*.py"))
        }
        for layer in LAYERS
    }
    selected = {}
    sizes = {layer: sum(map(len, texts.values())) for layer, texts in sources.items()}
    for layer, share in shares(count, sizes).items():
        target = len(selected) + share
        while len(selected) < target:
            ((path, source),) = dice.choices(list(sources[layer].items()), map(len, sources[layer].values()))
            if mutant := mutant_of(path, source, dice):
                selected[path, mutant.difference] = mutant
    return dice.sample(
        list(selected.values()), count
    )  # in random order, so that an interrupted run covers all layers


def sample_since(revision: str, seed: int, count: int) -> list[Mutant]:
    """Faults in lines added since a Git revision."""
    command = ["git", "diff", "--unified=0", revision, "--", "guiapp"]
    difference = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    added: dict[str, set[int]] = {}
    for line in difference.splitlines():
        if line.startswith("+++ b/"):
            path = line.removeprefix("+++ b/")
        elif (hunk := re.match(r"@@ \S+ \+(\d+),?(\d*)", line)) and path.endswith(".py"):
            first, n_lines = int(hunk[1]), int(hunk[2] or 1)
            added.setdefault(path, set()).update(range(first, first + n_lines))
    dice, selected = random.Random(seed), dict[tuple[str, str], Mutant]()
    while len(selected) < count:
        (path,) = dice.choices(list(added), [len(lines) for lines in added.values()])
        mutant = mutant_of(path, (ROOT / path).read_text(encoding="utf-8"), dice)
        if mutant is not None and mutant.line in added[path]:
            selected[path, mutant.difference] = mutant
    return list(selected.values())


def mirrored_tests(path: str, tree: Path = ROOT) -> list[str]:
    """The test files of the mirrored folder: first of the same name, then those that name the module."""
    source = Path(path)
    folder = Path("tests", *source.parts[1:-1])
    while not list((tree / folder).glob("**/test_*.py")):
        folder = folder.parent
    files = (tree / folder).glob("**/test_*.py")
    module = ".".join(source.with_suffix("").parts)

    def farness(file: Path) -> tuple[bool, bool, str]:
        return file.stem != f"test_{source.stem}", module not in file.read_text(encoding="utf-8"), str(file)

    return [file.relative_to(tree).as_posix() for file in sorted(files, key=farness)]


def first_failure(tree: Path, tests: list[str]) -> str | None:
    limits = f"-ofaulthandler_timeout={LIMIT_S['test']} -ofaulthandler_exit_on_timeout=true".split()
    options = ["-x", "-vv", "--tb=no", "-pno:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, "-mnot exhaustive", *limits, *tests]
    shared = os.environ.get("TOKENLOUPE_SHARED", str(ROOT.parent / "shared"))
    settings = {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(tree), "CI": "1"}
    if Path(shared).is_dir():
        settings["TOKENLOUPE_SHARED"] = shared
    with subprocess.Popen(
        command,
        cwd=tree,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES)),
    ) as process:
        try:
            output, _ = process.communicate(timeout=LIMIT_S["all"])
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
    if process.returncode in (0, 5):
        return None
    failed = re.findall(r"^(?:FAILED|ERROR) (tests/[^\s\[]+)", output, re.M)  # for all parameters
    failed = failed or re.findall(r"^(tests/[^\s\[]+::[^\s\[]+)", output, re.M)  # started before a crash
    return failed[-1] if failed else tests[0]


def outcome(mutant: Mutant, tree: Path) -> str:
    source = tree / mutant.path
    original = source.read_text(encoding="utf-8")
    compiled = Path(importlib.util.cache_from_source(str(source)))  # compares only second and size of source
    compiled.unlink(missing_ok=True)
    source.write_text(mutant.code, encoding="utf-8")
    failed = first_failure(tree, mirrored_tests(mutant.path, tree))
    source.write_text(original, encoding="utf-8")
    compiled.unlink(missing_ok=True)
    if failed is None:
        return "survived"
    return f"{'unclear: without it, too, fails' if first_failure(tree, [failed]) else 'killed by'} {failed}"


def table(outcomes: dict[str, str]) -> str:
    lines = []
    for layer in (*LAYERS, ""):
        selected = [outcome for name, outcome in outcomes.items() if name.startswith(f"guiapp/{layer}")]
        killed = sum(outcome.startswith("killed") for outcome in selected)
        lines.append(
            f"{layer or 'all':12}{killed:4} of{len(selected):4} killed{killed / max(len(selected), 1):7.0%}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=150, help="of the sample (default: 150)")
    parser.add_argument(
        "--folder", default="guiapp", help="only those of the sample below it, as guiapp/pages/tree"
    )
    parser.add_argument("--since", metavar="REVISION", help="only in lines that git has as added since then")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--results", type=Path, default=Path("mutants.json"))
    options = parser.parse_args()
    started_s = time.monotonic()
    outcomes = json.loads(options.results.read_text()) if options.results.exists() else {}
    chosen = (
        sample_since(options.since, options.seed, options.count)
        if options.since
        else sample(options.seed, options.count)
    )
    mutants = {f"{each.path}:{each.line}  {each.difference}": each for each in chosen}
    untried = [
        name
        for name, mutant in mutants.items()
        if mutant.path.startswith(f"{options.folder}/") and not outcomes.get(name, "").startswith("killed")
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(options.jobs):
            unwanted = shutil.ignore_patterns(".*", "venv", "screenshots")
            trees.put(shutil.copytree(ROOT, Path(folder, str(number)), ignore=unwanted))

        def try_one(name: str) -> None:
            tree = trees.get()
            outcomes[name] = outcome(mutants[name], tree)
            trees.put(tree)
            options.results.write_text(json.dumps(outcomes, indent=1))
            print(f"{outcomes[name]}\n    {name}", flush=True)

        list(pool.map(try_one, untried))
    print(
        table({name: outcomes[name] for name in mutants if name in outcomes}),
        f"in {time.monotonic() - started_s:.0f} s",
        sep="\n",
    )


if __name__ == "__main__":
    main()
