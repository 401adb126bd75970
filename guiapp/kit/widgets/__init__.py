"""The theme, layouts and controls that pages share."""
