"""A text with coloured tokens: laid out, painted, edited and described to screen readers."""
