"""The Hunt page: the shortest texts on which two tokenizers differ."""
