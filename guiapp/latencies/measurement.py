"""What was measured, and on what machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from guiapp.core.errors import TokenloupeError
from guiapp.core.explain.figures import percent
from guiapp.versions import versions


class MeasurementError(TokenloupeError):
    """Something cannot be measured; the message says what."""


@dataclass(frozen=True)
class Measurement:
    """Some runs of one thing.

    unit          "s" or "ms"
    stolen_share  see `StolenTime`; of the whole group of measurements that were made together
    """

    name: str
    unit: str
    values: tuple[float, ...]
    stolen_share: float | None = None

    def record(self) -> dict[str, object]:
        """The stable JSON record of `bench ui --json`."""
        values = np.array(self.values)
        return {
            "name": self.name,
            "unit": self.unit,
            "n": len(values),
            "median": round(float(np.median(values)), 4),
            "p95": round(float(np.percentile(values, 95)), 4),
            "worst": round(float(values.max()), 4),
            "stolen_share": None if self.stolen_share is None else round(self.stolen_share, 4),
        }


def report(measurements: Sequence[Measurement]) -> dict[str, object]:
    """All measurements with the machine that they were made on."""
    return {
        "environment": {
            **dict(versions()),
            "Processor": platform.processor() or platform.machine(),
            "Cores": os.cpu_count(),
            "Load": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        },
        "measurements": [measurement.record() for measurement in measurements],
    }


def table_lines(measurements: Sequence[Measurement]) -> list[str]:
    """The same for people; behind each row, what others on the host of this machine took meanwhile."""
    lines = [f"{'':32} {'n':>4} {'median':>10} {'p95':>10} {'worst':>10}    {'stolen':>8}"]
    for measurement in measurements:
        row = measurement.record()
        figures = " ".join(f"{row[key]:>10.3f}" for key in ("median", "p95", "worst"))
        stolen = "" if measurement.stolen_share is None else percent(measurement.stolen_share, 1)
        lines.append(
            f"{measurement.name:32} {row['n']:>4} {figures} {measurement.unit:2} {stolen:>8}".rstrip()
        )
    return lines
