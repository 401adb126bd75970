"""Searches for texts that two tokenizers encode otherwise, in processes of their own."""
