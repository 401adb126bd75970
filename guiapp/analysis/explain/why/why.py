"""Why a text has a token: what each stage did to its bytes, and the decisions of the encoder.

Nothing is computed twice: the reference encoders record their decisions in a trace of the shortest text that
gives this token, and each line names the step of the trace that it describes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from guiapp.analysis.explain.characters import characters_of
from guiapp.analysis.explain.spelling import Spelling, code
from guiapp.analysis.explain.why.cutting import CutPiece, changes, cut_lines, rewrites
from guiapp.analysis.explain.why.excerpt import Excerpt, Switches, excerpt_of
from guiapp.analysis.explain.why.explanation import (
    Decisions,
    Recorded,
    Segment,
    TokenWhy,
    WhyLine,
    WhyStage,
    recorded,
)
from guiapp.analysis.trace.trace import StepKey
from guiapp.core.encode.encoding import as_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.special_tokens import Partition
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SCORED, Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import Progress

SHOWN, SHOWN_BYTES = 40, 24
MOST_TOKENS = 1000
BEHIND = 64  # bytes after a piece that patterns may examine
FLAGS = {
    Attribute.LSTRIP: "includes the white space before it",
    Attribute.RSTRIP: "includes the white space after it",
    Attribute.SINGLE_WORD: "only as a word of its own",
    Attribute.NORMALIZED: "searched for in the normalised text",
}


def why(
    tokenizer: Tokenizer,
    text: str | bytes,
    start: int,
    end: int | None = None,
    add_special: bool = True,
    parse_special: bool = True,
    encoder: str | None = None,
    spelling: Spelling = Spelling.SIGNS,
) -> list[TokenWhy]:
    """Explain each token that overlaps the bytes [start, end) of a text; one byte without `end`.

    At most MOST_TOKENS.  An empty span selects the tokens without text there, such as BOS.
    Raises EncodeError like `Tokenizer.encode`, and for a span outside the text.
    """
    encoding = tokenizer.encode(as_bytes(text), add_special, parse_special, encoder)
    size = len(encoding.text_bytes)
    end = start + 1 if end is None else end
    if not 0 <= start <= end <= size:
        raise EncodeError(f"Bytes {start}–{end} are not in the text, which has {counted(size, 'byte')}.")
    starts, ends = encoding.spans.T
    is_selected = (starts < end) & (ends > start) if start < end else (starts == start) & (ends == start)
    switches = Switches(encoding.encoder, add_special, parse_special, spelling)
    return [
        why_of(tokenizer, excerpt_of(encoding, index), switches)
        for index in np.flatnonzero(is_selected)[:MOST_TOKENS].tolist()
    ]


def why_of(
    tokenizer: Tokenizer, excerpt: Excerpt, switches: Switches, progress: Progress = lambda share: None
) -> TokenWhy:
    """Explain the target token of an excerpt; `progress` may raise to stop."""
    return _Why(tokenizer, excerpt, switches, progress).explanation()


class _Why:
    """Explains one token."""

    def __init__(
        self, tokenizer: Tokenizer, excerpt: Excerpt, switches: Switches, progress: Progress
    ) -> None:
        self._tokenizer, self._excerpt, self._switches = tokenizer, excerpt, switches
        self._vocabulary: Vocabulary = tokenizer.vocabulary
        self._progress = progress
        self._id, self._start, self._end = excerpt.token
        text = np.frombuffer(excerpt.text, np.uint8)
        self._partition: Partition = tokenizer.special_tokens.partition(text, switches.parse_special)

    def explanation(self) -> TokenWhy:
        """The explanation with all stages."""
        excerpt, step_key = self._excerpt, self._special_step()
        if step_key is None:
            outcome = recorded(self._tokenizer, excerpt, self._fragment(), self._switches, self._progress)
            stages = self._of_text(outcome)
        else:
            token = WhyStage("token", "Token", (self._token_line(step_key, ""),))
            partition = WhyStage("partition", "Special tokens", (self._special_line(step_key),))
            stages = [self._bytes(), partition, token]
        return TokenWhy(
            excerpt.first + excerpt.target,
            self._id,
            self._start + excerpt.offset,
            self._end + excerpt.offset,
            self._switches.encoder,
            tuple(stages),
        )

    def _of_text(self, outcome: Recorded) -> list[WhyStage]:
        decisions = Decisions(self._tokenizer, self._excerpt, outcome, self._switches.spelling)
        encode = decisions.lines()
        rank = next((line.worth for line in reversed(encode) if line.merged), "")
        return [
            self._bytes(),
            WhyStage("partition", "Special tokens", (self._ordinary(),)),
            WhyStage("normalise", "Normalizer", tuple(self._normalised(outcome))),
            WhyStage("split", "Pre-tokenizer", tuple(self._cut(outcome, decisions))),
            WhyStage("encode", decisions.title, tuple(encode)),
            WhyStage("token", "Token", (self._token_line(decisions.formed, rank),)),
        ]

    def _over(self, operation: str, result: int = -1) -> StepKey:
        """The key of a step over the bytes of the token."""
        offset = self._excerpt.offset
        return StepKey(operation, self._start + offset, self._end + offset, result)

    # Bytes

    def _bytes(self) -> WhyStage:
        text = self._excerpt.text
        data = text[self._start : self._end]
        step_key = self._over("")
        if not data:
            return WhyStage("bytes", "Bytes", (WhyLine("It has no text of its own.", step_key),))
        note = f"{counted(len(data), 'byte')}: {characters_of(text, self._start, self._end)}"
        lines = [WhyLine(code(_hex(data)), step_key, note=note)]
        own = self._vocabulary.token_bytes(self._id)
        if own != data and self._vocabulary.kind(self._id) == "normal":
            lines.append(WhyLine(f"The token stands for {code(_hex(own))}.", step_key))
        return WhyStage("bytes", "Bytes", tuple(lines))

    # Special tokens

    def _special_step(self) -> StepKey | None:
        """The step that adds the token without an encoder; None if an encoder makes it."""
        number = self._excerpt.first + self._excerpt.target
        before, after = self._tokenizer.special_affixes() if self._switches.add_special else ([], [])
        n_left = len(self._excerpt.ids) - self._excerpt.target
        whole = self._excerpt.offset, self._excerpt.offset + len(self._excerpt.text)
        if self._excerpt.begins and number < len(before):
            return StepKey("add", 0, 0, self._id)
        if self._excerpt.ends and n_left <= len(after):
            return StepKey("add", whole[1], whole[1], self._id)
        cut = self._partition
        rows = (cut.ids == self._id) & (cut.starts == self._start) & (cut.ends == self._end)
        return self._over("special", self._id) if rows.any() else None

    def _named(self, token_id: int) -> str:
        return code(self._switches.spelling.token(self._vocabulary, token_id, SHOWN))

    def _special_line(self, step_key: StepKey) -> WhyLine:
        name = self._named(self._id)
        kind = self._vocabulary.kind(self._id)
        if step_key.operation == "add":
            before, _ = self._tokenizer.special_affixes()
            is_before = step_key.end == 0 and self._excerpt.first + self._excerpt.target < len(before)
            where = "before" if is_before else "after"
            return WhyLine(f"{name} is added {where} the text, as the file specifies.", step_key)
        finds = "in any case" if kind == "user-defined" else "because special tokens are parsed"
        flags = [words for bit, words in FLAGS.items() if int(self._vocabulary.attributes[self._id]) & bit]
        note = ", ".join([f"kind: {kind}", *flags])
        return WhyLine(
            f"The text contains {name}, a special token. It is split off before anything else, {finds}.",
            step_key,
            note=note,
        )

    def _fragment(self) -> Segment:
        """The text between special tokens that contains the token."""
        outcome, excerpt = self._partition, self._excerpt
        rows = (outcome.raw_starts <= self._start) & (outcome.raw_ends >= self._end)
        rows &= outcome.raw_starts < outcome.raw_ends
        at = int(np.flatnonzero(rows)[-1] if self._start < self._end else np.flatnonzero(rows)[0])
        start, end = int(outcome.raw_starts[at]), int(outcome.raw_ends[at])
        begins_or_follows = start > 0 or excerpt.begins  # the whole text, or a special token
        begins = begins_or_follows and self._tokenizer.begins_text_at(start + excerpt.offset, True)
        return Segment(start, end, begins)

    def _ordinary(self) -> WhyLine:
        """The line that it is ordinary text, and which special token it matches if these are not parsed."""
        fragment, step_key = self._fragment(), self._over("text")
        if not self._switches.parse_special:
            text = np.frombuffer(self._excerpt.text, np.uint8)
            parsed = self._tokenizer.special_tokens.partition(text, True)
            hit = np.flatnonzero((parsed.starts < self._end) & (parsed.ends > self._start))
            if len(hit):
                name = self._named(int(parsed.ids[hit[0]]))
                return WhyLine(
                    f"Ordinary text: it matches {name}, but special tokens are not parsed.", step_key
                )
        n_special = len(self._tokenizer.special_tokens.searched_for(self._switches.parse_special))
        if not n_special:
            return WhyLine("Ordinary text: there are no special tokens to look for.", step_key)
        before, following = self._neighbours(fragment)
        between = [f"after {before}" if before else "", f"before {following}" if following else ""]
        where = f" It lies {' and '.join(filter(None, between))}." if any(between) else ""
        spelt = f"matches none of {n_special:,} special tokens" if n_special > 1 else "is not a special token"
        return WhyLine(f"Ordinary text: it {spelt}.{where}", step_key)

    def _neighbours(self, fragment: Segment) -> tuple[str, str]:
        outcome, texts = self._partition, self._vocabulary
        names = [code(visible_text(texts.raw_text(each), SHOWN)) for each in outcome.ids.tolist()]
        n_before = int(np.count_nonzero(outcome.ends <= fragment.start))
        n_through = int(np.count_nonzero(outcome.starts < fragment.end))
        return "".join(names[:n_before][-1:]), "".join(names[n_through:][:1])

    # Normaliser and pre-tokenizer

    def _normalised(self, outcome: Recorded) -> Iterator[WhyLine]:
        segment, excerpt = outcome.segment, self._excerpt
        text = excerpt.text[segment.start : segment.end]
        step_key = self._over("normalise")
        rules = rewrites(self._tokenizer, text, segment.begins)
        changed = list(changes(rules, text, self._start - segment.start, self._end - segment.start))
        for rule, before, following in changed:
            shown = [code(visible_text(each, SHOWN)) if each else "nothing" for each in (before, following)]
            yield WhyLine(f"{shown[0]} becomes {shown[1]}.", step_key, note=rule)
        if not changed:
            explanation = "Nothing changes." if rules else "No normalizer: the bytes stay as they are."
            yield WhyLine(explanation, step_key)

    def _cut(self, outcome: Recorded, decisions: Decisions) -> Iterator[WhyLine]:
        trace, piece, segment = decisions.trace, decisions.piece, outcome.segment
        span = int(trace.pieces.start[piece]) + segment.start, int(trace.pieces.end[piece]) + segment.start
        fragment = outcome.fragment
        text = self._excerpt.text[fragment.start : fragment.end]
        work = trace.piece_range(trace.pieces.first_byte, piece, len(trace.work))
        inner = span[0] - fragment.start, span[1] - fragment.start
        following = text[segment.end - fragment.start :][:BEHIND]
        before, after = trace.work[: work.start], trace.work[work.stop :] + following
        cut = CutPiece(inner, before, trace.work[work], after, trace.n_pieces == 1)
        step_key = self._over("piece")
        yield from cut_lines(self._tokenizer, self._switches.encoder, text, cut, fragment.begins, step_key)

    # The token

    def _token_line(self, step_key: StepKey, rank: str) -> WhyLine:
        vocabulary = self._vocabulary
        score = vocabulary.score(self._id)
        facts = [vocabulary.kind(self._id)]
        facts += [f"rank {rank}"] if rank else []
        facts += [f"score {score:,.6g}".replace("-", "−")] if vocabulary.type in SCORED else []
        name = self._named(self._id)
        return WhyLine(f"{name} is id {self._id}", step_key, note=", ".join(facts))


def _hex(data: bytes) -> str:
    return data[:SHOWN_BYTES].hex(" ").upper() + (" …" if len(data) > SHOWN_BYTES else "")
