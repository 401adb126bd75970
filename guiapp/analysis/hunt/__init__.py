"""Searches in child processes for texts that two tokenizers encode differently."""
