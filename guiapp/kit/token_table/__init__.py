"""A table of up to some hundred thousand tokens: filter, sort, count, copy and save."""
