"""One module for each file format; `table.py` lists them."""
