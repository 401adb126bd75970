"""Likely problems of a prompt, each as a sentence with a fix.

To add a hint: a generator of `Hint`, its name in `hints`, and a title in `pages/chat/hint_list.py`.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain, pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.as_text import is_control
from guiapp.analysis.chat.chat import ADDED, ASSISTANT, TOOLS, Chat, TokenOrigin
from guiapp.analysis.chat.fixes import Fix, ending_turn, replacing
from guiapp.analysis.chat.messages import (
    MOST_CHARACTERS,
    Conversation,
    arguments_as_object,
    functions_of,
    texts_of,
)
from guiapp.analysis.chat.templates import ENDS, KNOWN_MARKERS, near_misses, resembles_end
from guiapp.analysis.chat.traced import CONTENT, TEMPLATE
from guiapp.analysis.chat.written_turns import MARKER
from guiapp.analysis.doctor.findings import HINT, WARNING
from guiapp.analysis.doctor.roles import keeps_going
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.remedies import ending_generation
from guiapp.core.vocabulary.vocabulary import Vocabulary

START, END = itemgetter(0), itemgetter(1)
BLANKS = " \t\u00a0\u3000"
LONGEST_NAME = 24
NAME = re.compile(r"[^\W\d]\w*")
MOST_NAMES = 2_000  # of a template, to search for one with a similar spelling
MOST_PIECES = 20  # to search for in the prompt
MOST_NAMED = 8  # kinds of control tokens in one hint


@dataclass(frozen=True)
class Hint:
    """A likely problem of a prompt.

    code      of the kind of hint
    severity  WARNING if the model reads something else than the user means, else HINT
    what      a sentence
    tokens    the token range [first, end) that the hint is about
    message   that the hint is about, from 0, or None
    others    further token ranges that the hint is about, in order
    """

    code: str
    severity: str
    what: str
    tokens: tuple[int, int]
    message: int | None = None
    fix: Fix | None = None
    others: tuple[tuple[int, int], ...] = ()

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """All token ranges that the hint is about, in order."""
        return (self.tokens, *self.others)

    def ranges_within(self, first: int, last: int) -> Sequence[tuple[int, int]]:
        """The ranges that overlap [first, last)."""
        ranges = self.ranges
        return ranges[bisect_right(ranges, first, key=END) : bisect_left(ranges, last, key=START)]


def hints(chat: Chat) -> list[Hint]:
    """All hints of a conversation by kind and position; each sentence appears once."""
    if not chat.is_traced:
        what = "The origin of the text is unknown, so it cannot be checked."
        return [Hint("untraced", WARNING, what, (0, 0))]
    result: dict[tuple[str, str], Hint] = {}
    in_tokens = _content_as_control, _two_bos, _ends_of_turns, _near_misses
    of_template = _added_blanks, _lost_content, _lost_tools, _escaped_arguments, _unused_variables
    for find in in_tokens + of_template:
        for hint in find(chat):
            result.setdefault((hint.code, hint.what), hint)
    return list(result.values())


def _content_as_control(chat: Chat) -> Iterator[Hint]:
    """One hint a message, with the number of each of its control tokens."""
    indexes = np.flatnonzero(chat.became_control)
    messages = chat.origins.messages[indexes]
    for row in np.sort(np.unique(messages, return_index=True)[1]).tolist():
        own = indexes[messages == messages[row]]
        tokens, *others = ((each, each + 1) for each in own.tolist())
        vocabulary, ids = chat.tokenizer.vocabulary, chat.token_ids[own].tolist()
        names = names_in_words(Counter(_raw(vocabulary, each) for each in ids))
        became = f"{len(own):,} control tokens: " if others else "the control token "
        origin = chat.origins[tokens[0]]
        what = f"Content of {_name(origin)} became {became}{names}."
        fix = Fix("Encode as text", as_text=True)
        yield Hint("content_became_control", WARNING, what, tokens, origin.message, fix, tuple(others))


def names_in_words(counts: Mapping[str, int]) -> str:
    """Names of tokens with their numbers: `<|im_end|> twice, <|im_start|>`."""
    parts = [
        f"{quoted(name)}{'' if n == 1 else ' twice' if n == 2 else f' {n:,} times'}"
        for name, n in counts.items()
    ]
    if (n_more := len(parts) - MOST_NAMED) > 0:
        parts[MOST_NAMED:] = [f"{n_more:,} more"]
    return ", ".join(parts)


def _two_bos(chat: Chat) -> Iterator[Hint]:
    """Several BOS with only white space between them; templates of old models begin each turn with one."""
    bos, spans, alike = chat.tokenizer.vocabulary.special_ids.bos, chat.encoding.spans, list[int]()
    if bos is None:
        return
    for index in np.flatnonzero(chat.token_ids == bos).tolist():
        before = chat.encoding.text_bytes[spans[alike[-1], 1] : spans[index, 0]] if alike else b""
        if before.strip() or chat.origins[index].is_content:
            break
        alike.append(index)
    if len(alike) < 2:
        return
    tokens, is_pair = (alike[0], alike[-1] + 1), len(alike) == 2
    name = quoted(_raw(chat.tokenizer.vocabulary, bos))
    begins = f"The prompt begins with {'two' if is_pair else len(alike)} {name}"
    if chat.origins[alike[0]].kind == ADDED:
        written = "one" if is_pair else len(alike) - 1
        what = f"{begins}: the template writes {written}, and the tokenizer adds another."
        fix = Fix("Do not add another", add_special=False)
        yield Hint("double_bos", WARNING, what, tokens, None, fix)
    else:
        what = f"{begins}: the template writes {'both' if is_pair else 'all'}."
        once = min(alike, key=lambda each: chat.origins[each].message is not None)
        yield Hint("double_bos", WARNING, what, tokens, None, _taken_out(chat, *_characters(chat, once)))


def _ends_of_turns(chat: Chat) -> Iterator[Hint]:
    """Turns of the assistant that do not end as the model would end them; each kind of end once."""
    vocabulary, reported = chat.tokenizer.vocabulary, set[str]()
    control, names = is_control(vocabulary), chat.tokenizer.special_tokens.names
    contents = np.flatnonzero(chat.origins.is_content & ~_is_repeated(chat))
    is_last = np.diff(chat.origins.messages[contents], append=-2) != 0
    after = np.append(contents[1:], len(chat.origins))
    for last, following in zip(contents[is_last].tolist(), after[is_last].tolist(), strict=False):
        origin = chat.origins[last]
        if origin.role != ASSISTANT:
            continue
        between = chat.token_ids[last + 1 : following].tolist()
        if any(each in vocabulary.eog or keeps_going(_raw(vocabulary, each), names) for each in between):
            continue
        marks = [token_id for token_id in between if control[token_id]]
        turn = "tool call" if origin.field.startswith("tool_calls") else "turn"
        if marks:
            token, code = quoted(_raw(vocabulary, marks[0])), "eog_gap"
            what = (
                f"{token} follows the assistant's {turn}, but with this model llama.cpp does not stop there."
            )
        else:
            code = "missing_eos"
            what = f"No control token ends the assistant's {turn}, so the model does not learn that it ends."
        if what in reported:
            continue
        reported.add(what)
        fix = _end_as_meant(chat, last, following)
        if fix is None and marks and resembles_end(_raw(vocabulary, marks[0])):
            fix = Fix("Copy the fix for the file", remedy=ending_generation(vocabulary, marks[0]))
        fix = fix or _added_end(chat, last)
        yield Hint(code, WARNING, what, (last + 1, max(following, last + 1)), origin.message, fix)


def _is_repeated(chat: Chat) -> NDArray[np.bool_]:
    """bool[n]: tokens of a repeated call, such as a function's name before its result."""
    written, repeated = set[tuple[int | None, str, int]](), list[int]()
    for row, run in enumerate(chat.rendering.runs):
        key = (run.origin.message, run.origin.field, run.offset)
        if run.origin.kind == CONTENT and run.origin.field.startswith("tool_calls"):
            repeated += [row] if key in written else []
            written.add(key)
    return np.isin(chat.origins.rows, repeated)


