"""The algorithms in readable form: steps are recorded from them, and tests compare with them."""
