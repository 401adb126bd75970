"""The page that shows a vocabulary as a tree of tokens."""
