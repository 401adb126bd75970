"""The Tree page: a vocabulary as a tree of tokens."""
