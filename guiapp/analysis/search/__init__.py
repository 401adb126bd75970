"""Search for spans of a text, and for tokens."""
