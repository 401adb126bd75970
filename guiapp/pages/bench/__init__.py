"""Tokens per second across encoders and libraries, with exactness beside speed."""
