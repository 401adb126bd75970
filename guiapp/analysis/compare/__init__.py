"""Compare several models on texts, and two vocabularies or two lists of ids with each other."""
