"""What the program is, what it is made from, and under which licences."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QDialog, QFormLayout, QFrame, QLabel, QWidget

from guiapp.core.system.versions import NAMES, PACKAGES, versions, versions_text
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import STRETCH, card, in_column, in_row
from guiapp.kit.widgets.theme import MARGIN_PX, READABLE, SMALL_FONT_PX, UNIT_PX, Theme, heading, set_role

WIDTH_PX = 480
PURPOSE = (
    "See, step through and measure the tokenization of any model file. Everything happens on this "
    "computer: no text and no file leaves it."
)
LICENCES = (
    "Tokenloupe is free software under the MIT licence.\n\n"
    "It uses Qt through PySide6, which are available under the GNU Lesser General Public License, "
    "version 3. They are installed as separate libraries, unchanged, so that you can replace them by "
    "your own build. Their sources are at https://code.qt.io, the licence at "
    "https://www.gnu.org/licenses/lgpl-3.0.html."
)


class AboutDialog(QDialog):
    """Versions to copy, which follow when they are looked up, and the licences."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("About Tokenloupe")
        self.setFixedWidth(WIDTH_PX)
        title = set_role(QLabel("Tokenloupe"), "title")
        self.copy_button = push_button("Copy versions", self.copy)
        close_button = push_button("Close", self.accept)
        close_button.setDefault(True)
        buttons = in_row(STRETCH, self.copy_button, close_button)
        self._versions: list[tuple[str, str]] = []
        self._labels = {name: QLabel("…") for name in NAMES}
        words = title, _text(PURPOSE), heading("Versions"), _versions_card(self._labels)
        licences = heading("Licences"), _text(LICENCES)
        margins, spacing = MARGIN_PX + 2 * UNIT_PX, 3 * UNIT_PX
        self._layout = in_column(*words, *licences, buttons, on=self, margins=margins, spacing=spacing)
        close_button.setFocus()
        self.copy_button.setEnabled(False)
        self._job = LatestJob[list[tuple[str, str]]](self, self._show_versions)
        self._job.start(_collect_versions)

    def showEvent(self, event: QShowEvent) -> None:
        self.setFixedHeight(self._layout.totalHeightForWidth(WIDTH_PX))  # Qt forgets that lines are broken
        super().showEvent(event)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(versions_text(self._versions))

    def _show_versions(self, versions: list[tuple[str, str]]) -> None:
        self._versions = versions
        for name, value in versions:
            licence = PACKAGES.get(name)
            self._labels[name].setText(f"{value:10} {licence}" if licence else value)
        self.copy_button.setEnabled(True)


def _collect_versions(_: Progress) -> list[tuple[str, str]]:
    return versions()


def _versions_card(labels: Mapping[str, QLabel]) -> QFrame:
    form = QFormLayout()
    form.setHorizontalSpacing(MARGIN_PX)
    form.setVerticalSpacing(UNIT_PX)
    for name, text in labels.items():
        label = set_role(QLabel(name), "dim")
        text.setFont(Theme.mono_font(SMALL_FONT_PX))
        form.addRow(label, text)
    return card(form)


def _text(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(READABLE)
    return label
