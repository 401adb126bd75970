"""The text that the user edits, its live tokens, and statistics, searches and autosaves of both."""
