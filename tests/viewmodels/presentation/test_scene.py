"""What a presentation shows of steps, without a window."""

import pytest

import guiapp
from guiapp.core.lessons.places import go_to_place
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.core.training.record import TrainingRecord
from guiapp.core.training.runs import begin
from guiapp.core.training.telling import to_json
from guiapp.viewmodels.presentation import scene as module
from guiapp.viewmodels.presentation.scene import Mark, groups, scene, training_scene


def debugger_of(model, text, encoder, place="start"):
    tokenizer = guiapp.open_model(f"demo:{model}")
    debugger = debugger_for(tokenizer, record(tokenizer, text, encoder, True, True))
    go_to_place(debugger, place)
    return debugger


def shown(made):
    return ["".join(letter.text for letter in block.letters) for block in made.blocks]


def scene_at(*place, is_covered=False):
    debugger = debugger_of(*place)
    return scene(debugger, debugger.waiting(), is_covered)


def test_a_pair_that_merges_shares_a_box_below_its_rank_and_others_have_theirs_over_their_gaps():
    made = scene_at("bpe", " lions", "scan", "operation merge")
    assert shown(made) == ["·", "l", "i", "o", "n", "s"]
    assert groups(made.blocks) == [[0, 1], [2], [3], [4], [5]]
    assert made.mark == Mark("rank 24", succeeds=True, wins=True)
    assert made.ranks == {2: "570", 3: "1,247", 4: "35"}
    assert made.is_one_row


@pytest.mark.parametrize(
    ("place", "marked", "mark"),
    [
        (("toy", "abacb", "backtrack", "operation reject"), ["b"], Mark("cannot follow", False)),
        (("toy", "abacb", "backtrack", "operation back"), ["ac"], Mark("taken back", False)),
        (("toy", "abacb", "greedy", "operation take"), ["ab"], Mark("id 3", True)),
        (("bpe", " unbelievable", "scan", "token 720"), ["ab", "le"], Mark("rank 464", True)),  # alone
        (("wordpiece", "Unbelievable", None, "operation miss"), ["Unbelievab"], Mark("no token", False)),
        (("bpe", " lions", "heap", "operation push"), ["·", "l"], Mark("rank 24", False)),
        (("spm", "How do lions sleep", "heap", "operation stale"), None, Mark("gone meanwhile", False)),
        (("bpe", "Hi<|im_end|>", None, "operation special"), ["<|im_end|>"], Mark("id 2552", True)),
        (("unigram", "New York", "viterbi", "operation worse"), None, Mark("−12.12", False)),
    ],
)
def test_what_a_step_is_about_is_marked_with_what_comes_of_it(place, marked, mark):
    made = scene_at(*place)
    found = [text for block, text in zip(made.blocks, shown(made), strict=True) if block.is_marked]
    assert marked is None or found == marked
    assert found
    assert made.mark == mark


@pytest.mark.parametrize("place", ["operation merge", "operation push hit 2", "operation done"])
def test_a_covered_step_shows_what_there_is_and_nothing_of_what_happens(place):
    made = scene_at("bpe", " lions", "heap", place, is_covered=True)
    assert "".join(shown(made)) == "·lions"
    assert (made.mark, made.ranks) == (None, {})
    assert not any(block.is_marked or block.is_joined for block in made.blocks)


@pytest.mark.parametrize("place", ["start", "end", "operation take hit 2"])
def test_a_covered_step_does_not_show_where_the_text_will_be_cut(place):
    for model, encoder in (("bpe", "greedy"), ("wordpiece", None), ("rwkv", None)):
        made = scene_at(model, "lions sleep", encoder, place, is_covered=True)
        waiting = [block for block in made.blocks if not block.below and block.part.name == "TEXT"]
        assert len(waiting) == 1


def test_the_result_has_ids_and_the_text_around_a_piece_is_told():
    made = scene_at("bpe", "How do", None, "end")
    assert shown(made) == ["<|begin_of_text|>", "H", "ow", "·do"]
    assert [block.below for block in made.blocks] == ["2549", "39", "318", "403"]
    around = scene_at("bpe", "How do lions", None, "piece 1").around
    assert [each.text for each in around.done] == ["H", "ow"]
    assert (around.now, around.to_come) == ("·do", "·lions")
    assert scene_at("toy", "abacb", None, "operation take").around is None


@pytest.mark.parametrize(
    ("place", "around"),
    [
        ("piece 0", ([], "How", "·do·lions")),
        ("piece 2", (["H", "ow", "·do"], "·lions", "")),
        ("operation special", None),
    ],
)
def test_the_first_piece_has_only_text_behind_it_and_the_last_only_before(place, around):
    found = scene_at("bpe", "How do lions" if around else "Hi<|im_end|>", None, place).around
    assert around == (found and ([each.text for each in found.done], *found[1:]))


def test_much_text_around_is_cut_short(monkeypatch):
    monkeypatch.setattr(module, "MOST_AROUND", 5)
    around = scene_at("bpe", "abc def ghi jkl mno pqr stu vwx yz", "scan", "piece 5").around
    assert "".join(each.text for each in around.done) == "·jkl·mno"
    assert around[1:] == ("·pqr", "·stu·…")


def test_a_training_shows_its_words_what_it_made_and_how_often_they_occur():
    run = begin("bpe", "is this is", 300)
    training = TrainingRecord(run.start)
    for told in run.steps():
        training.append(to_json(told).encode())
    first, made = training_scene(training, 0), training_scene(training, 1)
    assert shown(first) == ["i", "s", "·", "t", "h", "i", "s", "·", "i", "s"]
    assert [at for at, block in enumerate(first.blocks) if block.is_apart] == [2, 7]
    assert first.mark is None
    assert shown(made) == ["is", "·", "t", "h", "is", "·", "is"]
    assert [block.is_marked for block in made.blocks] == [True, False, False, False, True, False, True]
    assert made.mark == Mark("3 times", succeeds=True)
    covered = training_scene(training, 1, is_covered=True)
    assert shown(covered) == shown(made)
    assert not any(block.is_marked for block in covered.blocks)
    counted = training_scene(recorded_words("is is is"), 0)
    assert [block.below for block in counted.blocks] == ["", "", "", "", "×2"]


def recorded_words(text):
    return TrainingRecord(begin("bpe", text, 300).start)
