"""The shortest texts on which two tokenizers differ."""
