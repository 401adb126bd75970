"""Traces record every decision of an encoding: step through them, break at steps, describe them in words."""
