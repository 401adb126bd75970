"""Training vocabularies, step by step, and model files of them."""
