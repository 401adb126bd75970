"""Sources of model files: this machine, the Hugging Face hub, Ollama, the web."""
