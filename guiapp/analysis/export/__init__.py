"""Runs, tables and pages for elsewhere: JSON, SVG, HTML, Markdown, CSV."""
