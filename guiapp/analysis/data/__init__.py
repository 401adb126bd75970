"""What a model is trained on: records in tokens, which of these count in the loss, and what is wrong."""
