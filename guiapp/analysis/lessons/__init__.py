"""Lessons, which step through runs of the real encoders."""
