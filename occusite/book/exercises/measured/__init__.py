"""The exercises of one chapter."""
