"""The algorithms, written to be read; steps are recorded from them, and tests compare with them."""
