"""Parts that more than one page is built from."""
