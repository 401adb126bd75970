"""The template with what it is chosen by: in the file, a named one, a file, or an example."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QMenu, QWidget

from guiapp.analysis.chat.templates import AS_GIVEN
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.fitted_label import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.style_sheet import heading, set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource
from guiapp.pages.chat.model import ChatModel
from guiapp.pages.chat.template_view import TemplateView

LONGEST_NAME = 24
KINDS = "Templates (*.jinja *.jinja2 *.j2 *.txt *.json);;All files (*)"
CHATML = """\
{%- for message in messages %}
  {{- '<|im_start|>' + message.role + '\\n' }}
  {{- message.content }}
  {{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
  {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""


class TemplatePanel(QFrame):
    """A head and the lines.

    Signals:
        fold_wanted(): people want its room.
    """

    fold_wanted = Signal()

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self._model = model
        self.choice = MenuButton(theme_source, role="link", tip="Choose a template")
        self.choice.list_anew(self._list)
        self._n_ran = set_role(FittedLabel(), "dim")
        self.fold = tool_button("»", self.fold_wanted.emit, role="link", tip="Hide the template")
        self.view = TemplateView(model, theme_source)
        head = in_row(
            heading("Template"),
            self.choice,
            STRETCH,
            self._n_ran,
            self.fold,
            margins=(MARGIN_PX, GAP_PX),
            spacing=GAP_PX,
        )
        in_column(head, (self.view, 1), on=self, spacing=0)
        model.result_changed.connect(self._follow)
        model.settings_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        result, chosen = self._model.result, self._model.settings.template
        template = None if result is None else result.template
        if chosen == CHATML:
            name = "ChatML, an example"
        elif template is not None and template.source == AS_GIVEN:
            name = "not the model's"
        elif chosen is not None and template is not None and chosen != template.name:
            name = quoted(Path(chosen).name, LONGEST_NAME)
        elif template is None:
            name = "none"
        else:
            name = "in the file" if template.name == "default" else quoted(template.name, LONGEST_NAME)
        self.choice.setText(name)
        self.choice.setAccessibleName(f"Template: {name}")
        lines = self.view.lines
        n_all, n_ran = sum(count is not None for count in lines), sum(bool(count) for count in lines)
        self._n_ran.set_texts(
            [f"{n_ran:,} of {n_all:,} lines ran", f"{n_ran:,} of {n_all:,}"] if n_all else [""]
        )

    def _list(self, menu: QMenu) -> None:
        templates, chosen = self._model.templates, self._model.settings.template
        rows: list[tuple[str, str | None, bool]] = []
        if templates:
            rows.append(("The usual one of the model", None, chosen is None))
        rows += [
            (f"{quoted(each.name, LONGEST_NAME)} – {quoted(each.source, 40)}", each.name, chosen == each.name)
            for each in templates
        ]
        rows.append(("ChatML, an example", CHATML, chosen == CHATML))
        for title, template, is_chosen in rows:
            add_choice(menu, title, is_chosen, partial(self._use, template))
        menu.addSeparator()
        menu.addAction("A file…", self.ask_for_file)

    def ask_for_file(self) -> None:
        """Let people choose a template's file."""
        if name := ask_for_template(self):
            self._use(name)

    def try_example(self) -> None:
        self._use(CHATML)

    def _use(self, template: str | None) -> None:
        self._model.choose(replace(self._model.settings, template=template))


def ask_for_template(window: QWidget) -> str:
    """The name of a file that people choose; "" for none."""
    return QFileDialog.getOpenFileName(window, "Open a chat template", "", KINDS)[0]
