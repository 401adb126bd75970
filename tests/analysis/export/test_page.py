"""Pages that step in a browser: what is in them, and what a browser makes of them without a network."""

from __future__ import annotations

import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser

import pytest
from model_files import opened

from guiapp.analysis.export.html import PagePair, PageStep, page
from guiapp.analysis.export.runs import TraceRun, TrainingRun
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json

pytestmark = pytest.mark.slow


try:
    import resource
except ImportError:  # on Windows
    resource = None

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OFFLINE = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"),
)  # fmt: skip
EVIL = '</title><script>document.title="evil"</script><img src=x onerror=alert(1)>"\'&\u202e\x00`*'
HOSTILE = PageStep(
    EVIL, (EVIL, EVIL, EVIL), (((EVIL, True),),), EVIL, (PagePair(EVIL, EVIL, True),), EVIL, EVIL, EVIL, EVIL
)
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "nav", "button", "output", "small"),
    *("main", "section", "h2", "p", "mark", "ol", "li", "table", "caption", "tr", "td"),
    *("div", "details", "summary", "aside", "script", "code", "em"),
}  # fmt: skip


class Reader(HTMLParser):
    """Counts tags, and keeps the text that is not code."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def seen_by_browser(path, place="", *options):
    """The page's elements after its script has run."""
    if BROWSER is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    if resource is not None and resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        pytest.skip("a browser needs more addresses than it would have here")
    command = [BROWSER, *OFFLINE, *options, "--dump-dom", f"{path.as_uri()}{place}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def written(tmp_path, *given):
    path = tmp_path / "page.html"
    path.write_text("".join(page(*given)), encoding="utf-8")
    return path


def trace_run(text, encoder="heap", model="demo:bpe"):
    tokenizer = opened(model)
    return TraceRun(debugger_for(tokenizer, record(tokenizer, text, encoder)))


def test_hostile_texts_stand_for_themselves_everywhere(tmp_path):
    html = "".join(page(EVIL, EVIL, [HOSTILE, HOSTILE._replace(ask="")]))
    reader = Reader()
    reader.feed(html)
    assert set(reader.tags) <= TAGS
    assert reader.tags.count("script") == 1
    assert not any(name.startswith("on") or name in ("src", "href", "style") for name in reader.attributes)
    assert "\u202e" not in html
    assert "\0" not in html
    assert "document.title=" not in re.sub(r"document\.title=&quot;", "", html)
    seen = seen_by_browser(written(tmp_path, EVIL, EVIL, [HOSTILE, HOSTILE._replace(ask="")]))
    title = unescape(re.search("<title>(.*?)</title>", seen, re.DOTALL)[1])
    assert title.startswith('</title><script>document.title="evil"')
    assert "<img" not in seen
    assert 'class="now"' in seen


def test_hostile_texts_in_a_run_and_a_training_do_so_too():
    text = "<script>alert('1')</script> <b>&amp;\u202e \0"
    run = begin("bpe", text * 3, 10_000, True)
    training = TrainingRecord(run.start)
    for merge in run.steps():
        training.append(to_json(merge).encode())
    for shown in (trace_run(text), TrainingRun(training)):
        reader = Reader()
        reader.feed("".join(shown.chunks(".html", shown.steps)))
        assert set(reader.tags) <= TAGS
        assert reader.tags.count("script") == 1


def test_on_paper_questions_have_lines_and_answers_are_the_last_page(tmp_path):
    steps = [PageStep("a", ask="q", answer="the answer", sentence="happens"), PageStep("b", sentence="told")]
    html = "".join(page("x", "y", steps))
    figures, _, answers = html.partition("<aside")
    figures = re.sub("<details>.*?</details>", "", figures)  # which paper does not have
    assert (figures.count('<div class="blank">'), "the answer" in figures, "happens" in figures) == (
        1,
        False,
        False,
    )
    assert ("the answer" in answers, "told" in figures, "Figure 1 · a" in answers) == (True, True, True)
    path, printed = tmp_path / "page.html", tmp_path / "page.pdf"
    path.write_text(html, encoding="utf-8")
    seen_by_browser(path, "", f"--print-to-pdf={printed}")
    pages = re.findall(rb"/Type\s*/Page\b", printed.read_bytes())
    assert len(pages) == 2


def test_nothing_is_fetched_and_only_our_own_script_runs(tmp_path):
    html = "".join(page("x", "", [PageStep("y")]))
    (policy,) = re.findall('Content-Security-Policy" content="(.*?)"', html)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not re.search("https?:|//[a-z]|@import|url\\(", html)
    path = tmp_path / "page.html"
    path.write_text(html.replace("</main>", "</main><script>document.title = 'evil'</script>"))
    assert "<title>x</title>" in seen_by_browser(path)


def test_a_page_has_the_state_before_each_step_and_the_last_one():
    run = trace_run(" lions", "scan")
    assert [len(run.page_states(steps)) for steps in (run.steps, range(1, 3))] == [8, 2]
    state = run.page_step(1)
    assert state.position == "Step 1 of 7 · merge · bytes 0–2"
    assert state.text == ("", "·l", "ions")
    assert state.rows == ((("·", True), ("l", True), ("i", False), ("o", False), ("n", False), ("s", False)),)
    assert state.sentence == "`·` + `l` → `·l`, rank 24: the lowest of 4 candidates."
    assert state.pairs[:2] == (PagePair("· + l → ·l", "24", True), PagePair("o + n → on", "35"))
    assert state.pairs_title == "Pairs: 4 could merge"
    end = run.page_step(7)
    assert (end.position, end.sentence, end.pairs) == ("Step 7 of 7", "Finished: 3 tokens.", ())
    assert run.page_head() == ("scan on “·lions”", "7 steps, 3 tokens.")


@pytest.mark.parametrize(("place", "shown"), [("", 1), ("#step=5", 5), ("#step=99", 8)])
def test_a_browser_shows_one_step_that_the_address_may_name(tmp_path, place, shown):
    run = trace_run(" lions", "scan")
    path = tmp_path / "page.html"
    run.write(path)
    seen = seen_by_browser(path, place)
    assert seen.count("<section") == 8
    assert len(re.findall('<section class="now"', seen)) == 1
    now = re.search('<section class="now">\\s*<h2>(.*?)</h2>', seen)[1]
    assert now.startswith(f"Step {shown - 1} of 7")
    assert f'aria-live="polite">{shown} of 8</output>' in seen
    assert ('id="back" title="←" disabled' in seen) == (shown == 1)


KEYS = {
    (" ",): (1, True),  # reveals first
    (" ", " "): (2, True),
    ("ArrowRight", "ArrowRight", "ArrowLeft"): (2, False),
    ("End", "ArrowRight"): (3, False),
    ("End", "Home", "ArrowLeft"): (1, False),
    ("x", "Enter"): (1, False),
}


@pytest.mark.parametrize("keys", KEYS, ids="-".join)
def test_keys_step_and_reveal_in_a_browser(tmp_path, keys):
    path = written(tmp_path, "x", "y", [PageStep("a", ask="q", answer="w"), PageStep("b"), PageStep("c")])
    html = re.sub("script-src '.*?'", "script-src 'unsafe-inline'", path.read_text())  # for the fingers below
    pressed = "".join(f'press("{key}");' for key in keys)
    event = 'new KeyboardEvent("keydown", {key, bubbles: true})'
    press = f"const press = key => document.body.dispatchEvent({event});"
    path.write_text(html.replace("</body>", f"<script>{press}{pressed}</script></body>"))
    seen = seen_by_browser(path)
    assert (int(re.search(r"(\d) of 3</output>", seen)[1]), "<details open" in seen) == KEYS[keys]
