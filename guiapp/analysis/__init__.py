"""Analyses built on the tokenizers, without Qt: one folder for each subject."""
