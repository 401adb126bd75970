"""Models, texts and vocabularies side by side."""
