"""The token tree: its picture, its colours, and reports about it."""
