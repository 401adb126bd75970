"""Screenshots of the window, made without a display."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QDeadlineTimer, QEventLoop, QPoint, QTimer
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget

from guiapp.analysis.chat.messages import conversation_of
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.reports import Subtree
from guiapp.core.demo import sample_text
from guiapp.core.open_model import open_model
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.errors import TokenloupeError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.saving import read_text, write_text
from guiapp.kit.state.settings import Settings, SharedSpelling
from guiapp.kit.widgets.controls import Popover
from guiapp.kit.widgets.painting import save_image
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.chat.counterpart import Counterpart, PromptVariant
from guiapp.pages.tree.appearance import TreePaint
from guiapp.pages.tree.geometry import View
from guiapp.pages.tree.model import TreeModel, TreeSearch
from guiapp.pages.tree.saving_view import Drawing, picture_of, svg_of
from guiapp.pages.tree.view import TreeView
from guiapp.window.app import FIRST_SAMPLE, Shell, build, make_application
from guiapp.window.main_window import SMALLEST_SIZE

if TYPE_CHECKING:
    from guiapp.analysis.bench.run_results import BenchRun
    from guiapp.kit.token_table.list_model import TokenListModel
    from guiapp.pages.bench.page import BenchPage
    from guiapp.pages.chat.page import ChatPage
    from guiapp.pages.compare.languages_page import LanguagesPage
    from guiapp.pages.compare.page import ComparePage
    from guiapp.pages.compare.texts_page import TextsPage
    from guiapp.pages.data.page import DataPage
    from guiapp.pages.hunt.page import HuntPage
    from guiapp.pages.steps.page import StepsPage
    from guiapp.pages.text.page import InspectPage
    from guiapp.pages.vocabulary.page import VocabularyPage

TICK_MS = 20
PRESENTATION = "presentation"
LESSON_LIST = "list"  # shows the list instead of a lesson
PATIENCE_MS = 120_000  # a second or two is enough on an idle machine
PANELS = ("token", "why", "dearest")  # tabs on the right of the Text page
UNFINISHED = "The picture was not ready after {} s and was not saved. Try again on a less busy machine."
SETTLE_MS = 100  # for layouts and the details of the selected token


@dataclass(frozen=True)
class ScreenshotOptions:
    """The contents and style of a screenshot; the help of `tokenloupe screenshot` describes the options.

    color     by cost, line costs and the budget show, too
    spelling  of tokens, see `Spelling`
    """

    theme: str = "dark"
    size: tuple[int, int] = (1440, 900)
    counterpart: Sequence[str] = ()
    difference: int = 0
    against: str = ""
    languages: str = ""
    hunt_seconds: float = 0.0
    filter: str = ""
    embeddings: bool = False
    shape: str = "sunburst"
    encoder: str = ""
    at: str = ""
    race: str = ""
    lesson: str = ""
    train: str = ""
    run: Path | None = None
    chart: str = ""
    more: bool = False
    bench_seconds: float = 0.0
    spelling: str = Spelling.SIGNS.value
    color: str = ""
    detail: str = ""
    at_text: str = ""
    messages: Path | None = None
    data: Path | None = None
    template: str = ""
    compared: str = ""


def save_screenshot(
    page: str, model: str, text: bytes | None, options: ScreenshotOptions, path: Path, pre: str | None = None
) -> None:
    """Draw a page once its model is open and its text encoded. Raises the errors of opening.

    `pre` as in `open_model`.
    """
    if not os.path.isdir(path.absolute().parent):
        raise TokenloupeError(f"The folder {path.parent} does not exist. Create it, or choose another one.")
    if options.size[0] < SMALLEST_SIZE.width() or options.size[1] < SMALLEST_SIZE.height():
        smallest = f"{SMALLEST_SIZE.width()}x{SMALLEST_SIZE.height()}"
        raise TokenloupeError(f"The smallest window size is {smallest} pixels. Choose a larger size.")
    tokenizer = open_model(model, pre)
    for encoder in filter(None, (options.encoder, options.race)):
        tokenizer.encode("", encoder=encoder)  # an unknown encoder raises an error that lists them
    tokenizers = {model: tokenizer} | {name: open_model(name) for name in options.counterpart}
    application = make_application()
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(Path(folder) / "settings.ini")
        settings.theme = options.theme
        settings.tree_shape = options.shape
        settings.spelling.choose(Spelling(options.spelling))
        if options.color:
            settings.coloring = options.color
            settings.shows_line_tokens = settings.shows_budget = options.color == "cost"
        settings.set_options(True, True, options.encoder or None)
        shown = sample_text(FIRST_SAMPLE) if text is None else text
        shell = build(application, settings, shown, lambda name, *_: tokenizers[name])
        try:
            save_image(_grab(shell, page, model, options).toImage(), path)
        finally:
            shell.window.hide()  # now: at exit, Python could no longer handle the events of hiding
            shell.stop()


def _grab(shell: Shell, page: str, model: str, options: ScreenshotOptions) -> QPixmap:
    is_presented = page == PRESENTATION
    shell.window.actions_table["steps" if is_presented else page].trigger()
    shell.window.resize(*options.size)
    shell.window.show()
    for name in options.counterpart:
        shell.compared.add(name)
    _open_and_wait(shell, model)
    _wait_for_page(shell)
    pages = shell.window.pages
    if (arrange := ARRANGE.get(pages.current_name)) is not None:
        for _ in arrange(shell, pages.current, options):
            _wait_for_page(shell)
    if is_presented:
        _present(shell, options)
    return _with_popovers(shell.window)


def _with_popovers(window: QWidget) -> QPixmap:
    """A window and its open popovers, which are windows themselves."""
    picture = window.grab()
    with QPainter(picture) as painter:
        for popover in window.findChildren(Popover):
            if popover.isVisible():
                painter.drawPixmap(window.mapFromGlobal(popover.pos()), popover.grab())
    return picture


def _present(shell: Shell, options: ScreenshotOptions) -> None:
    """Show the page as on a full screen of the picture's size."""
    shell.window.actions_table["present"].setChecked(True)
    shell.window.showNormal()
    shell.window.resize(*options.size)
    _wait_for_page(shell)


