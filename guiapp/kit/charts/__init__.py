"""Charts in the program's theme, drawn by pyqtgraph."""
