from guiapp import open_model
from guiapp.analysis.bench.field.texts import BUILT_IN, TimedText, compared_texts


def test_texts_to_compare_are_many_different_the_shortest_first_and_the_same_again():
    tokenizer = open_model("demo:bpe")
    texts = compared_texts(tokenizer, BUILT_IN, 0)
    assert texts == compared_texts(tokenizer, BUILT_IN, 0)
    assert len(texts) > 5_000
    assert len({each.text for each in texts}) == len(texts)
    lengths = [len(each.text) for each in texts]
    assert lengths == sorted(lengths)
    assert {"sample “japanese”", "generated: digits"} <= {each.origin for each in texts}
    assert texts != compared_texts(tokenizer, BUILT_IN, 1)


def test_texts_hold_nothing_that_the_file_cuts_out_of_ordinary_text(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("Some [INST] words.\nOthers.\n")
    texts = {each.text for each in compared_texts(open_model("demo:spm"), [TimedText("Mine", str(file))], 0)}
    assert b"Others.\n" in texts
    assert not any(b"[INST]" in text for text in texts)
