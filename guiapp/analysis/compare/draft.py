"""Whether a model may draft for another one in speculative decoding, by the rules of three programs.

llama.cpp  `common_speculative_are_compatible` of common/speculative.cpp, October 2026.  Until mid 2026,
           llama.cpp translated between incompatible models; now it ignores such a draft model
vLLM       `verify_equal_vocab_size_if_draft_model` of vllm/config/speculative.py: sizes alone
SGLang     `_validate_vocab_compatibility` of speculative/standalone_worker_v2.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import NamedTuple

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.tokenizer_config import read_sidecars
from guiapp.core.open_model import with_file_pre
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.remedies import GGUF
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.native.model_files import sliced

MOST_SIZE_DIFFERENCE, FIRST_COMPARED_ID = 128, 5  # SPEC_VOCAB_… in llama.cpp
LONGEST_TEXT = 24  # characters of a token
OTHER_DRAFT = "Choose a draft model of the target's family."
TRANSLATE = "Or set use_heterogeneous_vocab in speculative_config: vLLM then translates."
COPY_TEXTS = "Only special tokens differ: copy their texts from the target into the draft's tokens."
TRUST = " vLLM compares sizes only: it starts, but drafts of these ids are wrong."
LLAMA_CPP = "llama.cpp"


class DraftVerdict(NamedTuple):
    """Whether one program accepts a target and its draft.

    may_draft  None if these files cannot tell
    cause      why not, in a few words; "" if it may
    reason     a sentence; of two values, the first is the target's
    token_id   the first id that forbids it
    remedy     the fix, "" if none is needed
    """

    program: str
    may_draft: bool | None
    cause: str
    reason: str
    token_id: int | None = None
    remedy: str = ""


class _Pair(NamedTuple):
    """Target and draft, the texts of their tokens, and the ids whose texts differ, in order."""

    target: Vocabulary
    draft: Vocabulary
    texts: tuple[Sequence[bytes], Sequence[bytes]]
    other_ids: list[int]

    def refusal(self, program: str, note: str = "") -> DraftVerdict:
        """The verdict for ids with different texts; the remedy for special tokens is to copy the texts."""
        first, n_more = self.other_ids[0], len(self.other_ids) - 1
        shown = [visible_text(b"".join(texts[first : first + 1]), LONGEST_TEXT) for texts in self.texts]
        more = (
            f", and {counted(n_more, 'more id')} {'differs' if n_more == 1 else 'differ'}" if n_more else ""
        )
        reason = f"Id {first} is “{shown[0]}” and “{shown[1]}”{more}.{note}"
        are_special = self.other_ids[-1] < min(map(len, self.texts)) and not any(
            (each.attributes[self.other_ids] & Attribute.NORMAL).any() for each in (self.target, self.draft)
        )
        remedy = COPY_TEXTS if are_special and self.draft.format == GGUF else OTHER_DRAFT
        return DraftVerdict(program, False, f"id {first} differs", reason, first, remedy)


def draft_verdicts(target: Tokenizer, draft: Tokenizer) -> tuple[DraftVerdict, ...]:
    """The verdicts of llama.cpp, vLLM and SGLang, from the files; 0.1 s for 262,144 tokens.

    Files of one format are compared by the spellings of tokens, others by the bytes of tokens.
    """
    pair = with_file_pre(target).vocabulary, with_file_pre(draft).vocabulary
    has_one_format = pair[0].format == pair[1].format
    first, second = (
        sliced(*(each.unmarked_texts if has_one_format else each.token_bytes_table)) for each in pair
    )
    other_ids = [number for number, (a, b) in enumerate(zip_longest(first, second)) if a != b]
    compared = _Pair(*pair, (first, second), other_ids)
    return _of_llama_cpp(compared), _of_equal_ids("vLLM", compared), _of_equal_ids("SGLang", compared)


def may_draft(verdicts: Sequence[DraftVerdict]) -> bool | None:
    """Whether no program forbids it; None if no program can tell."""
    known = [each.may_draft for each in verdicts if each.may_draft is not None]
    return all(known) if known else None


def answer(allowed: bool | None) -> str:
    """The answer in words."""
    return {True: "yes", False: "no", None: "not known"}[allowed]


def in_words(verdict: DraftVerdict) -> str:
    """One verdict as a line."""
    parts = f"{verdict.program}: {answer(verdict.may_draft)}.", verdict.reason, verdict.remedy
    return " ".join(filter(None, parts))


def _of_llama_cpp(pair: _Pair) -> DraftVerdict:
    """The first obstacle in llama.cpp's order, with the remedies for all obstacles."""
    if not pair.target.format == pair.draft.format == GGUF:
        return DraftVerdict(LLAMA_CPP, None, "not GGUF", "It reads GGUF files only.", None, "Convert both.")
    obstacles = list(_obstacles(pair))
    if not obstacles:
        agree = f"Type, BOS, EOS and the texts from id {FIRST_COMPARED_ID} on agree."
        return DraftVerdict(LLAMA_CPP, True, "", agree)
    remedies = [each.remedy for each in obstacles]
    return obstacles[0]._replace(remedy=OTHER_DRAFT if OTHER_DRAFT in remedies else " ".join(remedies))


