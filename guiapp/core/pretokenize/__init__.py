"""Where a text is cut before merging: llama.cpp's patterns, and regular expressions as tables."""
