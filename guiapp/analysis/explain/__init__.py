"""Explain tokens, their bytes and their round trip, in words and as records."""
