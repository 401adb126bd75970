"""Lessons that step through the real encoders."""
