"""What is done with tokenizers, without Qt: one folder a subject."""
