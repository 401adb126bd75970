"""The Doctor page: what is wrong with the files of the model, and how to fix it."""