def _end_as_meant(chat: Chat, last: int, following: int) -> Fix | None:
    """Correct the misspelt end that the template writes after a turn, rather than add a second end.

    last       the last token of the content, which may contain some of the marker
    following  the first token of the next content
    """
    vocabulary, start, end = chat.tokenizer.vocabulary, _characters(chat, last)[0], len(chat.text)
    if following < len(chat.token_ids):
        end = _characters(chat, following)[0]
    ends = {_raw(vocabulary, token_id) for token_id in vocabulary.eog}
    for result, meant, _ in _misspelt(chat, start, end):
        if meant in ends and chat.origin_at(result.start()).kind == TEMPLATE:
            return _replacement(chat, result.start(), result.end(), meant)
    return None


def _added_end(chat: Chat, last: int) -> Fix | None:
    """Add the model's own end after the turn whose content ends with this token."""
    vocabulary, origin, end = chat.tokenizer.vocabulary, chat.origins[last], _end_of_turns(chat)
    ids = vocabulary.special_ids
    name = next((_raw(vocabulary, each) for each in (end, ids.eot, ids.eos) if each in vocabulary.eog), "")
    if not name or origin.message is None or not origin.field.startswith("content"):
        return None
    edit = ending_turn(chat, origin.message, name)
    return None if edit is None else Fix(f"Add {quoted(name, LONGEST_NAME)}", template=edit)


