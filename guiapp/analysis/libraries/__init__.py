"""Other tokenizer libraries, and the user's own programs, as contenders for bench, hunt and chat."""
