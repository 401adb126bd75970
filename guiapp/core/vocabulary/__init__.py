"""Tokens, their kinds, scores, merges and special ids, as all formats give them."""
