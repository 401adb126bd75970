"""Why a text has a token: the effect of each stage, and the decisions of the encoder."""