def _open_and_wait(shell: Shell, model: str) -> None:
    """Wait until the round trip of the first text is known, which arrives last, or encoding fails."""
    failures = list[str]()
    shell.session.spans.failed.connect(failures.append)
    shell.session.loader.open(model)
    wait_until(lambda: shell.session.round_trip.is_current or bool(failures))


# What the options request on a page. At each `yield` and at the end, the screenshot waits for the page


def _arrange_text(shell: Shell, page: InspectPage, options: ScreenshotOptions) -> Iterator[None]:
    if options.at_text:
        start = shell.session.document.text().find(options.at_text.encode())
        if start < 0:
            raise TokenloupeError(f"“{options.at_text}” is not in the text.")
        shell.session.select_token(shell.session.tokens.indexes_in(start, start + 1)[0])
    if options.detail in PANELS:
        page.side.tabs.choose(PANELS.index(options.detail))
    elif options.detail == "hidden":
        shell.window.hidden.step(1)
        start, end = shell.session.document.selection
        caret = page.editor.rows.position_of(start)
        below = QPoint(round(caret.x), round(caret.y + page.editor.fontMetrics().height()))
        shell.commands.open_hidden_card(start, end, page.editor.viewport().mapToGlobal(below))
    yield


def _arrange_models(shell: Shell, page: ComparePage, options: ScreenshotOptions) -> Iterator[None]:
    if options.difference:
        if not 1 <= options.difference <= page.walk.n_all:
            found = counted(page.walk.n_all, "difference")
            raise TokenloupeError(f"There is no difference {options.difference:,}: {found} in this text.")
        page.walk.go_to(options.difference - 1)
        yield


def _arrange_texts(shell: Shell, page: TextsPage, options: ScreenshotOptions) -> Iterator[None]:
    if options.against:
        page.compared.second.text.show(os.fsencode(options.against))
        yield


