"""Tokens, their kinds, scores, merges and special ids, independent of the file format."""
