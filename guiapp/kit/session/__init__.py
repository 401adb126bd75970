"""What a window has open: model, text, chosen token and session file."""