def _near_misses(chat: Chat) -> Iterator[Hint]:
    """Text that only looks like a control token of this model: one hint a message or template.

    Only the template gets a fix: a control token in content would be an injection.
    """
    results = defaultdict[tuple[str, str, str], list[tuple[re.Match[str], str]]](list)
    for result, meant, instead in _misspelt(chat, 0, len(chat.text)):
        origin = chat.origin_at(result.start())
        where = f"in {_name(origin)}" if origin.is_content else ""
        results[result[0], where, instead].append((result, meant))
    for (written, where, instead), alike in results.items():
        result, meant = alike[0]
        origin = chat.origin_at(result.start())
        lines = {chat.origin_at(each.start()).line for each, _ in alike}
        where = where or f"in {_lines(lines)} of the template"
        tokens, *others = (chat.tokens_at(*each.span()) for each, _ in alike)
        yield Hint(
            "near_miss",
            HINT if origin.is_content and written in KNOWN_MARKERS else WARNING,
            f"{quoted(written)} {where} is plain text in this model{instead}.",
            tokens,
            origin.message if origin.is_content else None,
            _replacement(chat, *result.span(), meant),
            tuple(each for each in others if any(each)),
        )


def _lines(numbers: set[int]) -> str:
    """`line 2`, `lines 2, 32 and 50`."""
    *others, last = map(str, sorted(numbers))
    return f"lines {', '.join(others)} and {last}" if others else f"line {last}"


def _misspelt(chat: Chat, start: int, end: int) -> Iterator[tuple[re.Match[str], str, str]]:
    """Near misses in some characters of the prompt, each with the intended name, or "", and a clause."""
    own = _end_of_turns(chat)
    for result, meant in near_misses(chat.tokenizer.special_tokens.names, chat.text, start, end):
        instead = f"; the model has {quoted(meant)}" if meant else ""
        if result[0] in ENDS and not meant and own is not None:
            meant = _raw(chat.tokenizer.vocabulary, own)
            instead = f"; its turns end with {quoted(meant)}"
        yield result, meant, instead


def _end_of_turns(chat: Chat) -> int | None:
    """The control token that the template most often writes after content, or else the model's own end."""
    vocabulary = chat.tokenizer.vocabulary
    is_content, following, control = chat.origins.is_content, chat.token_ids[1:], is_control(vocabulary)
    after = Counter(following[is_content[:-1] & ~is_content[1:] & control[following]].tolist())
    ids = vocabulary.special_ids
    own = ids.eos if ids.eot is None else ids.eot
    return max(after, key=after.__getitem__, default=own)


def _added_blanks(chat: Chat) -> Iterator[Hint]:
    """Blanks that become part of a word, or prevent its usual token."""
    text, runs = chat.text, chat.rendering.runs
    if text and text[-1] in BLANKS and runs[-1].origin.kind == TEMPLATE:
        what = "The prompt ends with a space from the template, but most words begin with their own."
        span = _blanks(chat, len(runs) - 1, at_end=True)
        yield Hint("trailing_blank", WARNING, what, chat.tokens_at(*span), None, _taken_out(chat, *span))
    for row, (before, run) in enumerate(pairwise(runs)):
        kinds = before.origin.kind, run.origin.kind
        if kinds == (TEMPLATE, CONTENT) and text[run.start - 1] in BLANKS:
            what = f"Line {before.origin.line} of the template adds a space before content."
            message, span = run.origin.message, _blanks(chat, row, at_end=True)
        elif kinds == (CONTENT, TEMPLATE) and text[run.start] in BLANKS:
            what = f"Line {run.origin.line} of the template adds a space after content."
            message, span = before.origin.message, _blanks(chat, row + 1, at_end=False)
        else:
            continue
        yield Hint("added_blank", HINT, what, chat.tokens_at(*span), message, _taken_out(chat, *span))


def _blanks(chat: Chat, row: int, at_end: bool) -> tuple[int, int]:
    """The characters of the blanks at the start or end of a run."""
    start, end = chat.runs.bounds[row : row + 2].tolist()
    part = chat.text[start:end]
    return (start + len(part.rstrip(BLANKS)), end) if at_end else (start, end - len(part.lstrip(BLANKS)))


