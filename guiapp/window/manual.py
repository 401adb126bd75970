"""The manual next to the page: the chapter about the page, links to others, and a full-text search."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QKeySequence,
    QShortcut,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QDockWidget, QLineEdit, QMainWindow, QTextBrowser, QTextEdit, QWidget

from guiapp.core.manual import (
    CHAPTERS,
    anchor_of,
    chapter_title,
    manual_folder,
    search,
    search_words,
    sections,
)
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.layouts import framed, in_column, in_row
from guiapp.kit.widgets.menu_button import IconButton
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, ThemeSource
from guiapp.window.pages import PageRow

CONTENTS, RESULTS = "contents.md", "results.md"  # pages that are not files
WIDTH_PX = 380
MOST_RESULTS = 40
LIST_PX, LINE_PERCENT = 18, 115
MARKED_ALPHA = 80  # for words that were searched for


class ManualReader(QDockWidget):
    """A chapter in Markdown. In a narrow main window it floats."""

    def __init__(self, theme_source: ThemeSource, window: QMainWindow) -> None:
        super().__init__("Manual", window)
        self.setFeatures(self.DockWidgetFeature.DockWidgetClosable)
        self._window = window
        self.browser = ChapterBrowser(theme_source)
        self.search = QLineEdit(placeholderText="Search the manual", clearButtonEnabled=True)
        self.back = tool_button("Back", self.browser.backward)
        self.contents = tool_button("Contents", lambda: self.browser.show_topic(CONTENTS))
        self.search.textChanged.connect(self.browser.show_results)
        self.search.returnPressed.connect(self.browser.open_first_result)
        self.browser.backwardAvailable.connect(self.back.setEnabled)
        self.back.setEnabled(False)
        close = IconButton(theme_source, "close", self._leave, tip="Close (Escape)")
        bar = in_row(self.back, self.contents, (self.search, 1), close, spacing=UNIT_PX)
        self.setWidget(framed(in_column(bar, (self.browser, 1), margins=GAP_PX, spacing=GAP_PX)))
        self.setMinimumWidth(WIDTH_PX)
        self.setTitleBarWidget(QWidget())  # the dock needs no other title bar
        self.setFocusProxy(self.search)
        escape = QShortcut(QKeySequence("Esc"), self, self._leave)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def open(self, topic: str) -> None:
        """Show a topic, docked if there is room. If it is shown already, close the manual."""
        window = self._window
        if self.isVisible() and self.browser.source() == url_of(topic):
            self._leave()
            return
        if self.isHidden():
            window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self)
            self.setFloating(window.width() < window.minimumWidth() + WIDTH_PX)
            if self.isFloating():
                self.resize(WIDTH_PX, window.height())
                self.move(window.frameGeometry().right() - WIDTH_PX, window.y())
        self.show()
        self.raise_()
        self.browser.show_topic(topic)
        self.search.setFocus()

    def _leave(self) -> None:
        self.close()
        self._window.activateWindow()


class ChapterBrowser(QTextBrowser):
    """Shows the chapters' files, the table of contents, and search results."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(openExternalLinks=True)
        self._theme_source = theme_source
        self._query = ""  # whose words are marked
        self.setSearchPaths([str(manual_folder())])
        self.document().setDocumentMargin(GAP_PX)
        self.document().setIndentWidth(LIST_PX)
        self.sourceChanged.connect(self._dress)
        theme_source.changed.connect(self.reload)

    def show_topic(self, topic: str) -> None:
        self.setSource(url_of(topic))

    def show_results(self, query: str) -> None:
        self._query = query
        if query.strip():
            self.setSource(QUrl(f"{RESULTS}?{query}"))
        elif self.source().path() == RESULTS:
            self.backward()

    def open_first_result(self) -> None:
        if self.source().path() == RESULTS and (found := search(self._query)):
            self.show_topic(found[0].topic)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        name = QUrl(name)
        path = name.path()
        if path == CONTENTS:
            return contents()
        if path == RESULTS:
            return results(name.query(QUrl.ComponentFormattingOption.FullyDecoded))
        resource = super().loadResource(kind, name)
        if kind == QTextDocument.ResourceType.ImageResource.value and resource:
            image, room = QImage.fromData(resource), self.viewport().width() - 2 * MARGIN_PX
            return image.scaledToWidth(min(room, image.width()), Qt.TransformationMode.SmoothTransformation)
        return resource

    def _dress(self, source: QUrl) -> None:
        """Style headings, paragraphs and code like the program, and scroll to the section of the link."""
        cursor, anchor = QTextCursor(self.document()), source.fragment()
        at_px, block, paragraph = 0.0, self.document().begin(), QTextBlock()
        blocks = []
        while block.isValid():
            blocks.append(QTextBlock(block))
            cursor.setPosition(block.position())
            cursor.movePosition(cursor.MoveOperation.EndOfBlock, cursor.MoveMode.KeepAnchor)
            self._dress_block(block.blockFormat(), cursor)
            block = block.next()
        for block in blocks:
            is_heading, name = block.blockFormat().headingLevel() > 0, anchor_of(block.text())
            if anchor and (name == anchor if is_heading else name.startswith(anchor)):
                at_px = self.document().documentLayout().blockBoundingRect(block).y()
                paragraph = paragraph if is_heading else block
                break
        self.verticalScrollBar().setValue(int(at_px) - GAP_PX)
        self._mark(paragraph)

    def _mark(self, paragraph: QTextBlock) -> None:
        """Mark the words of the query, and the paragraph that a link leads to, if it is valid."""
        cursors, color = [], QColor(self._theme_source.theme.warning)
        color.setAlpha(MARKED_ALPHA)
        if paragraph.isValid():
            cursors.append(QTextCursor(paragraph))
            cursors[0].movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
        for word in search_words(self._query):
            cursor = self.document().find(word)
            while not cursor.isNull():
                cursors.append(cursor)
                cursor = self.document().find(word, cursor)
        marks = [QTextEdit.ExtraSelection() for _ in cursors]
        for mark, cursor in zip(marks, cursors, strict=True):
            mark.cursor = cursor
            mark.format.setBackground(color)
        self.setExtraSelections(marks)

    def _dress_block(self, block: QTextBlockFormat, cursor: QTextCursor) -> None:
        style, letters = QTextBlockFormat(), QTextCharFormat()
        is_code, follows = _is_code(cursor.block()), cursor.block().next()
        if level := block.headingLevel():
            style.setTopMargin(0 if level == 1 else 3 * GAP_PX)
            letters.setProperty(QTextFormat.Property.FontSizeAdjustment, max(0, 3 - level))
            letters.setFontWeight(QFont.Weight.DemiBold)
        if is_code:
            style.setBackground(self._theme_source.theme.raised)
            style.setNonBreakableLines(False)
            style.setLeftMargin(2 * GAP_PX)
            style.setTextIndent(-GAP_PX)  # a hanging indent for long commands
            style.setBottomMargin(0 if _is_code(follows, cursor.block()) else GAP_PX)
            letters.setProperty(QTextFormat.Property.FontPixelSize, SMALL_FONT_PX)
        else:
            style.setBottomMargin(GAP_PX if not cursor.currentList() else UNIT_PX)
            style.setLineHeight(LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(style)
        cursor.mergeCharFormat(letters)


def _is_code(block: QTextBlock, before: QTextBlock | None = None) -> bool:
    """Whether a block is a line of code, and, given a previous block, of the same listing."""
    language = QTextFormat.Property.BlockCodeLanguage
    if not block.isValid() or not block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
        return False
    return before is None or block.blockFormat().property(language) == before.blockFormat().property(language)


def url_of(topic: str) -> QUrl:
    """The URL of a chapter, optionally with `#` and a section, or of a generated page."""
    name, hash_, anchor = topic.partition("#")
    return QUrl((name if name.endswith(".md") else f"{name}.md") + hash_ + anchor)


def chapter_of(page: PageRow) -> str:
    """The chapter about a page, or the table of contents."""
    names = page.name, page.mode.lower(), page.entry.lower()
    return next((name for name in names if name in CHAPTERS), CONTENTS)


def contents() -> str:
    """All chapters as links, each with its first sentence, in Markdown."""
    entries = (
        f"- [{chapter_title(name)}]({name}.md): {sections(name)[0].sentence_with([])}" for name in CHAPTERS
    )
    return "# Contents\n\n" + "\n".join(entries)


def results(query: str) -> str:
    """The sections that contain the words, as links in Markdown."""
    found = search(query)
    words = search_words(query)
    lines = [
        f"[{section.title}]({section.chapter}.md#{section.anchor}) · {chapter_title(section.chapter)}  \n"
        f"{section.sentence_with(words)}\n"
        for section in found[:MOST_RESULTS]
    ]
    title = counted(len(found), "section") if found else "No results"
    return f"# {title}\n\n" + ("\n".join(lines) or "No section contains these words.")
