"""Other tokenizer libraries, and programs of your own, as contenders: bench, hunt and chat ask them."""
