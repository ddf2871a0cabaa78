"""What makes the site: the only room of the book that may import a build tool."""
