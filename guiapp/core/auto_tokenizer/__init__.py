"""Read a folder as `transformers` does: choose the class, rebuild its components, add its tokens."""
