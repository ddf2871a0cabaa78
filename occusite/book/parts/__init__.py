"""What a page is made of."""
