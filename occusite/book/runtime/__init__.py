"""What the browser’s Python loads and calls."""
