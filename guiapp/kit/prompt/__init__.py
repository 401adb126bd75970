"""The text that a chat template makes of messages, in tokens by their origin: as Chat and Data show it."""
