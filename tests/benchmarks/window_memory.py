"""Measure bytes of memory of the window for each byte of text: at rest and at the peak, after each page.

    python tests/benchmarks/window_memory.py [--model MODEL] [--megabytes N …]

"rest" is the memory of the process once no work is left, "peak" its maximum since the previous line; both
without its memory before the text was opened.  One window opens the pages one after another; on the text
page the text is also edited and coloured.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from ui import mixed_text, open_window, wait_until

from guiapp.core.interrupts import give_holes_back
from guiapp.core.processes import held_bytes
from guiapp.kit.document.coloured_spans import COLORINGS
from guiapp.kit.state.background import is_any_job_running
from guiapp.window.app import Shell

QUIET_S = 3.0  # without a job: work that waits for a pause in typing has begun by then
EVERY_S = 0.02  # shorter would slow down the measured work
BYTES_PER_MB = 1_000_000


class MemoryWatch:
    """Prints the memory of this process; a thread polls it for the peak."""

    def __init__(self) -> None:
        self.base = self._peak = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while True:
            self._peak = max(self._peak, held_bytes())
            time.sleep(EVERY_S)

    def begin(self) -> None:
        """Take the present memory as the base."""
        rest()
        self.base = self._peak = held_bytes()

    def report(self, title: str, n_bytes: int) -> None:
        rest()
        held, peak = held_bytes() - self.base, self._peak - self.base
        print(f"{title:24} {held / n_bytes:6.1f} at rest {peak / n_bytes:6.1f} at the peak", flush=True)
        self._peak = 0


def rest() -> None:
    """Wait until all work is done, then return unused memory to the system."""
    until = time.perf_counter() + QUIET_S
    while time.perf_counter() < until:
        QApplication.processEvents()
        time.sleep(EVERY_S)
        if is_any_job_running():
            until = time.perf_counter() + QUIET_S
    gc.collect()
    give_holes_back()


@contextmanager
def text_file(n_bytes: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text.txt"
        text = mixed_text(n_bytes)
        path.write_bytes(text[: text.rindex(b"\n") + 1].ljust(n_bytes))
        yield path


def measure(shell: Shell, path: Path, n_bytes: int) -> None:
    watch, session = MemoryWatch(), shell.session
    watch.begin()
    session.text.open(path)
    wait_until(lambda: session.document.size == n_bytes and not session.is_encoding)
    wait_until(lambda: session.round_trip.value is not None)
    watch.report("opened", n_bytes)
    page = shell.window.inspect_page
    session.document.set_caret(n_bytes // 2)
    page.editor.reveal(n_bytes // 2, n_bytes // 2)
    QTest.keyClicks(page.editor, "token ")
    QTest.keyClick(page.editor, Qt.Key.Key_Backspace)
    watch.report("edited", n_bytes)
    for coloring in COLORINGS:
        page.spans.set_coloring(coloring)
        watch.report(f"coloured by {coloring}", n_bytes)
    for name in shell.window.pages.rows:
        shell.window.pages.show_page(name)
        watch.report(name, n_bytes)
    session.text.show(b"")  # else closing would ask whether to save


def main() -> None:
    """Print the lines of each size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", default="demo:bpe")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[50])
    arguments = parser.parse_args()
    for megabytes in arguments.megabytes:
        n_bytes = megabytes * BYTES_PER_MB
        print(f"{arguments.model}, {megabytes} MB: bytes of memory for each byte of text")
        with text_file(n_bytes) as path, open_window(arguments.model) as shell:
            measure(shell, path, n_bytes)


if __name__ == "__main__":
    main()
