"""Export runs, tables and pages: JSON, SVG, HTML, Markdown, CSV."""
