"""A tokenizer that records how much it encodes, for tests that limit the work instead of the time."""

from guiapp import open_model
from guiapp.core.encode.tokenizer import Tokenizer


class RecordingTokenizer(Tokenizer):
    """`encoded` is a list of the lengths of encoded segments, without calls of `encode` for whole texts."""

    def __init__(self, vocabulary):
        super().__init__(vocabulary)
        self.encoded = []

    def encode(self, *given, **options):
        n_before = len(self.encoded)
        encoding = super().encode(*given, **options)
        del self.encoded[n_before:]
        return encoding

    def encode_segment(self, text, *options):
        self.encoded.append(len(text))
        return super().encode_segment(text, *options)


def recording_tokenizer(model):
    return RecordingTokenizer(open_model(model).vocabulary)
