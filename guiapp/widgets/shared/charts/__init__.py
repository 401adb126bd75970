"""Charts of all pages, on pyqtgraph: bars, curves, scatter and histograms in the window's theme.

`chart.py` has what they share: finding, zoom, hover, keys, fading, pictures.  Each other module is one kind,
with the tuple that says what it shows.  pyqtgraph takes 0.3 s and 30 MB: only pages import this.
"""
