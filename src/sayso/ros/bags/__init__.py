"""Recorded runs and tours: written, read, replayed, judged again."""
