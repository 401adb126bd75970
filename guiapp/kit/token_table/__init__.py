"""One table for up to some hundred thousand tokens: filtered, sorted, counted, copied and saved."""
