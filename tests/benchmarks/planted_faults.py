"""Print how many planted faults the doctor finds, a row for each code, as Markdown:

    python tests/benchmarks/planted_faults.py

Needs ../shared (or TOKENLOUPE_SHARED).  The table is followed by all findings of severity "error" in
unmodified files; there should be none.
"""

from __future__ import annotations

import sys
import tempfile
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from conftest import VOCABS
from faults import FAULTS, FORMATS, untouched, write

from guiapp.analysis.doctor.doctor import doctor
from guiapp.analysis.doctor.findings import ERROR

Row = tuple[bool, str, str]


def fault_result(number: int, folder: Path) -> Row:
    """Whether the fault of this number is found, its severity, and the model in which it was planted."""
    fault = FAULTS[number]
    (folder / str(number)).mkdir()
    original = untouched(fault.model) if fault.is_against_original else None
    path = write(fault, folder / str(number))
    before = {each.what for each in doctor(untouched(fault.model)).findings}
    new = [each for each in doctor(path, original).findings if each.code == fault.code]
    new = [each for each in new if each.what not in before]
    return bool(new), new[0].severity if new else "", fault.model


def main() -> None:
    rows: dict[str, list[Row]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for number, fault in enumerate(FAULTS):
            rows[fault.code].append(fault_result(number, Path(folder)))
    print("| code | planted | found | severity | in |\n|:--|--:|--:|:--|:--|")
    for code, each in sorted(rows.items()):
        severities = ", ".join(sorted({severity for _, severity, _ in each if severity}))
        models = ", ".join(dict.fromkeys(model for *_, model in each))
        n_found = sum(is_found for is_found, *_ in each)
        print(f"| `{code}` | {len(each)} | {n_found} | {severities} | {models} |")
    n_found = sum(is_found for each in rows.values() for is_found, *_ in each)
    print(f"\n{len(rows)} codes, {len(FAULTS)} faults planted, {n_found} found.")
    files = [*VOCABS.glob("*.gguf"), *FORMATS.glob("*")]
    files = [path for path in files if not path.name.endswith("tokenizer_config.json")]
    errors = [(path, each) for path in files for each in doctor(path).findings if each.severity == ERROR]
    print(f"{len(errors)} errors in {len(files)} untouched files.")
    for path, error in errors:
        print(f"{path.name}: {error.what}")


if __name__ == "__main__":
    main()
