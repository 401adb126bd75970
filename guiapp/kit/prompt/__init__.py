"""The prompt that a chat template renders, with tokens coloured by origin; used by Chat and Data."""
