"""`Tokenizer` and `Encoding`, and how each family of tokenizers encodes."""
