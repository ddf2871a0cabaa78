"""The book's exercises, one file each."""
