"""Counting and cutting by tokens without keeping them."""
