"""Finding stretches of a text, and tokens."""
