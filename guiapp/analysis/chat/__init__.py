"""Conversations through chat templates: the prompt in tokens, their origins, and likely problems."""