def _obstacles(pair: _Pair) -> Iterator[DraftVerdict]:
    """The reasons why llama.cpp refuses the draft, in the order of its checks."""
    refuse = partial(DraftVerdict, LLAMA_CPP, False)
    target, draft, texts, other_ids = pair
    for refusal in (*target.refusals, *draft.refusals):
        yield refuse("does not load", refusal, None, "Repair the file: see Doctor.")
    if target.type is not draft.type:
        reason = f"The types are {target.type.value} and {draft.type.value}."
        yield refuse("other type", reason, None, OTHER_DRAFT)
    for role in ("bos", "eos"):
        adds = [getattr(each.rules, f"add_{role}") for each in (target, draft)]
        ids = [getattr(each.special_ids, role) for each in (target, draft)]
        if adds[0] != adds[1]:
            reason = f"Only the {'target' if adds[0] else 'draft'} adds {role.upper()} to a text."
            remedy = f"Set tokenizer.ggml.add_{role}_token to {str(adds[0]).lower()} in the draft."
            yield refuse(f"other {role.upper()}", reason, None, remedy)
        if ids[0] != ids[1] and adds[0]:
            reason = f"{role.upper()} is id {ids[0]} and id {ids[1]}."
            remedy = f"Set tokenizer.ggml.{role}_token_id to {ids[0]} in the draft."
            yield refuse(f"other {role.upper()}", reason, ids[1], OTHER_DRAFT if ids[0] is None else remedy)
    if abs(len(target) - len(draft)) > MOST_SIZE_DIFFERENCE:
        reason = f"The sizes are {len(target):,} and {len(draft):,}: more than {MOST_SIZE_DIFFERENCE} apart."
        yield refuse("other size", reason, None, OTHER_DRAFT)
    compared = [each for each in other_ids if FIRST_COMPARED_ID <= each < min(map(len, texts))]
    if compared:
        yield pair._replace(other_ids=compared).refusal(LLAMA_CPP)


def _of_equal_ids(program: str, pair: _Pair) -> DraftVerdict:
    """The verdict of a program that needs equal sizes and ids; vLLM does not check the ids."""
    sizes = [_model_size(each) for each in pair[:2]]
    if sizes[0] == sizes[1] and not pair.other_ids:
        return DraftVerdict(program, True, "", "All ids have the same texts.")
    if sizes[0] != sizes[1]:
        reason = f"The sizes are {sizes[0]:,} and {sizes[1]:,}: {program} wants equal ones."
        verdict = DraftVerdict(program, False, "other size", reason, None, OTHER_DRAFT)
    else:
        verdict = pair.refusal(program, TRUST if program == "vLLM" else "")
    return verdict if program != "vLLM" else verdict._replace(remedy=f"{verdict.remedy} {TRANSLATE}")


def _model_size(vocabulary: Vocabulary) -> int:
    """The number of ids of the model: from config.json, if there is one, where padding counts."""
    config = {} if vocabulary.path is None else read_sidecars(vocabulary.path).model
    text_config = config.get("text_config")
    for each in (config, text_config if isinstance(text_config, dict) else {}):
        if type(size := each.get("vocab_size")) is int and size > 0:
            return size
    return len(vocabulary)
