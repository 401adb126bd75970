"""The pages Vocabulary (all tokens of the model) and Special tokens."""
