"""One folder for each page, with its model and views; `page.py` comes first."""
