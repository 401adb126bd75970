"""The Data page: the records of a training file, problems in them, and the tokens of the selected record."""
