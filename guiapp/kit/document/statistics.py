"""Counts of a text and of a selection, for the status line."""

from __future__ import annotations

from dataclasses import dataclass

NS_PER_S = 1e9
BYTES_PER_MB = 1e6
MOST_GROWTH = 2  # of a text, or shrinkage, since it was timed


@dataclass(frozen=True)
class TextStatistics:
    """What the encoder made of how much text.

    elapsed_ns, timed_bytes  how long the last whole encoding took, and of how many bytes; edits since then
                             were encoded by themselves
    """

    n_tokens: int
    n_characters: int
    n_bytes: int
    elapsed_ns: int
    timed_bytes: int

    @property
    def characters_per_token(self) -> float | None:
        """None where there are no tokens."""
        return self.n_characters / self.n_tokens if self.n_tokens else None

    @property
    def speed_mb_per_s(self) -> float | None:
        """None where nothing was encoded, and where the text is no longer about what was timed."""
        if not self.elapsed_ns or not self.timed_bytes:
            return None
        if max(self.n_bytes, self.timed_bytes) > MOST_GROWTH * min(self.n_bytes, self.timed_bytes):
            return None
        return self.timed_bytes / BYTES_PER_MB / (self.elapsed_ns / NS_PER_S)

    @property
    def speed_tokens_per_s(self) -> float | None:
        """The same in tokens, at as many bytes each as the text has."""
        speed = self.speed_mb_per_s
        return None if speed is None else speed * BYTES_PER_MB * self.n_tokens / self.n_bytes


@dataclass(frozen=True)
class SelectionStatistics:
    """Counts of the selected text.

    n_tokens  of the selected text by itself, BOS and the like not counted; where `is_exact` is false only
              those of the whole text that are in it, also in part
    """

    n_tokens: int
    is_exact: bool
    n_characters: int
    n_bytes: int


def format_duration(elapsed_ns: int) -> str:
    """`640 ns`, `9.1 µs`, `12 ms`, `2.5 s`."""
    value = float(elapsed_ns)
    for unit in ("ns", "µs", "ms"):
        if value < 999.5:
            return f"{value:.{1 if value < 9.95 and unit != 'ns' else 0}f} {unit}"
        value /= 1000
    return f"{value:,.1f} s"


def format_speed(speed_mb_per_s: float) -> str:
    """`22 MB/s`, `0.85 MB/s`, grouped by thousands; `4.7 kB/s` where that would be next to nothing."""
    if speed_mb_per_s < 0.01:
        return f"{max(1000 * speed_mb_per_s, 0.1):.1f} kB/s"
    digits = 2 if speed_mb_per_s < 1 else 1 if speed_mb_per_s < 10 else 0
    return f"{speed_mb_per_s:,.{digits}f} MB/s"
