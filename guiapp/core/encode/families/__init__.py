"""One module a family of tokenizers."""
