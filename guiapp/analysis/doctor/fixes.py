"""Fixes of findings in a copy, by code: certain ones, and choices that the user has to make.

To add a fix: a function and a row of FIXES.  A code without a row cannot be fixed; its remedy is shown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any, NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.templates import JSON, KEY
from guiapp.analysis.compare.vocabularies import compare_vocabularies, lists_merges
from guiapp.analysis.doctor.examined import ExaminedModel
from guiapp.analysis.doctor.findings import WARNING, Finding
from guiapp.analysis.doctor.pre_tokenizer import fits, known_family
from guiapp.analysis.doctor.roles import KEY_OF_ROLE, USUAL_TEXTS, usual_tokens
from guiapp.analysis.doctor.tokens import TYPES_KEY
from guiapp.core.formats.gguf import SCORES
from guiapp.core.formats.gguf_copy import GgufValue
from guiapp.core.formats.tokenizer_config import CONFIG, GENERATION, TEMPLATE, name_before
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.text.visible_text import confusables, invisible_runs
from guiapp.core.vocabulary.attributes import NORMAL_TYPE, UNKNOWN_TYPE
from guiapp.core.vocabulary.special_ids import KEYS
from guiapp.native.model_files import sliced

PREFIX = "tokenizer.ggml."
CERTAIN = ""  # the name of a fix that needs no choice
KIND_NUMBERS = dict(zip(("normal", "unknown", "control", "user-defined", "unused", "byte"), count(1)))
SWITCHES = frozenset(
    PREFIX + name
    for name in (
        *("add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix"),
        *("remove_extra_whitespaces", "normalizer.lowercase", "normalizer.strip_accents"),
    )
)
WORDS = {b"true": 1, b"false": 0}
NOTHING_TO_FIX = "Nothing to fix: no text gets other ids."


class ValueEdit(NamedTuple):
    """A change of one value in the files of a model.

    file    a sidecar file, without the common prefix of names; "" for the tokenizer's own file
    keys    one key of GGUF metadata, or the path of keys to a JSON value; () for the whole text
    change  maps the old value, a GgufValue or a JSON value, to the new one; None for no value.  Picklable,
            because results are
    """

    file: str
    keys: tuple[str, ...]
    change: Callable[[Any], Any]


Options = Mapping[str, tuple[ValueEdit, ...]]
Fixing = Callable[[ExaminedModel, Sequence[Finding]], Options]


@dataclass(frozen=True)
class FileFix:
    """The fix in a copy for the findings of one code.

    options  edits by the name of a choice, CERTAIN if none is needed; empty if a copy cannot fix it
    reason   what to do instead, if there are no options
    """

    code: str
    options: Options
    reason: str = ""

    @property
    def is_certain(self) -> bool:
        return CERTAIN in self.options

    @property
    def choices(self) -> list[str]:
        return [name for name in self.options if name != CERTAIN]

    @property
    def names(self) -> list[str]:
        """The arguments of `--only` for this fix."""
        return [f"{self.code}={name}" if name else self.code for name in self.options]


def fixes_of(examined: ExaminedModel | None, findings: Iterable[Finding]) -> dict[str, FileFix]:
    """A fix for each code; if the model cannot be opened, only fixes that need no more than a key."""
    by_code = defaultdict(list)
    for finding in findings:
        by_code[finding.code].append(finding)
    fixes = dict[str, FileFix]()
    for code, found in by_code.items():
        fixing = FIXES.get(code)
        if examined is None:
            options = _of_other_type(None, found) if fixing is _of_other_type else {}
        else:
            options = fixing(examined, found) if fixing is not None else {}
        fixes[code] = FileFix(code, options, "" if options else found[0].remedy or NOTHING_TO_FIX)
    return fixes


# Values of a GGUF


def _key(name: str, change: Callable[[Any], Any]) -> ValueEdit:
    return ValueEdit("", (name,), change)


def _set(kind: str, value: Any, name: str) -> ValueEdit:
    return _key(name, partial(_other, GgufValue(kind, value)))


def _removed(name: str) -> ValueEdit:
    return _key(name, partial(_other, None))


def _other(new: Any, _old: Any) -> Any:
    return new


def _of_value(name: str, change: Callable[[Any], Any]) -> ValueEdit:
    """Change a value without changing its type."""
    return _key(name, partial(_with_changed, change))


def _with_changed(change: Callable[[Any], Any], old: GgufValue) -> GgufValue:
    return old._replace(value=change(old.value))


def _whole_rules(rules: list[bytes]) -> list[bytes]:
    return [rule for rule in rules if b" " in rule[1:]]


def _different_rules(rules: list[bytes]) -> list[bytes]:
    return [*dict.fromkeys(rules)]


def _with_rows(rows: Sequence[int], values: Any, old: NDArray[Any]) -> NDArray[Any]:
    new = old.copy()
    new[list(rows)] = values
    return new


def _rows(findings: Iterable[Finding]) -> list[int]:
    return [row for finding in findings for row in finding.tokens]


def _pre(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Certain if the merges match one family; a choice if they match two, or if only a pattern fits."""
    vocabulary, suggested = examined.vocabulary, [each.pre for each in findings if each.pre]
    family = known_family(vocabulary) if suggested else ()
    if suggested and not family:
        best, *others = fits(vocabulary)
        suggested += [name for fit in (best, *others) if fit.n_cut == best.n_cut for name in fit.names]
    names = [name for name in dict.fromkeys(family or suggested) if name != vocabulary.pre]
    is_certain = len(family) == 1
    return {
        CERTAIN if is_certain else name: (_set("string", name.encode(), f"{PREFIX}pre"),) for name in names
    }


