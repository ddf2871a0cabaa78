"""What an author’s text names: values, tables, words, sources, the data of chapters."""
