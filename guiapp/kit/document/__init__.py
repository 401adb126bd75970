"""The text that people edit, its tokens as they change, and what is known of both."""
