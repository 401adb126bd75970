"""Find problems of a tokenizer's files without running any code in them."""
