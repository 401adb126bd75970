"""Special tokens as a table, as records, for a spreadsheet, and as lists to paste."""

import csv
import json
from dataclasses import replace

import pytest

from guiapp.analysis.vocabulary_list.special_tokens import (
    SpecialToken,
    TokenReach,
    TokenRole,
    csv_text,
    json_list,
    plain_list,
    python_list,
    record,
    summary,
    text_lines,
)

END = SpecialToken(
    token_id=2,
    name="</s>",
    kind="control",
    roles=(TokenRole("eos", "tokenizer.ggml.eos_token_id"), TokenRole("fim_pad", "its text")),
    mark="token_type 3, control",
    reach=TokenReach.PARSED,
    text=b"</s>",
    affix_position="behind",
    end="EOS by tokenizer.ggml.eos_token_id",
    is_end_like=False,
    strips=("lstrip", "rstrip"),
    in_template=True,
    is_reserved=False,
)
NOTHING = {"affix_position": "", "end": "", "strips": (), "in_template": False, "roles": ()}
FREE = replace(
    END, token_id=10, name="<free>", reach=TokenReach.NEVER, text=None, is_reserved=True, **NOTHING
)
ODD = replace(
    END, token_id=3, name="\t\U000e0001é'", kind="unknown", mark="", reach=TokenReach.UNKNOWN, **NOTHING
)
ALL = (
    END,
    FREE,
    replace(ODD, text=b"\xff", is_end_like=True),
    replace(ODD, token_id=4, reach=TokenReach.TEXT),
)


def test_the_table_says_of_each_what_it_is_for_and_ends_with_how_many_there_are():
    assert list(text_lines(ALL)) == [
        "id  token           role           kind     from text   ends      the file",
        "2   </s>            EOS · FIM PAD  control  if parsed   yes       token_type 3, control",
        "10  <free>          unused         control  no          –         token_type 3, control",
        "3   \\t\\U000e0001é'  –              unknown  if unknown  looks so  –",
        "4   \\t\\U000e0001é'  –              unknown  always      –         –",
        "4 special tokens: 1 ends a generation, 1 is unused, 1 not reached by its own text.",
    ]
    assert list(text_lines([])) == ["No special tokens."]


@pytest.mark.parametrize(
    ("tokens", "told"),
    [
        ([ODD], "1 special token."),
        ([END] * 2, "2 special tokens: 2 end a generation."),
        ([FREE] * 1000, "1,000 special tokens: 1,000 are unused, 1,000 not reached by its own text."),
        ([END, ODD], "2 special tokens: 1 ends a generation."),
    ],
)
def test_the_summary_names_only_what_there_is(tokens, told):
    assert summary(tokens) == told


def test_a_record_says_all_and_null_where_there_is_nothing():
    first, free, odd, _ = record(ALL)["tokens"]
    assert first == {
        "id": 2,
        "token": "</s>",
        "kind": "control",
        "roles": [
            {"role": "eos", "source": "tokenizer.ggml.eos_token_id"},
            {"role": "fim_pad", "source": "its text"},
        ],
        "mark": "token_type 3, control",
        "reached": "parse_special",
        "text": "</s>",
        "around": "behind",
        "end_of_generation": "EOS by tokenizer.ggml.eos_token_id",
        "looks_like_end": False,
        "strips": ["lstrip", "rstrip"],
        "in_template": True,
        "reserved": False,
        "unused": False,
    }
    nothing = {"around": None, "end_of_generation": None, "text": None, "roles": [], "strips": []}
    free_one = {"id": 10, "token": "<free>", "reached": "never", "reserved": True, "unused": True}
    assert free == first | nothing | free_one | {"in_template": False}
    assert (odd["text"], odd["looks_like_end"], odd["reached"]) == ("\ufffd", True, "unknown")
    assert json.loads(json.dumps(record(ALL))) == record(ALL)


def test_a_spreadsheet_has_a_cell_for_each_and_yes_or_no():
    head, first, free, *_ = csv.reader(csv_text(ALL).splitlines())
    assert dict(zip(head, first, strict=True)) == {
        "id": "2",
        "token": "</s>",
        "kind": "control",
        "roles": "eos fim_pad",
        "mark": "token_type 3, control",
        "reached": "parse_special",
        "text": "</s>",
        "around": "behind",
        "end_of_generation": "EOS by tokenizer.ggml.eos_token_id",
        "strips": "lstrip rstrip",
        "in_template": "yes",
        "reserved": "no",
        "unused": "no",
    }
    assert free == ["10", "<free>", "control", "", END.mark, "never", "", "", "", "", "no", "yes", "yes"]


def test_lists_to_paste_are_what_json_python_and_lines_make_of_them():
    names = [token.name for token in ALL]
    assert json.loads(json_list(ALL)) == names
    assert json_list(ALL[:1]) == '[\n  "</s>"\n]\n'
    pasted = {}
    exec(python_list(ALL), pasted)
    assert pasted["special_tokens"] == [(token.token_id, token.name) for token in ALL]
    assert python_list(ALL[:1]) == "special_tokens = [\n    (2, '</s>'),\n]\n"
    assert plain_list(ALL[:3]) == "2\t</s>\n10\t<free>\n3\t\\t\\U000e0001é'\n"
    long = replace(END, name="\U000e0001" * 300)
    assert plain_list([long]) == "2\t" + "\\U000e0001" * 300 + "\n"
