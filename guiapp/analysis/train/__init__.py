"""Train vocabularies step by step, and write them as model files."""
