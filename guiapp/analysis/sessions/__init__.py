"""Session files: a piece of work that opens again exactly there."""
