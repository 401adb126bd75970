"""Why a token of a text is there: what each stage did, and what the encoder decided."""
