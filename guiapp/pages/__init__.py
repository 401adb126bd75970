"""A folder for each page: its model, and `page.py` with its views."""
