"""What the same text costs in many languages, by parallel texts."""
