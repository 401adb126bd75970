"""The token tree: its picture, its colours, and what is said about it."""
