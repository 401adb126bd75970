"""Split text into pieces before merging: llama.cpp's patterns, and regular expressions as tables."""
