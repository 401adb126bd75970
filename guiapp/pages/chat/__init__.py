"""Messages and the prompt that a chat template makes of them, token by token."""
