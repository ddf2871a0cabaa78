"""The book's widgets, one file each; a file's name is the widget's name in Markdown."""
