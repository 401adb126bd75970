"""All tokenizer libraries at once: whose ids are right, how fast they are, and the page that says so."""
