"""Tokenloupe: see, step through and measure the tokenization of any model file."""

__version__ = "0.1.0"
