"""The Text page: the text with its tokens, their ids, and details of one token."""