def _lost_content(chat: Chat) -> Iterator[Hint]:
    """Messages that the template omits in whole or in part, for example earlier reasoning."""
    written = defaultdict[tuple[int | None, str], list[tuple[int, int]]](list)
    for run, end in zip(chat.rendering.runs, chat.runs.bounds[1:].tolist(), strict=True):
        if run.origin.kind != TEMPLATE:
            size = end - run.start if run.origin.kind == CONTENT else MOST_CHARACTERS  # may be the whole text
            written[run.origin.message, run.origin.field].append((run.offset, run.offset + size))
    if any(message is None and not field.startswith(TOOLS) for message, field in written):
        return  # it may belong to any message
    in_prompt = {message for message, _ in written}
    for number, message in enumerate(chat.conversation.messages):
        where, content = f"message {number + 1} ({quoted(message['role'])})", message.get("content", "")
        if number not in in_prompt and (content.strip() if isinstance(content, str) else content):
            what = f"The template omits the content of {where}."
            yield Hint("lost_content", WARNING, what, (0, 0), number)
            continue
        for name, fields, text in texts_of(message):
            spans = sorted(chain.from_iterable(written[number, field] for field in ("", *fields)))
            if part := _left_out(chat.text, text, spans):
                what = f"The template omits “{quoted(part)}” from the {name} of {where}."
                yield Hint("lost_part", HINT, what, (0, 0), number)


def _left_out(prompt: str, text: str, spans: list[tuple[int, int]]) -> str:
    """The longest piece of a text outside these spans that has words and is not in the prompt, or ""."""
    pieces, at = list[str](), 0
    for start, end in (*spans, (len(text), len(text))):
        pieces.append(text[at:start].strip())
        at = max(at, end)
    for piece in sorted(pieces, key=len, reverse=True)[:MOST_PIECES]:
        if any(map(str.isalnum, MARKER.sub("", piece))) and piece not in prompt:
            return piece
    return ""


def _lost_tools(chat: Chat) -> Iterator[Hint]:
    """Tools, and calls of tools, whose names are all missing from the prompt."""
    if lacks_names(chat.text, chat.conversation.tools):
        what = "The template omits the tools: the prompt has none of their names."
        yield Hint("lost_tools", WARNING, what, (0, 0))
    for number, message in enumerate(chat.conversation.messages):
        if lacks_names(chat.text, message.get("tool_calls")):
            where = f"message {number + 1} ({quoted(message['role'])})"
            what = f"The template omits the tool calls of {where}."
            yield Hint("lost_tools", WARNING, what, (0, 0), number)


def lacks_names(text: str, tools: object) -> bool:
    """Whether there are tools, or calls of tools, but the prompt has none of their names."""
    names = [name for each in functions_of(tools) if isinstance(name := each.get("name"), str)]
    return bool(names) and not any(name in text for name in names)


def _unused_variables(chat: Chat) -> Iterator[Hint]:
    """Variables that the template does not use, each with the most similar name in the template."""
    words = set(NAME.findall(chat.template.text)) if chat.settings.variables else set()
    for name in chat.settings.variables:
        if name not in words:
            near = get_close_matches(name, words, 1, 0.8) if len(words) <= MOST_NAMES else []
            meant = f" Did you mean {quoted(near[0])}?" if near else ""
            what = f"The template does not use the variable {quoted(name)}.{meant}"
            yield Hint("unused_variable", HINT, what, (0, 0))


def _escaped_arguments(chat: Chat) -> Iterator[Hint]:
    for number, start, end in escaped_arguments(chat.conversation, chat.text):
        what = f"escapes the arguments of a tool call, a string in message {number + 1}."
        tokens = chat.tokens_at(start, end)
        yield Hint("escaped_arguments", HINT, f"The template {what} Give an object.", tokens, number)


def escaped_arguments(conversation: Conversation, text: str) -> Iterator[tuple[int, int, int]]:
    """Arguments that are a JSON string and that the template escapes again: message, start and end."""
    for number, message in enumerate(conversation.messages):
        for function in functions_of(message.get("tool_calls")):
            written = json.dumps(given := function.get("arguments"), ensure_ascii=False)
            is_json = arguments_as_object(given) != given and '\\"' in written
            if is_json and (start := text.find(written)) >= 0:
                yield number, start, start + len(written)


def _replacement(chat: Chat, start: int, end: int, text: str) -> Fix | None:
    """Replace some characters of the prompt, if they are literal text of the template."""
    edit = replacing(chat, start, end, text) if text else None
    return None if edit is None else Fix(f"Replace with {quoted(text, LONGEST_NAME)}", template=edit)


def _taken_out(chat: Chat, start: int, end: int) -> Fix | None:
    """Remove some characters of the prompt, if they are literal text of the template."""
    edit = replacing(chat, start, end, "")
    return None if edit is None else Fix("Remove from the template", template=edit)


def _characters(chat: Chat, token: int) -> tuple[int, int]:
    """The character range [start, end) of a token in the prompt."""
    start, end = chat.character_of_byte[chat.encoding.spans[token]].tolist()
    return start, end


def _raw(vocabulary: Vocabulary, token_id: int) -> str:
    return vocabulary.raw_text(token_id).decode("utf-8", "replace")


def _name(origin: TokenOrigin) -> str:
    return "a tool" if origin.message is None else f"message {origin.message + 1} ({quoted(origin.role)})"
