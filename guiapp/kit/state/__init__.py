"""Background jobs, saving, settings and recent files."""