def _arrange_languages(shell: Shell, page: LanguagesPage, options: ScreenshotOptions) -> Iterator[None]:
    from guiapp.pages.compare.languages_page import VIEWS

    if options.languages:
        page.model.open_folder(Path(options.languages))
        yield
    if options.chart in VIEWS:
        page.views.choose(VIEWS.index(options.chart))
        yield


def _arrange_hunt(shell: Shell, page: HuntPage, options: ScreenshotOptions) -> Iterator[None]:
    if options.hunt_seconds:
        page.model.choose(replace(page.model.choices, seconds=options.hunt_seconds))
        page.model.run()
        yield


def _filter(model: TokenListModel[Any], query: str) -> Iterator[None]:
    """Apply a filter. Raises TokenloupeError if it cannot be parsed."""
    model.set_query(query)
    yield
    if model.shown.problem:
        raise TokenloupeError(model.shown.problem)


def _arrange_vocabulary(shell: Shell, page: VocabularyPage, options: ScreenshotOptions) -> Iterator[None]:
    if options.embeddings:
        page.bar.embeddings.click()
        page.embeddings.read()
        yield
        page.embeddings.list_suspects()
        yield
    if options.filter:
        yield from _filter(page.model, options.filter)
    if options.embeddings or options.filter:
        page.model.step(1)
        yield


def _arrange_steps(shell: Shell, page: StepsPage, options: ScreenshotOptions) -> Iterator[None]:
    if options.counterpart:
        page.race_with(shell.compared.sessions[1])
    if options.lesson == LESSON_LIST:
        page.show_lessons()
    else:
        page.begin(options.race, options.lesson)
    page.begin_training(options.train)
    yield
    page.stop_at(options.at)
    yield
    debugger = page.model.debugger
    if options.at and debugger is not None and debugger.stopped_at is None:
        raise TokenloupeError(f"No step is at the breakpoint “{options.at}”.")


def _arrange_bench(shell: Shell, page: BenchPage, options: ScreenshotOptions) -> Iterator[None]:
    from guiapp.analysis.bench.history import load_run

    if options.run is not None:
        page.model.show_run(load_run(options.run))
    if options.more:
        page.open_more()
    if options.chart:
        page.show_only(options.chart)
    yield
    if options.bench_seconds:
        page.run_or_stop()
        _let_pass(round(options.bench_seconds * 1000))


def _arrange_chat(shell: Shell, page: ChatPage, options: ScreenshotOptions) -> Iterator[None]:
    if options.messages is None:
        return
    page.model.edited.take(conversation_of(read_text(options.messages)))
    page.model.choose(replace(page.model.settings, template=options.template or None))
    yield
    if options.compared or options.counterpart:
        page.counterpart.choose(_comparison_of(options))
        yield
        page.compare.walk.step(1)
        yield
    elif options.at_text:
        assert page.model.chat is not None
        start = page.model.chat.text.find(options.at_text)
        if start < 0:
            raise TokenloupeError(f"“{options.at_text}” is not in the prompt.")
        page.prompt.go_to(page.model.chat.tokens_at(start, start + 1)[0])
        yield


def _arrange_data(shell: Shell, page: DataPage, options: ScreenshotOptions) -> Iterator[None]:
    if options.data is None:
        return
    page.model.set_options(replace(page.model.options, template=options.template or None))
    page.model.open(options.data)
    yield
    if options.filter:
        yield from _filter(page.model, options.filter)
        page.model.step(1)
        yield


ARRANGE: dict[str, Callable[[Shell, Any, ScreenshotOptions], Iterator[None]]] = {
    "inspect": _arrange_text,
    "compare": _arrange_models,
    "compare_texts": _arrange_texts,
    "compare_languages": _arrange_languages,
    "hunt": _arrange_hunt,
    "vocabulary": _arrange_vocabulary,
    "steps": _arrange_steps,
    "bench": _arrange_bench,
    "chat": _arrange_chat,
    "data": _arrange_data,
}


