"""Training data: records in tokens, which tokens count in the loss, and what is wrong with records."""
