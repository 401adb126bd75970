"""The subcommands, one module each: `add_options` declares the arguments, `run` does it in a few lines."""
