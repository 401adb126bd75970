"""What more than one page is built of."""
