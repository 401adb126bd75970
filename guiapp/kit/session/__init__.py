"""The state of a window: open model, text, selected token and session file."""
