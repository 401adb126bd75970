"""Count tokens, and cut text by tokens, without storing all of them."""
