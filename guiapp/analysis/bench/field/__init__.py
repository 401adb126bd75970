"""All tokenizer libraries compared: whose ids are right, how fast they are, and a page of the results."""
