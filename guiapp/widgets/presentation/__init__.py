"""The screen that Steps and lessons are presented on, and the pictures of steps in large type."""
