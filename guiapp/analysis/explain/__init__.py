"""What tokens, their bytes and their round trip are, in words and as records."""
