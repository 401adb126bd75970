"""A text being edited, and its exact encoding, kept up to date."""
