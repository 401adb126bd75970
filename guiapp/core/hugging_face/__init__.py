"""The parts of a `tokenizer.json`: normalizers, pre-tokenizers, models and decoders."""
