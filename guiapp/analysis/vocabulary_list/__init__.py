"""Lists of a vocabulary's tokens: filters, columns, histograms, special tokens, embeddings."""