def _marked(examined: ExaminedModel, rows: Sequence[int], *kinds: str, is_certain: bool = False) -> Options:
    """Change the kinds of some tokens; empty if the file lists no kinds."""
    if not examined.is_gguf or TYPES_KEY not in examined.vocabulary.metadata:
        return {}
    changes = {kind: partial(_with_rows, rows, KIND_NUMBERS[kind]) for kind in kinds}
    return {
        CERTAIN if is_certain else kind: (_of_value(TYPES_KEY, change),) for kind, change in changes.items()
    }


def _as(*kinds: str, is_certain: bool = False) -> Fixing:
    return lambda examined, findings: _marked(examined, _rows(findings), *kinds, is_certain=is_certain)


def _control(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Certain for <|…|>, which llama.cpp's converter always marks so, for roles, and in templates."""
    known = {*examined.in_templates, *vars(examined.vocabulary.special_ids).values()}
    texts = {row: examined.texts[row] for row in _rows(findings)}
    is_certain = all(text.startswith(("<|", "<｜")) or row in known for row, text in texts.items())
    kinds = ("control",) if is_certain else ("control", "user-defined")
    return _marked(examined, [*texts], *kinds, is_certain=is_certain)


def _words(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Certain if merge rules make all these tokens."""
    rows, made = _rows(findings), set[int]()
    if (merging := examined.tokenizer.merging) is not None and lists_merges(examined.tokenizer):
        made.update(merging.rules.table[:, 3].tolist())
    is_certain = made.issuperset(rows)
    return _marked(examined, rows, "normal", is_certain=is_certain)


def _unknown(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Certain if one token is marked as the unknown one, and no key names it."""
    marked = np.flatnonzero(examined.vocabulary.stored_types == UNKNOWN_TYPE).tolist()
    if examined.is_gguf and examined.vocabulary.special_ids.unk is None and len(marked) == 1:
        return {CERTAIN: (_named(examined, "unk", marked[0]),)}
    if findings[0].code == "unknown_missing":
        return _role(examined, findings)
    return _marked(examined, _rows(findings), "normal")


def _merges(choose: Callable[[list[bytes]], list[bytes]]) -> Fixing:
    """Reduce the merge rules to those that `choose` returns."""

    def fixing(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
        return {CERTAIN: (_of_value(f"{PREFIX}merges", choose),)} if examined.is_gguf else {}

    return fixing


def _size(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    n_tokens = len(examined.vocabulary)
    if examined.embedding_rows not in (None, n_tokens):
        return {}
    return {CERTAIN: (_of_value(findings[0].key, partial(_other, n_tokens)),)}


def _of_other_type(_examined: ExaminedModel | None, findings: Sequence[Finding]) -> Options:
    """Convert values to the required types, including keys that are only read after the file opens."""
    if any(each.key not in SWITCHES and not each.key.endswith("_token_id") for each in findings):
        return {}
    kinds = {f"{PREFIX}{name}": "uint32" for name in KEYS} | dict.fromkeys(SWITCHES, "bool")
    return {CERTAIN: tuple(_key(key, partial(_as_kind, kind)) for key, kind in kinds.items())}


def _as_kind(kind: str, old: GgufValue | None) -> GgufValue | None:
    """The value converted to a type; None if that is impossible."""
    if old is None or old.kind == kind:
        return old
    try:
        number = int(WORDS.get(old.value, old.value) if isinstance(old.value, bytes) else old.value)
    except (TypeError, ValueError, OverflowError):
        return None
    is_same = isinstance(old.value, bytes) or number == old.value
    if not is_same or not 0 <= number < (2 if kind == "bool" else 1 << 32):
        return None
    return GgufValue(kind, bool(number) if kind == "bool" else number)


# Tokens with a role, and ends of a turn


def _named(examined: ExaminedModel, role: str, row: int) -> ValueEdit:
    if examined.is_gguf:
        return _set("uint32", row, f"{PREFIX}{KEY_OF_ROLE[role]}_token_id")
    return ValueEdit(CONFIG, (f"{role}_token",), partial(_other, examined.texts[row]))


def _as_role(examined: ExaminedModel, role: str, row: int) -> tuple[ValueEdit, ...]:
    """Give a token a role and mark it as control; empty if it is ordinary text and cannot be marked."""
    marked = _marked(examined, [row], "control", is_certain=True).get(CERTAIN, ())
    if examined.vocabulary.stored_types[row] != NORMAL_TYPE:
        return (_named(examined, role, row),)
    return (_named(examined, role, row), *marked) if marked else ()


def _role(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Certain if exactly one token usually has the role."""
    certain, options = list[ValueEdit](), dict[str, tuple[ValueEdit, ...]]()
    for finding in {each.key: each for each in findings}.values():
        role = KEYS[finding.key.removeprefix(PREFIX)]
        row = getattr(examined.vocabulary.special_ids, role)
        has_usual = row is not None and examined.texts[row] in USUAL_TEXTS[role].split()
        rows = usual_tokens(examined, role)
        if has_usual and finding.code == "role_is_text":
            certain += _as_role(examined, role, row)
        elif finding.code == "role_out_of_range" and (has_usual or len(rows) != 1):
            certain.append(_removed(finding.key))  # programs ignore it anyway
        elif len(rows) == 1:
            certain += _as_role(examined, role, rows[0])
        else:
            choices = {f"{role}:{row}": _as_role(examined, role, row) for row in rows}
            options |= {name: edits for name, edits in choices.items() if edits}
    return {CERTAIN: tuple(certain), **options} if certain else options


def _ends(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Certain if there is only one and a template writes it."""
    ids = examined.vocabulary.special_ids
    role = "eot" if ids.eot is None else "eom"
    edits = {
        row: _named(examined, role, row) if examined.is_gguf else _ending(examined, [row])
        for row in _rows(findings)
    }
    certain = [(edit,) for edit in edits.values()] if findings[0].severity == WARNING else []
    options = {str(row): (edit,) for row, edit in edits.items()}
    return {CERTAIN: certain[0], **options} if len(certain) == 1 else options


def _all_ends(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    return {"all": (_ending(examined, _rows(findings)),)}


def _ending(examined: ExaminedModel, rows: Sequence[int]) -> ValueEdit:
    """Add ids to the ends of a generation in its file, or else to the tokenizer's ends."""
    change = partial(_with_ends, sorted(examined.vocabulary.eog), rows)
    return ValueEdit(GENERATION, ("eos_token_id",), change)


def _with_ends(usual: Sequence[int], rows: Sequence[int], old: Any) -> list[Any]:
    known = usual if old is None else old if isinstance(old, list) else [old]
    return list(dict.fromkeys([*known, *rows]))


def _bos(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """A choice, as other texts than prompts will then also begin without BOS."""
    key = f"{PREFIX}add_bos_token"
    pre = PRE_TOKENIZERS.get(examined.vocabulary.pre)
    is_asked = examined.is_gguf and not (pre is not None and pre.forces_bos)
    return {"no_bos": (_set("bool", False, key),)} if is_asked else {}


def _without(*names: str) -> Fixing:
    """Remove keys: these, or by default the keys of the findings."""
    return lambda _examined, findings: {
        CERTAIN: tuple(map(_removed, names or dict.fromkeys(each.key for each in findings)))
    }


# Templates, and values of JSON


def _in_templates(examined: ExaminedModel, change: Callable[[str], str]) -> Options:
    changed = [each for each in examined.templates if change(each.text) != each.text]
    if examined.is_gguf:
        keys = dict.fromkeys(each.source for each in changed if each.source in examined.vocabulary.metadata)
        edits = [_of_value(key, partial(_with_text, change)) for key in keys]
    else:
        path = examined.vocabulary.path
        files = {TEMPLATE: (), JSON: (KEY,), CONFIG: (KEY,)} if path is not None and changed else {}
        edits = [
            ValueEdit(name, keys, partial(_with_strings, change))
            for name, keys in files.items()
            if path is not None and path.with_name((name_before(path) or "") + name).is_file()
        ]
    return {CERTAIN: tuple(edits)} if edits else {}


def _with_text(change: Callable[[str], str], old: bytes) -> bytes:
    return change(old.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def _with_strings(change: Callable[[str], str], old: Any) -> Any:
    """Change one template, or several with names."""
    if isinstance(old, list):
        return [_with_strings(change, each) for each in old]
    if isinstance(old, dict) and "template" in old:
        return {**old, "template": _with_strings(change, old["template"])}
    return change(old) if isinstance(old, str) else old


def _markers(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Replace markers in templates that differ from the model's own only in spelling."""
    own = {
        each.changes.text: examined.texts[each.tokens[0]] for each in findings if each.changes and each.tokens
    }
    return _in_templates(examined, partial(_with_markers, own))


def _with_markers(own: Mapping[str, str], text: str) -> str:
    for marker, meant in own.items():
        text = text.replace(marker, meant)
    return text


def _without_invisible(text: str) -> str:
    for run in reversed([*invisible_runs(text)]):
        spaces = " " * sum(category(character) == "Zs" for character in run[0])
        text = text[: run.start()] + spaces + text[run.end() :]
    return text


def _without_confusables(text: str) -> str:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return text
    for odd in reversed(confusables(data)):
        data = data[: odd.start] + odd.passes_for.encode() + data[odd.end :]
    return data.decode()


# Values of the original


def _from_original(examined: ExaminedModel, findings: Sequence[Finding]) -> Options:
    """Copy values of tokens that both have, and of keys if both files are GGUF."""
    if not examined.is_gguf or examined.original is None:
        return {}
    ours, theirs = examined.vocabulary, examined.original.vocabulary
    ids = dict(compare_vocabularies(examined.tokenizer, examined.original).both.tolist())
    rows, edits = _rows(findings), list[ValueEdit]()
    match findings[0].code:
        case "original_kind" if TYPES_KEY in ours.metadata:
            kinds = [KIND_NUMBERS.get(theirs.kind(ids[row]), NORMAL_TYPE) for row in rows]
            edits.append(_of_value(TYPES_KEY, partial(_with_rows, rows, kinds)))
        case "original_score" if SCORES in ours.metadata:
            scores = theirs.scores[[ids[row] for row in rows]]
            edits.append(_of_value(SCORES, partial(_with_rows, rows, scores)))
        case "original_role":
            by_id, roles = {their: our for our, their in ids.items()}, vars(theirs.special_ids)
            for role, row in vars(ours.special_ids).items():
                if row is not None and row != (other := by_id.get(roles[role])) is not None:
                    edits.append(_named(examined, role, other))
        case "original_merges" if lists_merges(examined.tokenizer) and [*ids.values()] == [
            *range(len(theirs))
        ]:
            rules = sliced(theirs.merge_data, theirs.merge_offsets)
            edits.append(_of_value(f"{PREFIX}merges", partial(_other, rules)))
        case "original_ids" | "original_rule" if theirs.format == ours.format:
            for key in sorted(SWITCHES):
                if ours.metadata.get(key) != (value := theirs.metadata.get(key)):
                    edits.append(_removed(key) if value is None else _set("bool", value, key))
            if theirs.pre not in ("", ours.pre):
                edits.append(_set("string", theirs.pre.encode(), f"{PREFIX}pre"))
    return {CERTAIN: tuple(edits)} if edits else {}


FIXES: Mapping[str, Fixing] = {
    **dict.fromkeys(("pre_missing", "pre_unknown", "pre_of_other_family", "pre_undecided"), _pre),
    **dict.fromkeys(("role_missing", "role_is_text", "role_out_of_range", "no_end"), _role),
    "template_role_missing": _role,
    "merge_broken": _merges(_whole_rules),
    "merge_twice": _merges(_different_rules),
    "kind_out_of_range": _as("normal", "control", "user-defined", "unused"),
    "control_marked_normal": _control,
    "control_by_its_text": _as("control", is_certain=True),
    "word_marked_control": _words,
    "unknown_marked_twice": _unknown,
    "byte_not_marked": _as("byte", is_certain=True),
    "byte_misnamed": _as("normal", "control"),
    "unknown_missing": _unknown,
    "end_of_turn_goes_on": _ends,
    "ends_differ": _all_ends,
    "bos_twice": _bos,
    "eos_behind_prompts": _without(f"{PREFIX}add_eos_token"),
    "marker_is_text": _markers,
    "template_invisible": lambda examined, _findings: _in_templates(examined, _without_invisible),
    "template_look_alike": lambda examined, _findings: _in_templates(examined, _without_confusables),
    "vocabulary_size": _size,
    "key_of_other_type": _of_other_type,
    "key_twice": _without(),
    **dict.fromkeys(
        (f"original_{name}" for name in ("ids", "rule", "kind", "score", "role", "merges")), _from_original
    ),
}
