"""The prompt that llama.cpp itself makes of a conversation, if its library is installed: text and ids."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.chat import Chat
from guiapp.analysis.chat.messages import arguments_as_text, with_arguments, with_reasoning
from guiapp.analysis.chat.templates import LONGEST_REASON, Rendering, special_texts
from guiapp.analysis.chat.traced import CHANGED, TEMPLATE, CharacterOrigin, OriginRun
from guiapp.analysis.libraries.peer import pip_install
from guiapp.core.processes import ApartError, answer_of
from guiapp.core.text.normalized import common_ends
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP
from guiapp.errors import ChatError

PACKAGE = "xllamacpp"
PATIENCE_S = 90.0
SHOWN = 24  # characters of a difference
DATES = "%d %b %Y", "%Y-%m-%d", "%b %d %Y", "%B %d, %Y"  # as templates write them
MOST_DATE = 20  # characters


@dataclass(frozen=True, eq=False)
class LlamaPrompt:
    """A conversation as llama.cpp renders and tokenizes it.

    chat       its text, tokenized by this program; text equal to ours has the same origins
    token_ids  llama.cpp's own, int32[n]; None for a file that it cannot read
    """

    chat: Chat
    token_ids: NDArray[np.int32] | None

    def difference(self, chat: Chat) -> str:
        """How llama.cpp's prompt differs, as a sentence; "" if text and ids are equal."""
        theirs, bos, left_out = (
            self.chat.text,
            special_texts(chat.tokenizer.vocabulary).get("bos_token", ""),
            "",
        )
        ours = chat.text if theirs.startswith(bos) else chat.text.removeprefix(bos)
        if ours != chat.text:
            left_out = f"llama.cpp omits the {quoted(bos)} of the template, because it adds one."
        if dates := self.dates(ours):
            return f"{left_out} llama.cpp writes today’s date, {dates[1]} instead of {dates[0]}.".strip()
        if ours != theirs:
            at, _ = common_ends(ours, theirs)
            rests = (quoted(text[at:], SHOWN) for text in (ours, theirs))
            here, there = (f"“{rest}”" if rest else "its end" for rest in rests)
            position = at + len(chat.text) - len(ours) + 1
            return f"{left_out} From character {position:,}, llama.cpp has {there} instead of {here}.".strip()
        if left_out or self.token_ids is None or np.array_equal(self.token_ids, chat.parsed.token_ids):
            return left_out
        return "llama.cpp has the same text, but different ids."

    def dates(self, ours: str) -> tuple[str, str] | None:
        """The date in a text, and today's date in llama.cpp's, if nothing else differs; else None."""
        for today in map(datetime.now().strftime, DATES):
            before, _, after = self.chat.text.partition(today)
            date = ours.removeprefix(before).removesuffix(after)
            if date != today and before + date + after == ours and 0 < len(date) <= MOST_DATE:
                return date, today
        return None


def is_installed() -> bool:
    return find_spec(PACKAGE) is not None


def llama_prompt(chat: Chat, checkpoint: Callable[[], None] = lambda: None) -> LlamaPrompt:
    """Render the conversation of a chat by llama.cpp's server, in a separate process.

    The template, which has already ended here, has 3 s of processor time there.  It receives the same as from
    a server: arguments of tools as strings, descriptions of tools even if empty, and `enable_thinking` unless
    the settings override it.
    checkpoint  called repeatedly; an exception from it ends the process
    Raises ChatError if llama.cpp is not installed or cannot render this.
    """
    if not is_installed():
        raise ChatError(f"llama.cpp is not installed. Install it: {pip_install(PACKAGE)}")
    request = json.dumps(_request(chat)).encode()
    try:
        answer = answer_of(f"{__package__}.llama_process", request, lambda _: checkpoint(), PATIENCE_S)
        reply: dict[str, Any] = json.loads(answer.split(b"\n")[-2])
    except (ApartError, OSError, IndexError):  # OSError includes TimeoutError
        raise ChatError("llama.cpp takes too long on this template or crashes.") from None
    if "error" in reply:
        raise ChatError(f"llama.cpp {quoted(reply['error'], LONGEST_REASON).rstrip('.')}.")
    rendering, ids = _like(chat.rendering, reply["text"]), reply["token_ids"]
    of_llama = Chat(chat.tokenizer, chat.conversation, chat.template, rendering, chat.settings)
    return LlamaPrompt(of_llama, None if ids is None else np.array(ids, np.int32))


def _request(chat: Chat) -> dict[str, Any]:
    vocabulary, settings = chat.tokenizer.vocabulary, chat.settings
    texts = special_texts(vocabulary)
    before, after = chat.tokenizer.special_affixes() if settings.add_special else ([], [])
    is_file_for_llama = vocabulary.library == LLAMA_CPP and vocabulary.path and not vocabulary.chosen_pre
    return {
        "template": chat.template.text,
        "body": {
            "messages": [
                with_arguments(with_reasoning(message), arguments_as_text)
                for message in chat.conversation.messages
            ],
            "tools": chat.conversation.tools or [],
            "add_generation_prompt": settings.add_generation_prompt,
            "chat_template_kwargs": dict(settings.variables),
        },
        "bos": texts.get("bos_token", ""),
        "eos": texts.get("eos_token", ""),
        "add_bos": vocabulary.special_ids.bos in before,
        "add_eos": vocabulary.special_ids.eos in after,
        "model": str(vocabulary.path) if is_file_for_llama else None,
        "add_special": settings.add_special,
    }


def _like(rendering: Rendering, text: str) -> Rendering:
    """A rendering of another text: it has the same origins where both texts begin and end alike."""
    ours = rendering.text
    n_before, n_after = common_ends(ours, text)
    shift, middle = len(text) - len(ours), len(text) - n_after
    runs = [run for run in rendering.runs if run.start < n_before]
    ends = [*(each.start for each in rendering.runs[1:]), len(ours)]
    replaced = (
        run.origin
        for run, end in zip(rendering.runs, ends, strict=True)
        if run.start < len(ours) - n_after and end > n_before and run.origin.kind != TEMPLATE
    )
    if middle > n_before:  # the origin is the content that it replaces, if there is any
        content = next(replaced, None)
        origin = content._replace(kind=CHANGED) if content else CharacterOrigin(TEMPLATE)
        runs.append(OriginRun(n_before, origin, 0))
    for run, end in zip(rendering.runs, ends, strict=True):
        if end + shift > middle:
            start = max(run.start + shift, middle)
            runs.append(OriginRun(start, run.origin, run.offset + start - run.start - shift))
    prompt = rendering.prompt_start
    moved = prompt if prompt is None or prompt <= n_before else prompt + shift
    return Rendering(text, tuple(runs), rendering.lines, 0, (), moved)
