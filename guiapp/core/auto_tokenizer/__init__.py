"""What `transformers` makes of a folder: the class that it loads, what that rebuilds, what tokens it adds."""
