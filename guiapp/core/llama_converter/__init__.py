"""Convert a folder to the vocabulary of a GGUF, like llama.cpp's convert_hf_to_gguf.py."""
