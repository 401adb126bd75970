"""One module a file format; `table.py` lists them."""
