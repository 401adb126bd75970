"""Tokenizers: from the bytes of a file and a text to ids, spans and back."""
