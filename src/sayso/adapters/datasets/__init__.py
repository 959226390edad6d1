"""Formats of other projects that demonstrations are exported to and imported from."""
