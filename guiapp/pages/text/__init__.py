"""The text with its tokens, the ids, and all about one token."""
