"""Messages and the prompt that a chat template makes from them, token by token."""
