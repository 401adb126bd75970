"""What several models make of texts, and what two vocabularies or lists of ids have in common."""
