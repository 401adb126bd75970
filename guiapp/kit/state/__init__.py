"""Background work, settings and recent files."""
