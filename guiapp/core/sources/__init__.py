"""Where model files come from: this machine, a hub, Ollama, the web."""
