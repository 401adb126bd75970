"""Conversations through chat templates: the prompt in tokens, where each is from, and what may go wrong."""
