"""Tests of the built book in real browsers: Chromium always, Firefox and WebKit where installed."""
