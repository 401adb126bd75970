"""All that the Bench page tells and offers, before a run and after one."""

from bench_runs import EVERYTHING
from controls_in_words import controls_of
from pictures import settle

from guiapp.core.bench.scenarios import SCENARIOS


def test_all_that_can_be_done_is_told(open_page, qtbot):
    page, out = open_page, "the cross, or Delete, takes it out of the next run"
    how = f"A click points at it in all charts; {out}"
    chips = [f"{name} | {how}" for name in page.model.choice.contenders]
    n_contenders = len(page.model.choice.entrants) + len(page.model.choice.missing)
    text, *rest = controls_of(page.bar)
    assert text.startswith("English")
    assert rest == [*chips, "Add | Let another contender take part", "Runs", "Report… | off", "Run"]
    assert controls_of(page.footer) == [
        *("More", f"{n_contenders} contenders, {len(SCENARIOS)} scenarios, texts, sizes, threads")
    ]
    save = "Save | Copy this chart, or save it as a picture"
    page.open_more()
    settle()
    assert controls_of(page.more)[:3] == ["More", "what each adds to the time", "Choose"]
    assert not {text, "Run", *chips} & {*controls_of(page.bar)}
    assert controls_of(page.results) == ["Throughput | checked", "Throughput", save]
    page.close_more()
    page.model.show_run(EVERYTHING)
    page.redraw()
    settle()
    assert controls_of(page.bar)[-3:] == ["Runs", "Report…", "Run"]
    tabs = [row.label for row in SCENARIOS.values()]
    assert controls_of(page.results) == [
        *("Unit", "Baseline | Baseline", f"{tabs[0]} | checked", *tabs[1:]),
        *("Figures", "Throughput", save, "Speed × exactness", save),
    ]
