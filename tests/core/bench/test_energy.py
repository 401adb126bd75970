"""Energy by the counters of packages, each of which begins anew at some value."""

import pytest
from bench_runs import record

from guiapp.core.bench import energy
from guiapp.core.bench.contenders.contender import Contender, UnavailableError, ids_only
from guiapp.core.bench.energy import EnergyMeter, why_no_energy
from guiapp.core.bench.operations import METERED, OPERATIONS, Subject
from guiapp.core.bench.tables import measured_tables
from guiapp.core.bench.timing import calls_per_sample, take_sample


@pytest.fixture
def counters(tmp_path, monkeypatch):
    monkeypatch.setattr(energy, "POWERCAP", tmp_path)
    for name in ("intel-rapl:0", "intel-rapl:1", "intel-rapl:0:0"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text("900\n")
        (tmp_path / name / "max_energy_range_uj").write_text("999\n")
    return tmp_path


def test_joules_are_those_of_all_packages_though_one_begins_anew(counters):
    meter = EnergyMeter()
    for name, value in (("intel-rapl:0", 950), ("intel-rapl:1", 100), ("intel-rapl:0:0", 960)):
        (counters / name / "energy_uj").write_text(str(value))
    assert meter.joules() == pytest.approx((50 + 200) * 1e-6)
    meter.start()
    assert meter.joules() == 0


def test_a_machine_without_readable_counters_says_why(counters, monkeypatch):
    assert why_no_energy() == ""
    (counters / "intel-rapl:1" / "energy_uj").write_text("")
    assert "administrator" in why_no_energy()
    monkeypatch.setattr(energy, "POWERCAP", counters / "none")
    with pytest.raises(UnavailableError, match="does not tell its energy"):
        OPERATIONS[METERED](subject(bytes))


def subject(encode) -> Subject:
    contender = Contender(encode, take_text=bytes, tokens=ids_only)
    return Subject(contender, lambda: contender, [b"text"])


def test_a_sample_holds_the_joules_of_one_call(counters, monkeypatch):
    counter, calls = counters / "intel-rapl:0" / "energy_uj", []

    def encode(text: bytes) -> None:
        calls.append(text)
        counter.write_text(str((900 + 2 * len(calls)) % 1000))

    monkeypatch.setattr("guiapp.core.bench.operations.METERED_S", 1e-3)
    operation = OPERATIONS[METERED](subject(encode))
    assert calls_per_sample(operation) == 1
    sample = take_sample(operation, 1)
    assert sample.joules == pytest.approx(2e-6)


def test_the_table_has_joules_with_their_own_interval_the_least_first():
    rows = [
        record("energy", name, 1_000_000, 1e-2, joules_per_mb=joules, joules_ci=[0.9 * joules, 1.1 * joules])
        for name, joules in (("heap", 4.0), ("fast", 2.0))
    ]
    (table,) = measured_tables({"results": rows}, "fast")
    fast, heap = table.rows[1:]
    assert fast == ["fast", "2.00", "10", "1.00", "equal"]
    assert heap == ["heap", "4.00", "10", "0.50", "equal"]
    assert table.rows[0][1] == "J/MB"