def _comparison_of(options: ScreenshotOptions) -> Counterpart:
    """The prompt to compare the Chat page's prompt with."""
    if options.counterpart:
        return Counterpart(PromptVariant.MODEL, options.counterpart[0])
    ways = {
        each.value: Counterpart(each)
        for each in (PromptVariant.AS_TEXT, PromptVariant.NO_PROMPT, PromptVariant.LLAMA_CPP)
    }
    return ways.get(options.compared, Counterpart(PromptVariant.TEMPLATE, options.compared))


def _wait_for_page(shell: Shell) -> None:
    """Wait until the current page shows its first contents."""
    page = shell.window.pages.current
    wait_until(lambda: page.is_ready)


def wait_until(is_done: Callable[[], bool]) -> None:
    """Run the event loop until a condition holds and layouts are done, or raise TokenloupeError."""
    loop, late = QEventLoop(), QDeadlineTimer(PATIENCE_MS)
    ticks = QTimer(interval=TICK_MS)
    ticks.timeout.connect(lambda: loop.quit() if is_done() or late.hasExpired() else None)
    ticks.start()
    loop.exec()
    ticks.stop()
    if not is_done():
        raise TokenloupeError(UNFINISHED.format(PATIENCE_MS // 1000))
    _let_pass(SETTLE_MS)


def _let_pass(time_ms: int) -> None:
    """Run the event loop for a while."""
    loop = QEventLoop()
    QTimer.singleShot(time_ms, loop.quit)
    loop.exec()


def bench_charts(run: BenchRun, baseline: str) -> dict[str, str]:
    """All charts of a run of Bench as SVG documents, by title."""
    from guiapp.pages.bench.saving import paper_charts

    application = make_application()
    charts = dict(paper_charts(run, baseline))
    application.sendPostedEvents()
    return charts


# Pictures of the token tree, made without a window or a display


@dataclass(frozen=True)
class TreeImageOptions:
    """The style of a picture of the tree; `coloring` is a name of COLORINGS."""

    shape: str = "sunburst"
    theme: str = "dark"
    coloring: str = "script"
    size: tuple[int, int] = (1600, 1000)
    scale: float = 1.0
    spelling: Spelling = Spelling.SIGNS


def save_tree_picture(
    model: str, pre: str | None, prefix: bytes, style: TreeImageOptions, path: Path
) -> None:
    """Draw the tokens that begin with `prefix`: as SVG if the path ends in .svg, else as pixels.

    `pre` as in `open_model`.
    """
    tokenizer = open_model(model, pre)
    branch = Subtree(tokenizer.vocabulary, prefix)
    if prefix and not len(branch.tokens):
        raise TokenloupeError(f"No token begins with “{visible_text(prefix)}”.")
    application = make_application()
    spelling = SharedSpelling(style.spelling)
    session = ModelSession(TextSession(b""), load=lambda *asked: tokenizer, spelling=spelling)
    tree = TreeModel(session)
    search = TreeSearch(tree)
    theme_source = ThemeSource(application, style.theme)
    paint = TreePaint(tree, search, theme_source)
    view = TreeView(tree, search, paint, theme_source)
    view.set_animated(False)
    view.resize(*style.size)
    tree.set_shape(style.shape)
    tree.set_coloring(style.coloring)
    try:
        session.loader.open(model)
        wait_until(lambda: view.geometry_now is not None and paint.is_current)
        if prefix:
            tree.set_view(_view_of(tree, branch))
        view.show_at_once()
        geometry = view.geometry_now
        if path.suffix.lower() == ".svg" and geometry is not None:
            write_text(path, svg_of(Drawing.of(view, tree, geometry)))
        else:
            save_image(picture_of(view, style.scale), path)
    finally:
        for part in (paint, search, tree, session):
            part.close()


def _view_of(tree: TreeModel, branch: Subtree) -> View:
    """The range that contains all tokens of a branch."""
    assert tree.picture is not None
    spans = [
        tree.picture.span(tree.picture.node(token)) for token in branch.tokens[branch.levels == 1].tolist()
    ]
    return float(min(start for start, _ in spans)), float(max(end for _, end in spans))
