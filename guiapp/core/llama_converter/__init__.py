"""What llama.cpp's convert_hf_to_gguf.py makes of a folder: by its architecture, the vocabulary of a GGUF."""
