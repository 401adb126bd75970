"""Compare the token counts of parallel texts in many languages."""
