"""Bytes and characters: UTF-8, UTF-16, Unicode's tables, normalisation and wording."""
