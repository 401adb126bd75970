"""Traces: every decision of an encoding, stepped through, stopped at, told in words."""
