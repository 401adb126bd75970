"""All tokens of the model, and its special tokens."""
