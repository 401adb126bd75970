"""`tokenloupe bench ui`: how long the program itself lets people wait, measured in the real window."""
