"""What is wrong with a tokenizer's files, found without running anything that they hold."""
