"""The vocabularies, texts and lessons that come with the program, and their paths."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import VocabError

PREFIX = "demo:"


@dataclass(frozen=True)
class DemoModel:
    """A small vocabulary trained by this project; `demo:<name>` opens it."""

    name: str
    title: str
    description: str


@dataclass(frozen=True)
class SampleText:
    """A sample text for exploring."""

    name: str
    title: str


@dataclass(frozen=True)
class LessonHead:
    """A lesson; `name` is its file name without the suffix."""

    name: str
    title: str
    n_steps: int


DEMO_MODELS = (
    DemoModel("bpe", "Byte-level BPE", "Merges over bytes with Llama 3's pattern; chat and fill-in tokens."),
    DemoModel("spm", "SentencePiece BPE", "Merges by score as in Llama 2: space prefix, byte fallback."),
    DemoModel(
        "wordpiece", "WordPiece", "Longest pieces of lower-cased words as in BERT: [CLS], [SEP], [UNK]."
    ),
    DemoModel("unigram", "Unigram", "The most probable segmentation as in T5, after a normalizer."),
    DemoModel("rwkv", "Longest match", "The longest token at each position, over bytes, as in RWKV World."),
    DemoModel("toy", "Toy BPE", "Nine tokens over a, b and c, small enough to merge by hand."),
)

SAMPLES = (
    SampleText("welcome", "Welcome"),
    SampleText("english", "English: a story and a guide"),
    SampleText("everyday", "English: letters, news, recipes"),
    SampleText("languages", "Thirty-one languages"),
    SampleText("japanese", "Japanese: a story and a notice"),
    SampleText("code", "Program code"),
    SampleText("unicode", "Emoji and Unicode edge cases"),
    SampleText("numbers", "Numbers and white space"),
    SampleText("chat", "Chat with special tokens"),
    SampleText("hostile", "Hostile look-alikes"),
    SampleText("literature-insane", "Textbook: This is insane!"),
    SampleText("literature-new-york", "Textbook: New York"),
    SampleText("literature-abacbb", "Textbook: abacbb (toy model)"),
    SampleText("literature-space-ship", "Textbook: 汉武帝 and the space ship"),
)

LESSONS = (
    LessonHead("1-what-a-token-is", "What a token is", 3),
    LessonHead("2-unicode-and-bytes", "Unicode and bytes", 3),
    LessonHead("3-training-by-hand", "Training a tokenizer by hand", 4),
    LessonHead("4-encoding-by-merges", "Encoding by merges", 5),
    LessonHead("5-why-greedy-is-not-exact", "Why greedy is not exact", 4),
    LessonHead("6-exact-in-linear-time", "Exact in linear time", 5),
    LessonHead("7-wordpiece", "WordPiece", 4),
    LessonHead("8-unigram", "Unigram", 4),
    LessonHead("9-special-tokens-and-injection", "Special tokens and injection", 3),
)
"""The titles and sizes of the files, so that menus need not read them."""


def resources_folder() -> Path:
    """The folder inside the package if it is installed, next to it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "resources"
    return installed if installed.is_dir() else package.parent / "resources"


def demo_model_path(name: str) -> Path:
    """The file of a demo model; raises VocabError for an unknown name."""
    if name not in {model.name for model in DEMO_MODELS}:
        raise VocabError(f"There is no demo model “{PREFIX}{quoted(name)}”. Choose one of {known_models()}.")
    return resources_folder() / "models" / f"{name}.gguf"


def known_models() -> str:
    """The names of the demo models, for messages."""
    return ", ".join(PREFIX + model.name for model in DEMO_MODELS)


def sample_data_path() -> Path:
    """The file of some conversations to train on, with typical faults."""
    return resources_folder() / "samples" / "training.jsonl"


def sample_text(name: str) -> bytes:
    """A sample by its name; raises KeyError for a name that is not in `SAMPLES`."""
    if name not in {sample.name for sample in SAMPLES}:
        raise KeyError(name)
    return (resources_folder() / "samples" / f"{name}.txt").read_bytes()
