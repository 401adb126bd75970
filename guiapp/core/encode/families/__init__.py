"""One module for each family of tokenizers."""
