"""Tokens per second across encoders and libraries, with exactness next to speed."""
