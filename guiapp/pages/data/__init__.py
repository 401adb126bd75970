"""Training data: its records as a list, what is wrong with them, and the tokens of one of them."""
