"""The book: what turns Markdown fences into pages at build, and answers the pages' questions in the browser."""
