"""Session files: the saved state of the user's work."""
