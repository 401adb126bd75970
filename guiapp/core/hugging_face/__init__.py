"""The components of a `tokenizer.json`: normalizers, pre-tokenizers, models and decoders."""
