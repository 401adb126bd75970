"""A text with coloured tokens: layout, painting, editing and accessibility."""
